// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

#include <gtest/gtest.h>

#include "integration/backfill/domain.hpp"
#include "integration/deletion/watched_connection.hpp"
#include "laws/child_process.hpp"

/// Law 6: a table's cursor never goes backwards within a version; a version is complete only when every row that existed
/// at its start has had a message. Triggers keep, in the transactions themselves, what happened and what was missing.
namespace winnow_test {

inline constexpr winnow::dialect_text law_tables = {
    R"sql(
CREATE TABLE law_log (entry bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, version integer, lower_bound bigint, state text,
    newest bigint);
CREATE TABLE law_row (entry bigint, id bigint);
CREATE TABLE law_missing (entry bigint, id bigint);
CREATE FUNCTION law() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE now_at bigint; begun bigint;
BEGIN
    IF NEW.table_name <> 't_organization' THEN RETURN NULL; END IF;
    IF TG_OP = 'UPDATE' AND (OLD.version, OLD.lower_bound, OLD.state) = (NEW.version, NEW.lower_bound, NEW.state) THEN
        RETURN NULL;
    END IF;
    INSERT INTO law_log (version, lower_bound, state, newest)
        SELECT NEW.version, NEW.lower_bound, NEW.state, coalesce(max(id), 0) FROM winnow_cell_outbox
        RETURNING entry INTO now_at;
    IF NEW.state = 'announced' THEN
        INSERT INTO law_row SELECT now_at, id FROM t_organization;
    ELSIF NEW.state = 'complete' THEN
        SELECT max(entry) INTO begun FROM law_log WHERE state = 'announced';
        INSERT INTO law_missing SELECT now_at, r.id FROM law_row r JOIN t_organization t ON t.id = r.id, law_log l
            WHERE r.entry = begun AND l.entry = begun AND NOT EXISTS (SELECT 1 FROM winnow_cell_outbox o
                WHERE o.category = 0 AND o.object_identifier = r.id AND o.id > l.newest);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER law AFTER INSERT OR UPDATE ON winnow_cell_backfill FOR EACH ROW EXECUTE FUNCTION law();
)sql",
    R"sql(
CREATE TABLE law_log (entry INTEGER PRIMARY KEY AUTOINCREMENT, version INTEGER, lower_bound INTEGER, state TEXT,
    newest INTEGER);
CREATE TABLE law_row (entry INTEGER, id INTEGER);
CREATE TABLE law_missing (entry INTEGER, id INTEGER);
CREATE TRIGGER law_insert AFTER INSERT ON winnow_cell_backfill WHEN NEW.table_name = 't_organization' BEGIN
    INSERT INTO law_log (version, lower_bound, state, newest)
        SELECT NEW.version, NEW.lower_bound, NEW.state, coalesce(max(id), 0) FROM winnow_cell_outbox;
    INSERT INTO law_row SELECT (SELECT max(entry) FROM law_log), id FROM t_organization;
END;
CREATE TRIGGER law_update AFTER UPDATE ON winnow_cell_backfill WHEN NEW.table_name = 't_organization' AND
    (OLD.version, OLD.lower_bound, OLD.state) <> (NEW.version, NEW.lower_bound, NEW.state) BEGIN
    INSERT INTO law_log (version, lower_bound, state, newest)
        SELECT NEW.version, NEW.lower_bound, NEW.state, coalesce(max(id), 0) FROM winnow_cell_outbox;
    INSERT INTO law_row SELECT (SELECT max(entry) FROM law_log), id FROM t_organization WHERE NEW.state = 'announced';
    INSERT INTO law_missing SELECT 0, r.id FROM law_row r JOIN t_organization t ON t.id = r.id JOIN law_log l ON
        l.entry = r.entry WHERE NEW.state = 'complete' AND r.entry = (SELECT max(entry) FROM law_log WHERE state =
        'announced') AND NOT EXISTS (SELECT 1 FROM winnow_cell_outbox o WHERE o.category = 0 AND o.object_identifier =
        r.id AND o.id > l.newest);
END;
)sql"};

/// A pipe that processes wait at until it is opened.
class starting_line {
public:
    starting_line() {
        if (::pipe(ends_) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    }
    starting_line(const starting_line&) = delete;
    starting_line& operator=(const starting_line&) = delete;
    ~starting_line() {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    void wait() const {
        char go = 0;
        while (::read(ends_[0], &go, 1) < 0 && errno == EINTR) {}
    }
    void open(int processes) const {
        for (int each = 0; each < processes; ++each)
            if (::write(ends_[1], "g", 1) != 1) throw std::system_error(errno, std::generic_category(), "write");
    }

private:
    int ends_[2] = {-1, -1};
};

/// Many short histories of one table, each with two backfillers in processes of their own, one or both of which end by
/// SIGKILL at some statement, while rows are born, changed and erased, and the gate moves.
class backfill_law {
public:
    /// Opens the store of cursors, once in each process; and what makes it forget them.
    struct cursors {
        std::function<std::unique_ptr<winnow::cursor_store>()> open = [] { return nullptr; };
        std::function<void()> lose = [] {};
    };
    explicit backfill_law(fresh_database& where) : backfill_law(where, cursors()) {}
    backfill_law(fresh_database& where, cursors store)
        : where_(where), models_({{"t.Organization", 3}}), cursors_(std::move(store)) {
        const winnow::connection_ptr session = where.open();
        make_replicated_tables(*session);
        session->execute_script(law_tables[where.kind()]);
    }

    void history(std::uint64_t seed) {
        std::mt19937_64 random(seed);
        const auto below = [&](std::uint64_t bound) { return static_cast<std::int64_t>(random() % bound); };
        begin_again(random);
        const starting_line line;
        child_process first([&] { backfill(line, seed * 2); });
        child_process second([&] { backfill(line, seed * 2 + 1); });
        const winnow::connection_ptr writer = where_.open();
        // Old code, which writes no message: open when the first version is announced, committed while it runs.
        winnow::connection_ptr old_code;
        if (where_.kind() == dialect::postgres && below(2) == 0) {
            old_code = where_.open();
            old_code->begin(winnow::transaction_kind::write, {});
            (void)old_code->execute_once("INSERT INTO t_organization VALUES (5000, 'no message')", {});
        }
        line.open(2);
        const std::int64_t changes = 4 + below(8);
        for (std::int64_t change = 0; change < changes; ++change) {
            if (below(3) == 0) write_option(*writer, 1 + below(3));
            else change_row(*writer, 1 + below(400), below(3));
            if (below(4) == 0) cursors_.lose();
            ::usleep(static_cast<useconds_t>(below(3'000)));
            if (old_code != nullptr && change == changes / 2) old_code->commit();
        }
        for (child_process* each : {&first, &second}) {
            const child_process::ending end = each->wait();
            EXPECT_TRUE(end.killed || end.code == 0) << "seed " << seed << ": an error reached the caller";
        }
        finish(*writer, seed);
    }

private:
    void begin_again(std::mt19937_64& random) {
        const winnow::connection_ptr session = where_.open();
        for (const char* table : {"law_log", "law_row", "law_missing", "winnow_cell_backfill", "winnow_cell_outbox",
                                  "t_organization", "winnow_option"})
            session->execute_script("DELETE FROM " + std::string(table));
        std::string rows;
        for (std::int64_t id = 1; id < 200; ++id)
            if (random() % 6 == 0) rows += (rows.empty() ? "(" : ", (") + std::to_string(id) + ", 'n')";
        if (!rows.empty()) session->execute_script("INSERT INTO t_organization VALUES " + rows);
        write_option(*session, static_cast<std::int64_t>(1 + random() % 3));
    }
    static void write_option(winnow::connection& session, std::int64_t version) {
        (void)session.execute_once("INSERT INTO winnow_option (name, value, updated_by) VALUES ('" +
                                       std::string(organization_version) + "', '" + std::to_string(version) +
                                       "', 'x') ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                                   {});
    }
    /// As every writer does that knows of replication: the change and its message in one transaction.
    static void change_row(winnow::connection& session, std::int64_t id, std::int64_t how) {
        const std::string key = std::to_string(id);
        session.begin(winnow::transaction_kind::write, {});
        if (how == 0) (void)session.execute_once("DELETE FROM t_organization WHERE id = " + key, {});
        else
            (void)session.execute_once("INSERT INTO t_organization VALUES (" + key +
                                           ", 'born') ON CONFLICT (id) DO UPDATE SET name = 'changed'",
                                       {});
        (void)session.execute_once(
            "INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier, "
            "payload) VALUES (0, " +
                key + ", 0, " + key + ", '{}')",
            {});
        session.commit();
    }
    void backfill(const starting_line& line, std::uint64_t seed) const {
        line.wait();
        std::mt19937_64 random(seed);
        auto session = std::make_unique<watched_connection>(where_.open());
        // Two in three die, somewhere.
        std::int64_t statements_left = random() % 3 == 0 ? -1 : static_cast<std::int64_t>(random() % 120);
        session->before = [&](std::string_view) {
            if (statements_left-- == 0) ::raise(SIGKILL);
        };
        session->before_commit = [&] {
            if (statements_left-- == 0) ::raise(SIGKILL);
        };
        const std::unique_ptr<winnow::cursor_store> store = cursors_.open();
        backfiller one(std::move(session), models_.catalog(), store.get());
        for (int run = 0; run < 6; ++run) {
            winnow::backfill_request asked;
            asked.only = "t.Organization";
            asked.max_batch_rate = static_cast<std::int64_t>(1 + random() % 12);
            asked.patience = std::chrono::milliseconds(100);
            (void)one.run(asked);
        }
    }
    void finish(winnow::connection& session, std::uint64_t seed) const {
        SCOPED_TRACE("WINNOW_SEED=" + std::to_string(seed) + " WINNOW_TREES=1");
        write_option(session, 3);
        const std::unique_ptr<winnow::cursor_store> store = cursors_.open();
        backfiller last(where_.open(), models_.catalog(), store.get());
        winnow::backfill_request asked;
        asked.only = "t.Organization";
        for (int run = 0; run < 1'000; ++run) {
            const winnow::backfill_report report = last.run(asked);
            if (!report && !report.any(winnow::backfill_ending::waiting)) break;
        }
        EXPECT_EQ(last.record("t_organization").position(), (winnow::cursor_position{4, 0}));
        EXPECT_EQ(last.number("SELECT count(*) FROM law_missing"), 0) << "rows that a completed version has missed";
        EXPECT_EQ(
            last.number("SELECT count(*) FROM law_log a JOIN law_log b ON b.entry = a.entry + 1 WHERE (b.version, "
                        "b.lower_bound) < (a.version, a.lower_bound)"),
            0)
            << "the cursor went back";
        EXPECT_EQ(
            last.number(
                "SELECT count(*) FROM t_organization t WHERE NOT EXISTS (SELECT 1 FROM winnow_cell_outbox o WHERE "
                "o.object_identifier = t.id)"),
            0)
            << "rows that nobody has told of, those of old code among them";
        // A walk tells of a row once, however often it is interrupted; writers' messages have a payload.
        EXPECT_EQ(
            last.number("SELECT count(*) FROM (SELECT object_identifier FROM winnow_cell_outbox WHERE payload IS NULL "
                        "GROUP BY object_identifier HAVING count(*) > (SELECT count(*) FROM law_log WHERE state = "
                        "'announced')) AS twice"),
            0);
    }

    fresh_database& where_;
    versioned_models models_;
    cursors cursors_;
};

}  // namespace winnow_test
