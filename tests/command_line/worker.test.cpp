// SPDX-License-Identifier: Apache-2.0
// `worker` as a process: what it refuses at its start, how it ends, and what another one makes of a dead one.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "command_line/library_program.hpp"
#include "laws/child_process.hpp"

namespace {

using namespace winnow_test;

template <class Condition> [[nodiscard]] bool comes_true(const Condition& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < end) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
}

/// The library program, running beside the test.
class library_process {
public:
    explicit library_process(std::vector<std::string> arguments)
        : process_([&] {
              const int log = ::open((folder_ / "log").c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
              ::dup2(log, 1);
              ::dup2(log, 2);
              const std::string path = library_path();
              std::vector<char*> words{const_cast<char*>(path.c_str())};
              for (std::string& one : arguments) words.push_back(one.data());
              words.push_back(nullptr);
              ::execv(path.c_str(), words.data());
              ::_exit(127);
          }) {}
    void signal(int which) const { process_.signal(which); }
    [[nodiscard]] child_process::ending wait() { return process_.wait(); }
    [[nodiscard]] std::string log() const { return text_of_file(folder_ / "log"); }
    [[nodiscard]] bool says(std::string_view text) const { return log().find(text) != std::string::npos; }

private:
    scratch_folder folder_;
    child_process process_;
};

class worker_command : public library_program {
protected:
    void SetUp() override {
        library_program::SetUp();
        migrate();
    }
    /// So many books of branch 2, which go ten at a time.
    void add_books(int amount) const {
        const std::string numbers = GetParam() == dialect::postgres
                                        ? "generate_series(1, " + std::to_string(amount) + ") AS n(i)"
                                        : "(WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < " +
                                              std::to_string(amount) + ") SELECT i FROM s) AS n";
        database().run("INSERT INTO library_book (isbn, shelf_id) SELECT 'many-' || i, 3 FROM " + numbers);
    }
    void schedule_branch(const std::string& id) const {
        const program_result result = run({"schedule", "library.Branch", id, "--in", "0d", "--yes"});
        if (result.code != 0) throw std::runtime_error(result.all());
    }
    [[nodiscard]] std::vector<std::string> line(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"--database", url(), "--actor", "tester"});
        return arguments;
    }
    [[nodiscard]] std::int64_t put_down() const {
        return count("winnow_cell_scheduled_deletion",
                     "NOT in_progress AND lease_owner IS NULL AND state = 'scheduled' AND attempts = 0");
    }
    [[nodiscard]] std::int64_t left() const { return count("winnow_cell_scheduled_deletion"); }
};
INSTANTIATE_TEST_SUITE_P(databases, worker_command, all_databases(), name_of_database);

TEST_P(worker_command, one_round_does_what_is_due) {
    schedule_branch("1");
    const program_result result = run({"worker", "--once"});
    EXPECT_EQ(result.code, 0) << result.all();
    EXPECT_EQ(left(), 0);
    EXPECT_EQ(count("library_branch"), 1);
    EXPECT_TRUE(result.complains("transaction_id=")) << result.all();
    EXPECT_EQ(count("winnow_job", "last_success IS NOT NULL"), 12);
}

TEST_P(worker_command, told_to_end_gives_its_lease_back_and_the_next_one_goes_on) {
    add_books(20'000);
    schedule_branch("2");
    library_process worker(line({"worker"}));
    ASSERT_TRUE(comes_true([&] { return count("library_book") < 20'000; })) << worker.log();
    worker.signal(SIGTERM);
    const child_process::ending end = worker.wait();
    EXPECT_EQ(end.code, 0) << worker.log();
    EXPECT_TRUE(worker.says("worker stopped")) << worker.log();
    ASSERT_EQ(left(), 1);
    EXPECT_EQ(put_down(), 1);
    EXPECT_EQ(count("winnow_leader"), 0);
    database().run("DELETE FROM library_book WHERE isbn LIKE 'many-%'");
    library_process next(line({"worker"}));
    EXPECT_TRUE(comes_true([&] { return left() == 0; })) << next.log();
    next.signal(SIGINT);
    EXPECT_EQ(next.wait().code, 0) << next.log();
}

TEST_P(worker_command, a_run_by_hand_is_put_down_in_the_same_way) {
    add_books(20'000);
    schedule_branch("2");
    library_process by_hand(line({"deletions", "run"}));
    ASSERT_TRUE(comes_true([&] { return count("library_book") < 20'000; })) << by_hand.log();
    by_hand.signal(SIGTERM);
    EXPECT_EQ(by_hand.wait().code, 128 + SIGTERM) << by_hand.log();
    EXPECT_EQ(put_down(), 1);
}

TEST_P(worker_command, another_one_leads_when_the_leader_is_killed) {
    set_option("worker.leader_seconds", "2");
    set_option("deletion.lease_seconds", "3");
    library_process first(line({"worker"}));
    ASSERT_TRUE(comes_true([&] { return first.says("this process schedules now"); })) << first.log();
    library_process second(line({"worker"}));
    ASSERT_TRUE(comes_true([&] { return second.says("worker started"); })) << second.log();
    add_books(20'000);
    schedule_branch("2");
    ASSERT_TRUE(comes_true([&] { return count("library_book") < 20'000; })) << first.log() << second.log();
    first.signal(SIGKILL);
    EXPECT_TRUE(first.wait().killed);
    EXPECT_TRUE(comes_true([&] { return second.says("this process schedules now"); })) << second.log();
    database().run("DELETE FROM library_book WHERE isbn LIKE 'many-%'");
    EXPECT_TRUE(comes_true([&] { return left() == 0; })) << second.log();
    second.signal(SIGTERM);
    EXPECT_EQ(second.wait().code, 0) << second.log();
    EXPECT_EQ(count("winnow_audit", "action = 'completed'"), 1);
}

TEST_P(worker_command, a_statement_that_does_not_end_is_ended) {
    if (GetParam() == dialect::sqlite) {
        // A trigger that counts for hours.
        database().run(
            "CREATE TRIGGER slow BEFORE DELETE ON library_shelf BEGIN SELECT count(*) FROM (WITH RECURSIVE s(i) "
            "AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 1000000000000) SELECT i FROM s); END");
    } else {
        database().run(
            "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1000); RETURN "
            "OLD; END $$; CREATE TRIGGER slow BEFORE DELETE ON library_shelf FOR EACH ROW EXECUTE FUNCTION slow()");
    }
    schedule_branch("1");
    library_process worker(line({"worker"}));
    ASSERT_TRUE(comes_true([&] { return count("library_loan") == 0; })) << worker.log();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    worker.signal(SIGTERM);
    // A machine that is too busy for it within two seconds ends the process as promised; the lease runs out then.
    const int code = worker.wait().code;
    EXPECT_TRUE(code == 0 || code == 128 + SIGTERM) << code << "\n" << worker.log();
    EXPECT_EQ(left(), 1) << worker.log();
    if (code == 0) {
        EXPECT_EQ(put_down(), 1) << worker.log();
    }
}

TEST_P(worker_command, needs_winnows_tables) {
    database().run("DROP TABLE winnow_schema");
    const program_result result = run({"worker"});
    EXPECT_EQ(result.code, 1);
    EXPECT_TRUE(result.complains("migrate")) << result.all();
}

/// What is wrong with a configuration is one clear line, and exit code 2.
class worker_configuration : public testing::Test {
protected:
    [[nodiscard]] program_result start(const std::string& config, std::vector<std::string> more = {},
                                       const std::string& variables = {}) const {
        std::ofstream(folder_ / "winnow.json") << config;
        std::vector<std::string> words{"--config", (folder_ / "winnow.json").string(), "worker"};
        words.insert(words.end(), more.begin(), more.end());
        return run_library(words, variables);
    }
    void refuses(const program_result& result, std::string_view text) const {
        EXPECT_EQ(result.code, 2) << result.all();
        EXPECT_TRUE(result.complains(text)) << result.all();
        EXPECT_EQ(result.out, "");
        EXPECT_LE(std::count(result.err.begin(), result.err.end(), '\n'), 2)
            << "what, and what to do: " << result.all();
    }
    scratch_folder folder_;
    const std::string silos_ = R"("control": "sqlite:c.db", "cells": {"us": "sqlite:u.db", "de": "sqlite:d.db"})";
};

TEST_F(worker_configuration, unknown_keys) {
    refuses(start(R"({"databse": "sqlite:x"})"), "unknown key \"databse\"");
    refuses(start(R"({"worker": {"treads": 2}})"), "unknown key \"treads\"");
}
TEST_F(worker_configuration, wrong_types) {
    refuses(start(R"({"database": 7})"), "\"database\" has to be text");
    refuses(start(R"({"worker": 4})"), "\"worker\" has to be an object");
    refuses(start(R"({"worker": {"threads": "four"}})"), "\"worker.threads\" has to be a whole number");
    refuses(start(R"({"worker": {"threads": -1}})"), "\"worker.threads\" has to be a whole number");
    refuses(start(R"({"worker": {"broker": true}})"), "\"worker.broker\" has to be text");
    refuses(start(R"(["database"])"), "is no JSON object");
}
TEST_F(worker_configuration, numbers_and_names_that_make_no_sense) {
    refuses(start(R"({"worker": {"threads": 0}})"), "1 to 256 threads, not `0`");
    refuses(start("{}", {"--threads", "many"}), "1 to 256 threads, not `many`");
    refuses(start("{}", {}, "WINNOW_WORKER_THREADS=1000"), "1 to 256 threads, not `1000`");
    refuses(start(R"({"worker": {"broker": "pigeon"}})"), "no broker `pigeon`");
    refuses(start("{}", {"--broker", "pigeon"}), "pigeon");
    refuses(start(R"({"database": "sqlite:x", "worker": {"broker": "redis"}})"), "no Redis server is named");
    refuses(start(R"({"database": "sqlite:x", "silo_mode": "moon"})"), "no silo mode `moon`");
}
TEST_F(worker_configuration, cells) {
    refuses(start("{" + silos_ + R"(, "silo_mode": "cell"})"), "no cell is named");
    refuses(start(R"({"database": "sqlite:x", "silo_mode": "cell"})"), "no cell is named");
    refuses(start("{" + silos_ + R"(, "silo_mode": "cell", "cell_name": "fr"})"), "no cell `fr`");
    refuses(start(R"({"cells": {"us": "sqlite:u.db"}})"), "names cells and no control silo");
    refuses(start(R"({"control": "sqlite:c.db"})"), "a control silo and no cells");
    refuses(start(R"({"control": "sqlite:c.db", "cells": {}})"), "cell names and database URLs");
}
TEST_F(worker_configuration, silos_in_one_database_without_one_process_for_all) {
    const std::string twice = R"({"control": "sqlite:c.db", "cells": {"us": "sqlite:c.db"}, "silo_mode": )";
    refuses(start(twice + R"("control"})"), "the control silo and cell us are in the same database");
    const std::string cells = R"({"control": "sqlite:c.db", "cells": {"us": "sqlite:u.db", "de": "sqlite:u.db"}, )";
    refuses(start(cells + R"("silo_mode": "cell", "cell_name": "us"})"),
            "are in the same database, and the silo mode is cell");
}
TEST_F(worker_configuration, cells_in_one_database_whoever_serves_them) {
    refuses(start(R"({"control": "sqlite:c.db", "cells": {"us": "sqlite:u.db", "de": "sqlite:u.db"}})"),
            "cell us and cell de are in the same database.");
    const std::string both = R"({"control": "sqlite:/none/c.db", "cells": {"us": "sqlite:/none/c.db"}})";
    EXPECT_FALSE(start(both).complains("are in the same database")) << "one process for the control silo and its cell";
}
TEST_F(worker_configuration, one_database_and_those_of_silos) {
    refuses(start("{" + silos_ + R"(, "database": "sqlite:x"})"),
            "one database for all silos and databases of their own");
}
TEST_F(worker_configuration, no_url_of_redis) {
    refuses(start(R"({"database": "sqlite:x", "redis": "http://x"})"), "\"http:\" is no scheme of Redis");
    refuses(start(R"({"database": "sqlite:x", "redis": "redis://h:port"})"), "the port is no number");
    const program_result secret = start(R"({"database": "sqlite:x", "redis": "redis://u:secret@h:99999"})");
    refuses(secret, "the port is no number");
    EXPECT_FALSE(secret.complains("secret")) << secret.all();
}
TEST_F(worker_configuration, texts_that_are_none_of_a_few) {
    refuses(start(R"({"database": "sqlite:x", "log_format": "xml"})"), "no log format `xml`");
    refuses(start(R"({"database": "sqlite:x"})", {}, "WINNOW_WORKER_BROKER=pigeon"), "no broker `pigeon`");
    refuses(start(R"({"database": "sqlite:x"})", {}, "WINNOW_SILO_MODE=moon"), "no silo mode `moon`");
}
TEST_F(worker_configuration, no_database) {
    const program_result result = start("{}");
    EXPECT_EQ(result.code, 1);
    EXPECT_TRUE(result.complains("No database is named")) << result.all();
    EXPECT_EQ(start(R"({"database": "mysql://x"})").code, 1);
}

}  // namespace
