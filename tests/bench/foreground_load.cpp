// SPDX-License-Identifier: Apache-2.0
// What a live load feels of a deletion: tenants that stay are read and written while a large one is deleted, without
// brakes, with the default settings, with a smaller target time, with a rate limit.
// `bench_foreground_load --help` lists the arguments. Without a URL: WINNOW_TEST_POSTGRES when it is set, and a temporary
// SQLite file. Each connection begins so many requests a second, whether the last one has ended or not; 0: one after the
// other, which measures how much room is left. On SQLite that is the default, with one connection that only writes.
// Tables `load_…` are created and dropped.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <winnow/session.hpp>
#include <winnow/store/open.hpp>
#include <winnow/store/postgres.hpp>
#include <winnow/store/sqlite.hpp>
#include <winnow/winnow.hpp>

#include "command_line.hpp"

struct LoadTenant {
    std::int64_t id;
    std::string name;
};
struct LoadRow {
    std::int64_t id;
    std::int64_t tenant_id;
    std::string body;
};
WINNOW_DESCRIBE(LoadTenant, id, name)
WINNOW_DESCRIBE(LoadRow, id, tenant_id, body)

template <> struct winnow::model<LoadRow> {
    static constexpr text key = "load.Row";
    static constexpr text table = "load_row";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr text rate_limit_option = "load.rows_per_second";
};
template <> struct winnow::model<LoadTenant> {
    static constexpr text key = "load.Tenant";
    static constexpr text table = "load_tenant";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&LoadRow::tenant_id>);
};
using Models = winnow::registry<LoadTenant, LoadRow>;

namespace {

using clock_type = std::chrono::steady_clock;
constexpr std::array drivers{winnow::sqlite_driver, winnow::postgres_driver};
/// Tenants that stay, and rows that each of them has.
constexpr std::int64_t tenants = 200;
constexpr std::int64_t rows_of_a_tenant = 500;

struct given_settings {
    std::string url;
    std::string json;
    std::string markdown;
    std::int64_t rows = 1'000'000;
    std::int64_t seconds = 15;
    std::int64_t limit = 20'000;
    std::optional<std::int64_t> connections;
    std::optional<std::int64_t> per_second;
    std::optional<std::int64_t> writes;  ///< percent
};

/// For one database.
struct settings {
    std::string url;
    std::string database;  ///< its name for people
    std::int64_t rows;
    std::int64_t connections;
    std::int64_t per_second;
    std::int64_t writes;  ///< percent
    std::int64_t seconds;
    std::int64_t limit;

    static settings of(const given_settings& given, const std::string& url) {
        const bool sqlite = url.starts_with("sqlite:");
        return {url,
                sqlite ? "SQLite" : "PostgreSQL",
                given.rows,
                given.connections.value_or(sqlite ? 1 : 8),
                given.per_second.value_or(sqlite ? 0 : 25),
                given.writes.value_or(sqlite ? 100 : 20),
                given.seconds,
                given.limit};
    }
};

/// One way to delete.
struct phase {
    std::string name;
    std::int64_t target_milliseconds = 100;
    std::int64_t rows_per_second = 0;
    bool deletes = true;
};

struct spread {
    std::size_t count = 0;
    double middle = 0, p95 = 0, p99 = 0, longest = 0;  ///< milliseconds

    static spread of(std::vector<double> all) {
        spread made;
        made.count = all.size();
        if (all.empty()) return made;
        std::sort(all.begin(), all.end());
        const auto at = [&](double share) {
            return all[std::min(all.size() - 1, static_cast<std::size_t>(share * static_cast<double>(all.size())))];
        };
        made.middle = at(0.5);
        made.p95 = at(0.95);
        made.p99 = at(0.99);
        made.longest = all.back();
        return made;
    }
};

struct result {
    std::string database;
    phase how;
    double seconds = 0;     ///< that were measured: of the deletion, or of the load alone
    std::int64_t rows = 0;  ///< deleted
    spread reads;
    spread writes;
    std::int64_t failed = 0;  ///< requests that the database refused
    bool right = true;
};

/// Requests of one connection until it is told to stop.
class client {
public:
    client(const settings& of, std::uint64_t seed)
        : of_(of), database_(winnow::open_connector(of.url, drivers)->open()), random_(seed) {}

    void run(const std::atomic<bool>& stop) {
        auto due = clock_type::now();
        while (!stop) {
            if (of_.per_second > 0) {
                due += std::chrono::microseconds(1'000'000 / of_.per_second);
                std::this_thread::sleep_until(due);
            } else {
                due = clock_type::now();
            }
            const bool writes = static_cast<std::int64_t>(random_() % 100) < of_.writes;
            try {
                if (writes) write();
                else read();
            } catch (const winnow::error&) {
                ++failed;
            }
            // From when it was due: a request that has to wait for the one before it waits as well.
            (writes ? write_times : read_times)
                .push_back(std::chrono::duration<double, std::milli>(clock_type::now() - due).count());
        }
    }

    std::vector<double> read_times;
    std::vector<double> write_times;
    std::int64_t failed = 0;

private:
    std::int64_t some_tenant() { return 1'000 + static_cast<std::int64_t>(random_() % tenants); }

    void read() {
        (void)database_->execute("SELECT id, body FROM load_row WHERE tenant_id = $1 ORDER BY id LIMIT 50",
                                 {some_tenant()});
    }
    void write() {
        const std::int64_t tenant = some_tenant();
        winnow::transaction scope(*database_);
        (void)database_->execute("UPDATE load_tenant SET name = $1 WHERE id = $2", {"changed", tenant});
        (void)database_->execute("INSERT INTO load_row (tenant_id, body) VALUES ($1, $2)",
                                 {tenant, "some text of a row"});
        scope.commit();
    }

    const settings& of_;
    winnow::connection_ptr database_;
    std::mt19937_64 random_;
};

void fill(winnow::connection& database, std::int64_t rows) {
    const bool postgres = database.kind() == winnow::dialect::postgres;
    const std::string key =
        postgres ? "id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY" : "id INTEGER PRIMARY KEY AUTOINCREMENT";
    const auto series = [](std::int64_t from, std::int64_t to) {
        return "WITH RECURSIVE s(n) AS (SELECT " + std::to_string(from) + " UNION ALL SELECT n + 1 FROM s WHERE n < " +
               std::to_string(to) + ") ";
    };
    database.execute_script("DROP TABLE IF EXISTS load_row; DROP TABLE IF EXISTS load_tenant;"
                            "CREATE TABLE load_tenant (" +
                            key +
                            ", name text NOT NULL);"
                            "CREATE TABLE load_row (" +
                            key + ", tenant_id bigint NOT NULL" + (postgres ? "" : " REFERENCES load_tenant (id)") +
                            ", body text NOT NULL)");
    database.execute_script(
        "INSERT INTO load_tenant (id, name) VALUES (1, 'doomed'); INSERT INTO load_tenant (id, name) " +
        series(1'000, 999 + tenants) + "SELECT n, 'stays' FROM s");
    // The doomed rows lie among the others, as they do when all tenants grow together.
    const std::int64_t all = rows + tenants * rows_of_a_tenant;
    const std::int64_t every = std::max<std::int64_t>(2, all / (tenants * rows_of_a_tenant));
    database.execute_script("INSERT INTO load_row (tenant_id, body) " + series(1, all) + "SELECT CASE WHEN n % " +
                            std::to_string(every) + " = 0 THEN 1000 + n / " + std::to_string(every) + " % " +
                            std::to_string(tenants) + " ELSE 1 END, 'some text of a row' FROM s");
    database.execute_script("CREATE INDEX load_row_tenant ON load_row (tenant_id, id)");
    // After the rows, which are looked at once then instead of one by one.
    if (postgres)
        database.execute_script("ALTER TABLE load_row ADD FOREIGN KEY (tenant_id) REFERENCES load_tenant (id)");
    database.execute_script("ANALYZE");
    if (postgres) database.execute_script("CHECKPOINT");
}

result measure(const settings& of, const phase& how) {
    const winnow::connection_ptr database = winnow::open_connector(of.url, drivers)->open();
    winnow::migrate(*database);
    fill(*database, of.rows);
    const winnow::catalog models{std::span<const winnow::plan>(winnow::plans_of<Models>)};
    winnow::steady_clock time;
    winnow::observer watch;
    const winnow::context with{models, *database, time, watch};
    with.options().set("deletion.target_milliseconds", std::to_string(how.target_milliseconds), "bench");
    with.options().set("load.rows_per_second", std::to_string(how.rows_per_second), "bench");
    const winnow::session<Models> session(with);

    std::vector<client> clients;
    for (std::int64_t one = 0; one < of.connections; ++one) clients.emplace_back(of, static_cast<std::uint64_t>(one));
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (client& one : clients) threads.emplace_back([&] { one.run(stop); });
    result made;
    made.database = of.database;
    made.how = how;
    const auto start = clock_type::now();
    if (how.deletes) {
        const winnow::deletion_report report = session.exec_sync(LoadTenant{1, "doomed"});
        made.rows = report.rows;
        made.right = report.outcome == winnow::deletion_outcome::completed && report.rows > 1;
    } else {
        std::this_thread::sleep_for(std::chrono::seconds(of.seconds));
    }
    made.seconds = std::chrono::duration<double>(clock_type::now() - start).count();
    stop = true;
    for (std::thread& one : threads) one.join();
    std::vector<double> reads;
    std::vector<double> writes;
    for (const client& one : clients) {
        reads.insert(reads.end(), one.read_times.begin(), one.read_times.end());
        writes.insert(writes.end(), one.write_times.begin(), one.write_times.end());
        made.failed += one.failed;
    }
    made.reads = spread::of(std::move(reads));
    made.writes = spread::of(std::move(writes));
    if (how.deletes)
        made.right = made.right &&
                     database->execute_once("SELECT count(*) FROM load_row WHERE tenant_id = 1", {}).integer(0, 0) == 0;
    database->execute_script("DROP TABLE load_row; DROP TABLE load_tenant");
    return made;
}

std::string number(double of, int digits) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, of);
    return text.data();
}

std::string head_of(const settings& of) {
    return "deletion of " + std::to_string(of.rows) + " rows under load on " + of.database + ", " +
           std::to_string(of.connections) + (of.connections == 1 ? " connection, " : " connections, ") +
           (of.per_second == 0 ? "one request after the other" : std::to_string(of.per_second) + " requests/s each") +
           ", " + std::to_string(of.writes) +
           " % of them writes\n\n| deletion | seconds | rows/s | reads p50 ms | p99 | longest | writes p50 ms | p99 | "
           "longest | writes/s | refused |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
}

std::string line_of(const result& one) {
    const auto times = [](const spread& of) {
        return of.count == 0 ? std::string("– | – | – | ")
                             : number(of.middle, 2) + " | " + number(of.p99, 2) + " | " + number(of.longest, 1) + " | ";
    };
    return "| " + one.how.name + " | " + number(one.seconds, 1) + " | " +
           (one.how.deletes ? number(static_cast<double>(one.rows) / one.seconds, 0) : "–") + " | " + times(one.reads) +
           times(one.writes) + number(static_cast<double>(one.writes.count) / one.seconds, 0) + " | " +
           std::to_string(one.failed) + " |\n";
}

nlohmann::ordered_json as_json(const spread& of) {
    return {{"requests", of.count},
            {"p50_ms", of.middle},
            {"p95_ms", of.p95},
            {"p99_ms", of.p99},
            {"longest_ms", of.longest}};
}
nlohmann::ordered_json as_json(const result& one) {
    return {{"database", one.database},
            {"deletion", one.how.name},
            {"seconds", one.seconds},
            {"rows", one.rows},
            {"target_milliseconds", one.how.target_milliseconds},
            {"rows_per_second", one.how.rows_per_second},
            {"refused", one.failed},
            {"reads", as_json(one.reads)},
            {"writes", as_json(one.writes)}};
}

/// All ways to delete on one database. @return whether each did what it should
bool measure_all(const settings& of, std::string& tables, nlohmann::ordered_json& figures) {
    bool right = true;
    const auto add = [&](const std::string& text) {
        tables += text;
        std::fputs(text.c_str(), stdout);
        std::fflush(stdout);
    };
    add((tables.empty() ? "" : "\n") + head_of(of));
    for (const phase& how : {phase{"none", 100, 0, false}, phase{"no brakes", 0, 0, true},
                             phase{"default", 100, 0, true}, phase{"target 20 ms", 20, 0, true},
                             phase{"at most " + std::to_string(of.limit) + " rows/s", 100, of.limit, true}}) {
        const result made = measure(of, how);
        add(line_of(made));
        figures.push_back(as_json(made));
        right = right && made.right;
    }
    return right;
}

std::optional<int> read(given_settings& given, int count, char** words) {
    CLI::App program("Measures what reads and writes of other tenants feel of a large deletion.",
                     "bench_foreground_load");
    program.add_option("--database", given.url, "URL; by default WINNOW_TEST_POSTGRES and a temporary SQLite file");
    program.add_option("--rows", given.rows, "rows that are deleted; 1 000 000 by default")->check(CLI::PositiveNumber);
    program.add_option("--connections", given.connections, "of the load; 8 by default, 1 on SQLite")
        ->check(CLI::PositiveNumber);
    program
        .add_option("--per-second", given.per_second,
                    "requests of each connection; 0: one after the other; 25 by default, 0 on SQLite")
        ->check(CLI::Range(0, 1'000'000));
    program.add_option("--writes", given.writes, "percent of the requests that write; 20 by default, 100 on SQLite")
        ->check(CLI::Range(0, 100));
    program.add_option("--seconds", given.seconds, "how long the load is measured alone; 15 by default")
        ->check(CLI::PositiveNumber);
    program.add_option("--limit", given.limit, "rows a second that the rate limit allows; 20 000 by default")
        ->check(CLI::PositiveNumber);
    program.add_option("--json", given.json, "file for the figures");
    program.add_option("--markdown", given.markdown, "file for the tables");
    return bench::read_arguments(program, count, words);
}

}  // namespace

int main(int count, char** words) {
    given_settings given;
    if (const std::optional<int> code = read(given, count, words)) return *code;
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("winnow_load_" + std::to_string(::getpid()) + ".db");
    std::vector<std::string> urls;
    if (!given.url.empty()) {
        urls.push_back(given.url);
    } else {
        if (const char* server = std::getenv("WINNOW_TEST_POSTGRES")) urls.emplace_back(server);
        urls.push_back("sqlite:" + file.string() + "?mode=rwc");
    }
    int code = 0;
    try {
        std::string tables;
        nlohmann::ordered_json figures = nlohmann::ordered_json::array();
        for (const std::string& url : urls)
            if (!measure_all(settings::of(given, url), tables, figures)) code = 1;
        if (!given.markdown.empty()) std::ofstream(given.markdown) << tables;
        if (!given.json.empty()) std::ofstream(given.json) << figures.dump(1) << "\n";
    } catch (const winnow::error& problem) {
        std::fprintf(stderr, "bench_foreground_load: %s %s\n", problem.what(), problem.hint().c_str());
        code = 1;
    }
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + suffix);
    return code;
}
