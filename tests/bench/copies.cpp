// SPDX-License-Identifier: Apache-2.0
// Ways to write messages for rows that were there before, and to bring what messages speak of to another database.
#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <winnow/backfill/run.hpp>
#include <winnow/context/context.hpp>
#include <winnow/derive/plans_of.hpp>
#include <winnow/outbox/drain.hpp>
#include <winnow/store/open.hpp>
#include <winnow/store/postgres.hpp>
#include <winnow/store/sqlite.hpp>
#include <winnow/winnow.hpp>

#include "variants.hpp"

namespace bench {

enum class Scope { organization = 0 };
enum class Category { member_update = 0 };
struct Member {
    std::int64_t id;
    std::int64_t organization_id;
    std::optional<std::int64_t> user_id;
    std::optional<std::string> email;
    std::string role;
    std::int64_t flags;
};
struct MemberCopy {
    std::int64_t member_id;
    std::int64_t organization_id;
    std::optional<std::int64_t> user_id;
    std::optional<std::string> email;
    std::string role;
    std::int64_t flags;
};
WINNOW_DESCRIBE(Member, id, organization_id, user_id, email, role, flags)
WINNOW_DESCRIBE(MemberCopy, member_id, organization_id, user_id, email, role, flags)

}  // namespace bench

template <> struct winnow::categories<bench::Category> {
    static constexpr auto scopes = winnow::scopes(scope<bench::Scope::organization, bench::Category::member_update>);
};
template <> struct winnow::model<bench::Member> {
    static constexpr text key = "bench.Member";
    static constexpr text table = "member";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto replication = replicates<bench::Category::member_update>(
        shard<&bench::Member::organization_id>,
        mirror<bench::MemberCopy>(map<&bench::Member::id, &bench::MemberCopy::member_id>,
                                  map<&bench::Member::organization_id, &bench::MemberCopy::organization_id>,
                                  map<&bench::Member::user_id, &bench::MemberCopy::user_id>,
                                  map<&bench::Member::email, &bench::MemberCopy::email>,
                                  map<&bench::Member::role, &bench::MemberCopy::role>,
                                  map<&bench::Member::flags, &bench::MemberCopy::flags>));
};
template <> struct winnow::model<bench::MemberCopy> {
    static constexpr text key = "bench.MemberCopy";
    static constexpr text table = "member_copy";
    static constexpr auto silo = winnow::silo::control;
    static constexpr auto primary_key = winnow::primary_key<&bench::MemberCopy::member_id>;
};

namespace bench {

using Copies = winnow::registry<Member, MemberCopy>;

namespace {

constexpr std::string_view columns = "organization_id, user_id, email, role, flags";

const winnow::catalog& models() {
    static const winnow::catalog all{std::span<const winnow::plan>(winnow::plans_of<Copies>)};
    return all;
}
bool is_postgres(const place& at) { return at.database.kind() == winnow::dialect::postgres; }
std::string mark(const place& at, int number) { return (is_postgres(at) ? "$" : "?") + std::to_string(number); }

/// The control silo's database, through one metered session.
class control_only final : public winnow::silo_directory {
public:
    explicit control_only(winnow::connection& session) : session_(session) {}
    [[nodiscard]] std::span<const std::string> cells() const noexcept override { return {}; }
    [[nodiscard]] winnow::connection& control() override { return session_; }
    [[nodiscard]] winnow::connection& cell(std::string_view) override { return session_; }

private:
    winnow::connection& session_;
};

std::string messages_of_members(std::string_view more) {
    return "INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier, cell_name) "
           "SELECT 0, organization_id, 0, id, '' FROM member " +
           std::string(more);
}

done_work insert_by_id(const place& at) {
    return {at.database.execute(messages_of_members("ORDER BY id"), {}).affected(), false};
}
done_work insert_by_shard(const place& at) {
    return {at.database.execute(messages_of_members("ORDER BY organization_id, id"), {}).affected(), false};
}
/// As much at a time as lets others write in between.
done_work insert_sets(const place& at) {
    const std::string write = messages_of_members("WHERE id > " + mark(at, 1) + " AND id <= " + mark(at, 1) +
                                                  " + 10000 ORDER BY organization_id, id");
    const std::int64_t last = at.database.execute("SELECT max(id) FROM member", {}).integer(0, 0);
    std::int64_t rows = 0;
    for (std::int64_t after = 0; after < last; after += 10'000) {
        winnow::transaction scope(at.database);
        rows += at.database.execute(write, {after}).affected();
        scope.commit();
    }
    return {rows, false};
}
done_work copy_messages(const place& at) {
    const std::string file = at.scratch + "/messages";
    at.database.execute_script("COPY (SELECT 0, organization_id, 0, id, '' FROM member ORDER BY id) TO '" + file + "'");
    at.database.execute_script("COPY winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier, "
                               "cell_name) FROM '" +
                               file + "'");
    return {at.database.execute_once("SELECT count(*) FROM winnow_cell_outbox", {}).integer(0, 0), false};
}
done_work messages_row_by_row(const place& at) {
    const std::string read =
        "SELECT id, organization_id FROM member WHERE id > " + mark(at, 1) + " ORDER BY id LIMIT 100";
    const std::string write =
        "INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier) VALUES (0, " +
        mark(at, 1) + ", 0, " + mark(at, 2) + ")";
    std::int64_t rows = 0;
    for (std::int64_t after = 0;;) {
        const winnow::rows found = at.database.execute(read, {after});
        if (found.empty()) return {rows, false};
        for (std::size_t row = 0; row < found.size(); ++row) {
            after = found.integer(row, 0);
            winnow::transaction scope(at.database);
            rows += at.database.execute(write, {found.integer(row, 1), after}).affected();
            scope.commit();
            if (at.rows_by_row != 0 && rows >= at.rows_by_row) return {rows, true};
        }
    }
}
done_work backfill_by_winnow(const place& at) {
    winnow::steady_clock time;
    winnow::observer watch;
    control_only silos(at.database);
    winnow::context with{models(), at.database, time, watch};
    with.silos = &silos;
    winnow::backfill_request asked;
    asked.max_batch_rate = 1'000'000'000;
    asked.force_synchronous = true;
    const winnow::backfill_report report = winnow::backfill_outboxes_for(with, asked);
    if (!report.any(winnow::backfill_ending::complete))
        throw std::runtime_error("winnow: " + report.why + (report.tables.empty() ? "" : "; " + report.tables[0].why));
    return {report.messages, false};
}

/// Nothing but large statements: all rows out, all rows in, all messages gone.
done_work copy_rows(const place& at) {
    const std::string file = at.scratch + "/rows";
    at.database.execute_script("COPY (SELECT m.id, m.organization_id, m.user_id, m.email, m.role, m.flags FROM "
                               "winnow_cell_outbox o JOIN member m ON m.id = o.object_identifier) TO '" +
                               file + "'");
    at.target->execute_script("COPY member_copy (member_id, " + std::string(columns) + ") FROM '" + file + "'");
    return {at.database.execute("DELETE FROM winnow_cell_outbox", {}).affected(), false};
}
/// The same where there is no COPY: sets of rows through the client.
class set_mover {
public:
    explicit set_mover(const place& at)
        : at_(at),
          read_("SELECT m.id, m.organization_id, m.user_id, m.email, m.role, m.flags FROM winnow_cell_outbox o "
                "JOIN member m ON m.id = o.object_identifier WHERE o.id > " +
                mark(at, 1) + " AND o.id <= " + mark(at, 1) + " + 10000 ORDER BY m.id"),
          last_(at.database.execute("SELECT max(id) FROM winnow_cell_outbox", {}).integer(0, 0)) {}

    [[nodiscard]] bool done() const { return after_ >= last_; }
    /// @return the id before the first of the messages whose rows were copied
    std::int64_t next() {
        const winnow::key_set rows = at_.database.execute(read_, {after_}).take_keys();
        if (!rows.empty())
            (void)at_.target->execute(models()[models().at("bench.Member")].replication->mirror.upsert, {rows});
        after_ += 10'000;
        return after_ - 10'000;
    }

private:
    const place& at_;
    std::string read_;
    std::int64_t last_;
    std::int64_t after_ = 0;
};
/// One transaction in either file.
done_work move_all(const place& at) {
    winnow::transaction scope(*at.target);
    for (set_mover mover(at); !mover.done();) (void)mover.next();
    scope.commit();
    return {at.database.execute("DELETE FROM winnow_cell_outbox", {}).affected(), false};
}
/// As much at a time as lets others write in between.
done_work move_sets(const place& at) {
    const std::string remove =
        "DELETE FROM winnow_cell_outbox WHERE id > " + mark(at, 1) + " AND id <= " + mark(at, 1) + " + 10000";
    std::int64_t rows = 0;
    for (set_mover mover(at); !mover.done();) {
        winnow::transaction there(*at.target);
        const std::int64_t after = mover.next();
        there.commit();
        winnow::transaction here(at.database);
        rows += at.database.execute(remove, {after}).affected();
        here.commit();
    }
    return {rows, false};
}
/// As handlers of single messages over an object mapper do it: lock the shard's first message, look for the newest one
/// about the same object, read the row, look whether there is a copy, write it, delete the messages up to the newest.
done_work message_by_message(const place& at) {
    const bool postgres = is_postgres(at);
    const std::string lock = postgres ? " FOR UPDATE" : "";
    const std::string first = "SELECT id, shard_identifier, object_identifier FROM winnow_cell_outbox WHERE id > " +
                              mark(at, 1) + " ORDER BY id LIMIT 1" + (postgres ? " FOR UPDATE SKIP LOCKED" : "");
    const std::string of_object = "shard_scope = 0 AND shard_identifier = " + mark(at, 1) +
                                  " AND category = 0 AND object_identifier = " + mark(at, 2);
    const std::string newest = "SELECT id FROM winnow_cell_outbox WHERE " + of_object + " ORDER BY id DESC LIMIT 1";
    const std::string row = "SELECT id, " + std::string(columns) + " FROM member WHERE id = " + mark(at, 1);
    const std::string copy = "SELECT member_id FROM member_copy WHERE member_id = " + mark(at, 1) + lock;
    std::string insert = "INSERT INTO member_copy (member_id, " + std::string(columns) + ") VALUES (";
    for (int i = 1; i <= 6; ++i) insert += (i == 1 ? "" : ", ") + mark(at, i);
    insert += ")";
    const std::string remove = "DELETE FROM winnow_cell_outbox WHERE " + of_object + " AND id <= " + mark(at, 3);
    std::int64_t rows = 0;
    for (std::int64_t after = 0;;) {
        winnow::transaction scope(at.database);
        const winnow::rows message = at.database.execute(first, {after});
        if (message.empty()) return {rows, false};
        after = message.integer(0, 0);
        const std::int64_t shard = message.integer(0, 1);
        const std::int64_t object = message.integer(0, 2);
        const std::int64_t last = at.database.execute(newest, {shard, object}).integer(0, 0);
        const winnow::rows member = at.database.execute(row, {object});
        std::vector<winnow::parameter> values;
        for (std::size_t i = 0; i < 6; ++i) values.emplace_back(member.at(0, i));
        winnow::transaction there(*at.target);
        if (!at.target->execute(copy, {object}).empty()) throw std::runtime_error("a copy was there before");
        (void)at.target->execute(insert, std::span<const winnow::parameter>(values));
        there.commit();
        rows += at.database.execute(remove, {shard, object, last}).affected();
        scope.commit();
        if (at.rows_by_row != 0 && rows >= at.rows_by_row) return {rows, true};
    }
}

winnow::drain_report drained(winnow::connection& source, winnow::connection& target,
                             const std::function<winnow::drain_report(const winnow::context&)>& work) {
    winnow::steady_clock time;
    winnow::observer watch;
    control_only silos(target);
    winnow::context with{models(), source, time, watch};
    with.silos = &silos;
    return work(with);
}
done_work drain_by_winnow(const place& at) {
    const winnow::drain_report report = drained(
        at.database, *at.target, [](const winnow::context& with) { return winnow::drain(with, winnow::silo::cell); });
    return {report.messages, false};
}
done_work drain_one_shard_a_turn(const place& at) {
    at.database.execute_script(
        "INSERT INTO winnow_option (name, value, updated_by) VALUES ('outbox.turn_shards', '1', 'bench')");
    return drain_by_winnow(at);
}
/// Two workers, each with connections of its own, and half of the messages each.
done_work drain_by_two(const place& at) {
    constexpr std::array drivers{winnow::sqlite_driver, winnow::postgres_driver};
    const winnow::rows bounds = at.database.execute("SELECT min(id), max(id) FROM winnow_cell_outbox", {});
    const std::int64_t first = bounds.integer(0, 0);
    const std::int64_t last = bounds.integer(0, 1);
    const std::int64_t middle = (first + last) / 2;
    std::array<winnow::drain_report, 2> reports;
    std::array<meter, 2> counted;
    std::array<std::string, 2> faults;
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < 2; ++i)
        workers.emplace_back([&, i] {
            try {
                const winnow::connection_ptr source = winnow::open_connector(at.url, drivers)->open();
                const winnow::connection_ptr target = winnow::open_connector(at.target_url, drivers)->open();
                metered_connection from(*source, counted[i]);
                metered_connection to(*target, counted[i]);
                reports[i] = drained(from, to, [&](const winnow::context& with) {
                    return winnow::drain_range(with, winnow::silo::cell, i == 0 ? first : middle + 1,
                                               i == 0 ? middle : last);
                });
            } catch (const std::exception& problem) {
                faults[i] = problem.what();
            }
        });
    for (std::thread& one : workers) one.join();
    done_work done;
    for (std::size_t i = 0; i < 2; ++i) {
        if (!faults[i].empty()) throw std::runtime_error(faults[i]);
        done.rows += reports[i].messages;
        at.counted.statements += counted[i].statements;
        at.counted.transactions += counted[i].transactions;
        at.counted.longest = std::max(at.counted.longest, counted[i].longest);
    }
    return done;
}

/// tests/bench/object_mapper.py does it, in a process of its own. The packages are seen by the interpreter they came with.
done_work by_object_mapper(const place& at, const std::string& work) {
    // Nobody but this program makes these names and addresses: there is nothing in them that a shell would read.
    const std::string command = "/usr/bin/python3 -B '" BENCH_OBJECT_MAPPER "' " + work + " " +
                                std::to_string(at.rows_by_row) + " '" + at.url + "'" +
                                (at.target_url.empty() ? "" : " '" + at.target_url + "'");
    FILE* const output = ::popen(command.c_str(), "r");
    if (output == nullptr) throw std::runtime_error("no process");
    done_work done;
    meter counted;
    const int read = std::fscanf(output, "%" SCNd64 " %lf %" SCNd64 " %" SCNd64 " %lf", &done.rows, &done.seconds,
                                 &counted.statements, &counted.transactions, &counted.longest);
    if (::pclose(output) != 0 || read != 5) throw std::runtime_error("the object mapper failed");
    at.counted = counted;
    done.partly = at.rows_by_row != 0 && done.rows == at.rows_by_row;
    return done;
}
done_work messages_by_object_mapper(const place& at) { return by_object_mapper(at, "backfill"); }
done_work drain_by_object_mapper(const place& at) { return by_object_mapper(at, "drain"); }

constexpr std::array variants{
    variant{"one INSERT, by id", "backfill", true, true, false, false, false, insert_by_id},
    variant{"one INSERT, by shard", "backfill", true, true, false, false, false, insert_by_shard},
    variant{"sets of 10 000", "backfill", false, true, false, false, false, insert_sets},
    variant{"COPY out, COPY in", "backfill", true, false, false, false, false, copy_messages},
    variant{"row by row", "backfill", true, true, false, false, false, messages_row_by_row},
    variant{"object mapper", "backfill", true, false, false, false, true, messages_by_object_mapper},
    variant{"winnow", "backfill", true, true, false, false, false, backfill_by_winnow},
    variant{"raw COPY and DELETE", "drain", true, false, false, false, false, copy_rows},
    variant{"raw sets and DELETE", "drain", false, true, false, false, false, move_all},
    variant{"sets of 10 000", "drain", false, true, false, false, false, move_sets},
    variant{"message by message", "drain", true, true, false, false, false, message_by_message},
    variant{"object mapper", "drain", true, false, false, false, true, drain_by_object_mapper},
    variant{"winnow", "drain", true, true, false, false, false, drain_by_winnow},
    variant{"winnow, one shard a turn", "drain", true, true, false, false, false, drain_one_shard_a_turn},
    variant{"winnow, two workers", "drain", true, false, false, false, false, drain_by_two},
};

}  // namespace

std::span<const variant> copy_variants() noexcept { return variants; }

bool has_object_mapper() { return std::system("/usr/bin/python3 -c 'import django, psycopg2' 2>/dev/null") == 0; }

}  // namespace bench
