// SPDX-License-Identifier: Apache-2.0
// Many messages about rows that are copied to another database: how fast the outbox is drained, beside the same rows
// moved by nothing but large statements.
// `bench_outbox_drain --help` lists the arguments. On WINNOW_TEST_POSTGRES when it is set, in
// two databases that are made and dropped; else in two temporary SQLite files.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <unistd.h>

#include <winnow/context/context.hpp>
#include <winnow/derive/plans_of.hpp>
#include <winnow/outbox/drain.hpp>
#include <winnow/store/open.hpp>
#include <winnow/store/own_tables.hpp>
#include <winnow/store/postgres.hpp>
#include <winnow/store/sqlite.hpp>
#include <winnow/winnow.hpp>

#include "command_line.hpp"

enum class Scope { team = 0 };
enum class Category { member_update = 0 };
struct Member {
    std::int64_t id;
    std::int64_t team;
    std::string email;
};
struct MemberCopy {
    std::int64_t member;
    std::int64_t team;
    std::string email;
};
WINNOW_DESCRIBE(Member, id, team, email)
WINNOW_DESCRIBE(MemberCopy, member, team, email)

template <> struct winnow::categories<Category> {
    static constexpr auto scopes = winnow::scopes(scope<Scope::team, Category::member_update>);
};
template <> struct winnow::model<Member> {
    static constexpr text key = "bench.Member";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto replication = replicates<Category::member_update>(
        shard<&Member::team>,
        mirror<MemberCopy>(map<&Member::id, &MemberCopy::member>, map<&Member::team, &MemberCopy::team>,
                           map<&Member::email, &MemberCopy::email>));
};
template <> struct winnow::model<MemberCopy> {
    static constexpr text key = "bench.MemberCopy";
    static constexpr text table = "bench_member_copy";
    static constexpr auto silo = winnow::silo::control;
    static constexpr auto primary_key = winnow::primary_key<&MemberCopy::member>;
};
using Models = winnow::registry<Member, MemberCopy>;

namespace {

constexpr std::array drivers{winnow::sqlite_driver, winnow::postgres_driver};

class control_only final : public winnow::silo_directory {
public:
    explicit control_only(const std::string& url) : session_(winnow::open_connector(url, drivers)->open()) {}
    [[nodiscard]] std::span<const std::string> cells() const noexcept override { return {}; }
    [[nodiscard]] winnow::connection& control() override { return *session_; }
    [[nodiscard]] winnow::connection& cell(std::string_view) override { return *session_; }

private:
    winnow::connection_ptr session_;
};

struct figures {
    std::int64_t rows = 200'000;
    std::int64_t shards = 1'000;
    std::int64_t messages = 1;
    std::int64_t turn_shards = 10;
    std::int64_t workers = 1;
};

const winnow::catalog& models() {
    static const winnow::catalog all{std::span<const winnow::plan>(winnow::plans_of<Models>)};
    return all;
}

void make_tables(winnow::connection& source, winnow::connection& target, const figures& wanted) {
    for (winnow::connection* one : {&source, &target}) (void)winnow::migrate(*one);
    const bool postgres = source.kind() == winnow::dialect::postgres;
    const std::string number = postgres ? "bigint" : "INTEGER";
    source.execute_script("CREATE TABLE bench_member (id " + number + " PRIMARY KEY, team " + number +
                          " NOT NULL, email TEXT NOT NULL)");
    target.execute_script("CREATE TABLE bench_member_copy (member " + number + " PRIMARY KEY, team " + number +
                          " NOT NULL, email TEXT NOT NULL)");
    target.execute_script("CREATE INDEX bench_member_copy_team ON bench_member_copy (team)");
    const std::string count = std::to_string(wanted.rows);
    const std::string series = postgres
                                   ? "generate_series(0, " + count + " - 1) AS s(n)"
                                   : "(WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n + 1 < " +
                                         count + ") SELECT n FROM s)";
    source.execute_script("INSERT INTO bench_member SELECT n, n / (" + std::to_string(wanted.rows / wanted.shards) +
                          "), 'member' || n || '@example.org' FROM " + series);
    source.execute_script("INSERT INTO winnow_option (name, value, updated_by) VALUES ('outbox.turn_shards', '" +
                          std::to_string(wanted.turn_shards) + "', 'bench')");
}

void fill_outbox(winnow::connection& source, const figures& wanted) {
    for (std::int64_t i = 0; i < wanted.messages; ++i)
        source.execute_script(
            "INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier) "
            "SELECT 0, team, 0, id FROM bench_member ORDER BY team, id");
    source.execute_script("ANALYZE");
}

double seconds_of(winnow::clock& time, const auto& work) {
    const winnow::clock::duration start = time.now();
    work();
    return static_cast<double>((time.now() - start).count()) / 1e6;
}

/// The same result by sets of 10 000, with nothing in the way: no claim, no fence, no order.
void move_raw(winnow::connection& source, winnow::connection& target) {
    const winnow::mirror_plan& mirror = models()[models().at("bench.Member")].replication->mirror;
    std::int64_t after = -1;
    for (;;) {
        winnow::key_set rows =
            source.execute("SELECT id, team, email FROM bench_member WHERE id > $1 ORDER BY id LIMIT 10000", {after})
                .take_keys();
        if (rows.empty()) break;
        after = std::get<std::int64_t>(rows.back()[0]);
        (void)target.execute(mirror.upsert, {rows});
    }
    source.execute_script("DELETE FROM winnow_cell_outbox");
}

int run(const std::string& source_url, const std::string& target_url, const figures& wanted) {
    const winnow::connection_ptr source = winnow::open_connector(source_url, drivers)->open();
    const winnow::connection_ptr target = winnow::open_connector(target_url, drivers)->open();
    make_tables(*source, *target, wanted);
    winnow::steady_clock time;
    fill_outbox(*source, wanted);
    const double raw = seconds_of(time, [&] { move_raw(*source, *target); });
    target->execute_script("DELETE FROM bench_member_copy");
    fill_outbox(*source, wanted);
    std::vector<winnow::drain_report> reports(static_cast<std::size_t>(wanted.workers));
    const double drained = seconds_of(time, [&] {
        std::vector<std::thread> threads;
        const std::int64_t first = source->execute_once("SELECT min(id) FROM winnow_cell_outbox", {}).integer(0, 0);
        const std::int64_t all = wanted.rows * wanted.messages;
        for (std::int64_t i = 0; i < wanted.workers; ++i) {
            threads.emplace_back([&, i] {
                const winnow::connection_ptr mine = winnow::open_connector(source_url, drivers)->open();
                control_only silos(target_url);
                winnow::steady_clock own_time;
                winnow::observer watch;
                winnow::context with{models(), *mine, own_time, watch};
                with.silos = &silos;
                reports[static_cast<std::size_t>(i)] =
                    wanted.workers == 1
                        ? winnow::drain(with, winnow::silo::cell)
                        : winnow::drain_range(with, winnow::silo::cell, first + all * i / wanted.workers,
                                              first + all * (i + 1) / wanted.workers - 1);
            });
        }
        for (std::thread& one : threads) one.join();
    });
    winnow::drain_report report;
    for (const winnow::drain_report& one : reports) report += one;
    const auto messages = static_cast<double>(report.messages);
    std::printf("database    %s\n", std::string(winnow::name_of(source->kind())).c_str());
    std::printf("messages    %lld in %lld turns, %lld problems\n", static_cast<long long>(report.messages),
                static_cast<long long>(report.turns), static_cast<long long>(report.problems.size()));
    std::printf("drained     %.2f s, %.0f messages/s\n", drained, messages / drained);
    std::printf("raw         %.2f s, ratio of rates %.2f\n", raw, raw / drained);
    const bool right = report.messages == wanted.rows * wanted.messages &&
                       target->execute_once("SELECT count(*) FROM bench_member_copy", {}).integer(0, 0) == wanted.rows;
    return right ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
    figures wanted;
    CLI::App program("Measures how fast an outbox is drained into another database.", "bench_outbox_drain");
    const CLI::Range some(1, 1'000'000'000);
    program.add_option("--rows", wanted.rows, "objects that are copied; 200 000 by default")->check(some);
    program.add_option("--shards", wanted.shards, "shards that they lie in; 1 000 by default")->check(some);
    program.add_option("--messages", wanted.messages, "messages for each object; 1 by default")->check(some);
    program.add_option("--turn-shards", wanted.turn_shards, "shards of one transaction; 10 by default")->check(some);
    program.add_option("--workers", wanted.workers, "connections that drain at once; 1 by default")
        ->check(CLI::Range(1, 64));
    if (const std::optional<int> code = bench::read_arguments(program, count, words)) return *code;
    if (wanted.shards > wanted.rows) {
        std::fprintf(stderr, "bench_outbox_drain: there cannot be more shards than rows\n");
        return 2;
    }
    const std::string tag = "winnow_bench_" + std::to_string(::getpid());
    try {
        if (const char* server = std::getenv("WINNOW_TEST_POSTGRES")) {
            const winnow::connection_ptr session = winnow::open_connector(server, drivers)->open();
            const std::string joint = std::string(server).find('?') == std::string::npos ? "?dbname=" : "&dbname=";
            for (const char* name : {"_a", "_b"}) session->execute_script("CREATE DATABASE " + tag + name);
            const int code = run(server + joint + tag + "_a", server + joint + tag + "_b", wanted);
            for (const char* name : {"_a", "_b"})
                session->execute_script("DROP DATABASE " + tag + name + " WITH (FORCE)");
            return code;
        }
        const std::filesystem::path folder = std::filesystem::temp_directory_path() / tag;
        std::filesystem::create_directory(folder);
        const int code = run("sqlite:" + (folder / "a.db").string() + "?mode=rwc",
                             "sqlite:" + (folder / "b.db").string() + "?mode=rwc", wanted);
        std::filesystem::remove_all(folder);
        return code;
    } catch (const winnow::error& problem) {
        std::fprintf(stderr, "bench_outbox_drain: %s %s\n", problem.what(), problem.hint().c_str());
        return 1;
    }
}
