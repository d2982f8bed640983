// SPDX-License-Identifier: Apache-2.0
// One parent with very many leaf rows: what its deletion takes of memory and how long its transactions are.
// `bench_leaf_rows --help` lists the arguments.
// Without a URL: WINNOW_TEST_POSTGRES when it is set, else a temporary SQLite file. The tables `bench_parent`
// and `bench_leaf` are created and dropped.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include <winnow/session.hpp>
#include <winnow/store/open.hpp>
#include <winnow/store/postgres.hpp>
#include <winnow/store/sqlite.hpp>
#include <winnow/winnow.hpp>

#include "command_line.hpp"

struct Leaf {
    std::int64_t id;
    std::int64_t parent_id;
    std::string body;
};
struct Parent {
    std::int64_t id;
    std::string name;
};
WINNOW_DESCRIBE(Leaf, id, parent_id, body)
WINNOW_DESCRIBE(Parent, id, name)

template <> struct winnow::model<Leaf> {
    static constexpr text key = "bench.Leaf";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<Parent> {
    static constexpr text key = "bench.Parent";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&Leaf::parent_id>);
};
using Models = winnow::registry<Parent, Leaf>;

namespace {

/// A line of /proc/self/status in KiB.
std::int64_t memory(std::string_view name) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.compare(0, name.size(), name) == 0) return std::strtoll(line.c_str() + name.size() + 1, nullptr, 10);
    return 0;
}

class chunk_times final : public winnow::observer {
public:
    void observe(std::string_view metric, double seconds, std::initializer_list<winnow::label>) override {
        if (metric == "deletions.chunk.duration") taken.push_back(seconds);
    }
    std::vector<double> taken;
};

void fill(winnow::connection& database, std::int64_t rows) {
    const bool postgres = database.kind() == winnow::dialect::postgres;
    database.execute_script(
        postgres
            ? "DROP TABLE IF EXISTS bench_leaf; DROP TABLE IF EXISTS bench_parent;"
              "CREATE TABLE bench_parent (id bigint PRIMARY KEY, name text NOT NULL);"
              "CREATE TABLE bench_leaf (id bigint PRIMARY KEY, parent_id bigint NOT NULL REFERENCES bench_parent, body text NOT NULL)"
            : "DROP TABLE IF EXISTS bench_leaf; DROP TABLE IF EXISTS bench_parent;"
              "CREATE TABLE bench_parent (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL);"
              "CREATE TABLE bench_leaf (id INTEGER PRIMARY KEY, parent_id INTEGER NOT NULL REFERENCES bench_parent, body TEXT NOT NULL)");
    database.execute_script("INSERT INTO bench_parent VALUES (1, 'doomed'), (2, 'stays')");
    const std::string series = postgres ? "generate_series(1, " + std::to_string(rows) + ") AS n"
                                        : "(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < " +
                                              std::to_string(rows) + ") SELECT n FROM s)";
    database.execute_script("INSERT INTO bench_leaf SELECT n, 1 + (n % 10 = 0)" + std::string(postgres ? "::int" : "") +
                            ", 'some text of a row' FROM " + series);
    database.execute_script("CREATE INDEX bench_leaf_parent ON bench_leaf (parent_id)");
    database.execute_script("ANALYZE");
}

int run(const std::string& url, std::int64_t rows) {
    constexpr std::array drivers{winnow::sqlite_driver, winnow::postgres_driver};
    const winnow::connection_ptr database = winnow::open_connector(url, drivers)->open();
    winnow::migrate(*database);
    fill(*database, rows);
    const winnow::catalog models{std::span<const winnow::plan>(winnow::plans_of<Models>)};
    winnow::steady_clock time;
    chunk_times watch;
    const winnow::context with{models, *database, time, watch};
    const winnow::session<Models> session(with);
    const std::int64_t idle = memory("VmRSS:");
    const auto start = time.now();
    const winnow::deletion_report report = session.exec_sync(Parent{1, "doomed"});
    const double seconds = static_cast<double>((time.now() - start).count()) / 1e6;
    std::sort(watch.taken.begin(), watch.taken.end());
    std::printf("database            %s\n", std::string(winnow::name_of(database->kind())).c_str());
    std::printf("outcome             %s\n", std::string(winnow::name_of(report.outcome)).c_str());
    std::printf("rows deleted        %lld\n", static_cast<long long>(report.rows));
    std::printf("wall                %.2f s, %.0f rows/s\n", seconds, static_cast<double>(report.rows) / seconds);
    std::printf("transactions        %zu, median %.3f s, longest %.3f s\n", watch.taken.size(),
                watch.taken[watch.taken.size() / 2], watch.taken.back());
    std::printf("resident memory     idle %.1f MiB, peak %.1f MiB\n", static_cast<double>(idle) / 1024,
                static_cast<double>(memory("VmHWM:")) / 1024);
    const bool right = report.outcome == winnow::deletion_outcome::completed &&
                       database->execute_once("SELECT count(*) FROM bench_leaf", {}).integer(0, 0) == rows / 10;
    database->execute_script("DROP TABLE bench_leaf; DROP TABLE bench_parent");
    return right ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
    std::string url;
    std::int64_t rows = 2'000'000;
    CLI::App program("Measures the deletion of one parent with very many leaf rows.", "bench_leaf_rows");
    program.add_option("--database", url, "URL; by default WINNOW_TEST_POSTGRES, else a temporary SQLite file");
    program.add_option("--rows", rows, "leaf rows, a tenth of which stays; 2 000 000 by default")
        ->check(CLI::Range(10, 1'000'000'000));
    if (const std::optional<int> code = bench::read_arguments(program, count, words)) return *code;
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("winnow_bench_" + std::to_string(::getpid()) + ".db");
    if (url.empty()) {
        const char* server = std::getenv("WINNOW_TEST_POSTGRES");
        url = server != nullptr ? server : "sqlite:" + file.string() + "?mode=rwc";
    }
    try {
        const int code = run(url, rows);
        std::filesystem::remove(file);
        return code;
    } catch (const winnow::error& problem) {
        std::fprintf(stderr, "bench_leaf_rows: %s %s\n", problem.what(), problem.hint().c_str());
        return 1;
    }
}
