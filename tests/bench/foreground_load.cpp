// SPDX-License-Identifier: Apache-2.0
// What a live load feels of a deletion: tenants that stay are read and written while a large one is deleted, without
// brakes, with the default settings, with a smaller target time, with a rate limit.
//   bench_foreground_load [--database URL] [--rows N] [--connections N] [--per-second N] [--writes PERCENT]
//                         [--seconds N] [--limit ROWS_PER_SECOND] [--json FILE]
// Without a URL: WINNOW_TEST_POSTGRES when it is set, else a temporary SQLite file. Each connection begins so many
// requests a second, whether the last one has ended or not; 0: one after the other, which measures how much room is left.
// On SQLite that is the default, with one connection that only writes. Tables `load_…` are created and dropped.

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

#include <winnow/session.hpp>
#include <winnow/store/open.hpp>
#include <winnow/store/postgres.hpp>
#include <winnow/store/sqlite.hpp>
#include <winnow/winnow.hpp>

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

struct settings {
    std::string url;
    std::int64_t rows = 1'000'000;
    std::int64_t connections = 8;
    std::int64_t per_second = 25;
    std::int64_t writes = 20;  ///< percent
    std::int64_t seconds = 15;
    std::int64_t limit = 20'000;
    std::string json;
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

void print_head() {
    std::printf("%-22s %8s %9s   %-34s   %-34s %9s\n", "", "seconds", "rows/s", "reads: 50 % 95 % 99 % longest (ms)",
                "writes: 50 % 95 % 99 % longest (ms)", "writes/s");
}

void print(const result& one) {
    std::printf("%-22s %8.1f %9.0f   %7.2f %7.2f %7.2f %8.1f   %9.2f %7.2f %7.2f %8.1f %9.0f%s\n", one.how.name.c_str(),
                one.seconds, static_cast<double>(one.rows) / one.seconds, one.reads.middle, one.reads.p95,
                one.reads.p99, one.reads.longest, one.writes.middle, one.writes.p95, one.writes.p99, one.writes.longest,
                static_cast<double>(one.writes.count) / one.seconds,
                one.failed != 0 ? ("   " + std::to_string(one.failed) + " refused").c_str() : "");
    std::fflush(stdout);
}

std::string as_json(const spread& of) {
    std::array<char, 200> text{};
    std::snprintf(text.data(), text.size(),
                  R"({"requests": %zu, "p50_ms": %.3f, "p95_ms": %.3f, "p99_ms": %.3f, "longest_ms": %.3f})", of.count,
                  of.middle, of.p95, of.p99, of.longest);
    return text.data();
}

void save(const std::vector<result>& all, const settings& of) {
    std::ofstream out(of.json);
    out << "{\"rows\": " << of.rows << ", \"connections\": " << of.connections << ", \"per_second\": " << of.per_second
        << ", \"phases\": [";
    for (std::size_t at = 0; at < all.size(); ++at) {
        const result& one = all[at];
        out << (at == 0 ? "\n" : ",\n") << "  {\"name\": \"" << one.how.name << "\", \"seconds\": " << one.seconds
            << ", \"rows\": " << one.rows << ", \"target_milliseconds\": " << one.how.target_milliseconds
            << ", \"rows_per_second\": " << one.how.rows_per_second << ", \"refused\": " << one.failed
            << ", \"reads\": " << as_json(one.reads) << ", \"writes\": " << as_json(one.writes) << "}";
    }
    out << "\n]}\n";
}

}  // namespace

int main(int count, char** arguments) {
    settings of;
    std::optional<std::int64_t> connections;
    std::optional<std::int64_t> per_second;
    std::optional<std::int64_t> writes;
    for (int at = 1; at + 1 < count; at += 2) {
        const std::string_view name = arguments[at];
        const std::int64_t number = std::strtoll(arguments[at + 1], nullptr, 10);
        if (name == "--database") of.url = arguments[at + 1];
        else if (name == "--json") of.json = arguments[at + 1];
        else if (name == "--rows") of.rows = number;
        else if (name == "--connections") connections = number;
        else if (name == "--per-second") per_second = number;
        else if (name == "--writes") writes = number;
        else if (name == "--seconds") of.seconds = number;
        else if (name == "--limit") of.limit = number;
    }
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("winnow_load_" + std::to_string(::getpid()) + ".db");
    if (of.url.empty()) {
        const char* server = std::getenv("WINNOW_TEST_POSTGRES");
        of.url = server != nullptr ? server : "sqlite:" + file.string() + "?mode=rwc";
    }
    const bool sqlite = of.url.starts_with("sqlite:");
    of.connections = connections.value_or(sqlite ? 1 : of.connections);
    of.per_second = per_second.value_or(sqlite ? 0 : of.per_second);
    of.writes = writes.value_or(sqlite ? 100 : of.writes);
    std::vector<result> all;
    int code = 0;
    print_head();
    try {
        for (const phase& how :
             {phase{"alone", 100, 0, false}, phase{"no brakes", 0, 0, true}, phase{"default", 100, 0, true},
              phase{"target 20 ms", 20, 0, true}, phase{"rate limit", 100, of.limit, true}}) {
            all.push_back(measure(of, how));
            print(all.back());
            if (!all.back().right) code = 1;
        }
        if (!of.json.empty()) save(all, of);
    } catch (const winnow::error& problem) {
        std::fprintf(stderr, "bench_foreground_load: %s %s\n", problem.what(), problem.hint().c_str());
        code = 1;
    }
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + suffix);
    return code;
}
