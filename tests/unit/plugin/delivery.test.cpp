// SPDX-License-Identifier: Apache-2.0
// Handlers of messages behind the plugin contract, over a real database: they write in the target as handlers of a linked
// model do, and the host's errors come back as they were.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "exported.hpp"
#include "winnow/abi/entry.h"
#include "winnow/core/error.hpp"
#include "winnow/plan/delivery.hpp"
#include "winnow/plugin/lift.hpp"
#include "winnow/store/sqlite.hpp"
#include "winnow/store/transaction.hpp"

namespace {

using winnow::connection;
using winnow::delivery;
using winnow::error;
using winnow::failure;
using winnow::key_set;
using winnow::null_value;
using winnow::rows;
using winnow::value;
using namespace std::string_literals;

/// An error that only the host knows, as that of an outbox whose target is away.
class target_away : public error {
public:
    target_away() : error(failure::connection, "the target is away") { with_retry(true); }
};

/// What an outbox does around a handler, over one database.
class test_delivery final : public delivery {
public:
    explicit test_delivery(connection& target) : target_(target) {
        model = "exported.Note";
        category = "note_update";
        object = 5;
        message_id = 77;
        attempt = 3;
        payload = "{\"a\": 1}";
        source = "sqlite:source";
        cell = "west";
    }
    bool away = false;
    int tries = 1;  ///< how often the work is run before its transaction holds, as after a deadlock
    std::string last_error;

protected:
    bool run_in_target(bool once, work_function function, void* work) override {
        if (away) throw target_away();
        for (int i = 1;; ++i) {
            winnow::transaction open(target_);
            if (once &&
                target_.execute("INSERT INTO inbox (id) VALUES ($1) ON CONFLICT DO NOTHING", {message_id}).affected() ==
                    0)
                return false;
            try {
                function(work, target_);
            } catch (const error& problem) {
                last_error = problem.what();
                throw;
            }
            if (i < tries) continue;
            open.commit();
            return true;
        }
    }

private:
    connection& target_;
};

class plugin_delivery : public testing::Test {
protected:
    void SetUp() override {
        std::vector<std::string> wrong;
        plugin_ = winnow::lift(winnow_plugin, "", wrong);
        ASSERT_NE(plugin_, nullptr) << wrong.front();
        database_ = winnow::sqlite_connector({.path = ":memory:"}).open();
        database_->execute_script(
            "CREATE TABLE inbox (id INTEGER PRIMARY KEY); CREATE TABLE copy (id INTEGER PRIMARY KEY, word TEXT UNIQUE)");
    }
    void TearDown() override {
        exported::on_replicate = nullptr;
        exported::on_erased = nullptr;
    }
    [[nodiscard]] const winnow::replication_hooks& hooks() const { return plugin_->part().plans[0].replication->hooks; }
    void replicate() { replicate(hooks()); }
    void replicate(const winnow::replication_hooks& by) {
        const std::vector<value> row{std::int64_t{5}, std::int64_t{-3}, true, 0.5, "word"s, ""s, "{}"s, ""s, ""s,
                                     null_value{}};
        by.replicate(by.state, row, about_);
    }
    [[nodiscard]] std::int64_t copies() { return database_->execute("SELECT count(*) FROM copy").integer(0, 0); }

    std::unique_ptr<winnow::lifted_plugin> plugin_;
    winnow::connection_ptr database_;
    // Made after the database, as it refers to it.
    struct lazy {
        winnow::connection_ptr& database;
        std::unique_ptr<test_delivery> made;
        test_delivery& get() {
            if (made == nullptr) made = std::make_unique<test_delivery>(*database);
            return *made;
        }
        operator test_delivery&() { return get(); }
    } about_{database_, nullptr};
};

TEST_F(plugin_delivery, tells_the_handler_what_is_delivered) {
    int called = 0;
    exported::on_replicate = [&](const exported::note& seen, delivery& about) {
        ++called;
        EXPECT_EQ(seen.word, "word");
        EXPECT_EQ(about.model, "exported.Note");
        EXPECT_EQ(about.category, "note_update");
        EXPECT_EQ(about.object, 5);
        EXPECT_EQ(about.message_id, 77);
        EXPECT_EQ(about.attempt, 3);
        EXPECT_EQ(about.payload, "{\"a\": 1}");
        EXPECT_EQ(about.source, "sqlite:source");
        EXPECT_EQ(about.cell, "west");
    };
    exported::on_erased = [&](std::int64_t object, delivery& about) {
        ++called;
        EXPECT_EQ(object, 6);
        EXPECT_EQ(about.cell, "west");
    };
    replicate();
    hooks().erased(hooks().state, 6, about_.get());
    EXPECT_EQ(called, 2);
}

TEST_F(plugin_delivery, writes_in_the_targets_transaction) {
    exported::on_replicate = [&](const exported::note&, delivery& about) {
        about.in_target([&](connection& target) {
            EXPECT_EQ(target.kind(), winnow::dialect::sqlite);
            EXPECT_TRUE(target.in_transaction());
            EXPECT_TRUE(target.usable());
            EXPECT_FALSE(target.read_only());
            EXPECT_EQ(target.description(), database_->description());
            EXPECT_EQ(target.session_name(), database_->session_name());
            EXPECT_EQ(target.deadlock_timeout().count(), 0);
            target.set_limits({});
            target.execute_script("INSERT INTO copy VALUES (1, 'a'); INSERT INTO copy VALUES (2, NULL)");
            EXPECT_EQ(target.execute("INSERT INTO copy VALUES ($1, $2)", {std::int64_t{3}, "c"}).affected(), 1);
            key_set keys(1, {std::int64_t{1}, std::int64_t{2}, std::int64_t{9}});
            const rows found = target.execute_once(
                "SELECT id, word, 0.5, $2 FROM copy WHERE id IN (SELECT value FROM json_each($1)) ORDER BY id",
                {keys, null_value{}});
            ASSERT_EQ(found.size(), 2U);
            ASSERT_EQ(found.width(), 4U);
            EXPECT_EQ(found.at(0, 0), value(std::int64_t{1}));
            EXPECT_EQ(found.at(0, 1), value("a"s));
            EXPECT_EQ(found.at(1, 1), value(null_value{}));
            EXPECT_EQ(found.at(1, 2), value(0.5));
            EXPECT_TRUE(target.execute("SELECT id FROM copy WHERE id > 100").empty());
        });
    };
    replicate();
    EXPECT_EQ(copies(), 3);
}

TEST_F(plugin_delivery, runs_once_for_a_message) {
    std::vector<bool> ran;
    exported::on_replicate = [&](const exported::note&, delivery& about) {
        ran.push_back(
            about.once([](connection& target) { (void)target.execute("INSERT INTO copy VALUES (NULL, NULL)"); }));
    };
    replicate();
    replicate();
    EXPECT_EQ(ran, (std::vector<bool>{true, false}));
    EXPECT_EQ(copies(), 1);
}

TEST_F(plugin_delivery, an_error_of_the_host_comes_back_as_it_was) {
    database_->execute_script("INSERT INTO copy VALUES (1, 'a')");
    // What the database itself says, for comparison.
    std::string text;
    try {
        (void)database_->execute("INSERT INTO copy VALUES (2, 'a')");
    } catch (const error& problem) {
        text = problem.what();
    }
    bool looked = false;
    exported::on_replicate = [&](const exported::note&, delivery& about) {
        about.in_target([&](connection& target) {
            try {
                (void)target.execute("INSERT INTO copy VALUES (2, 'a')");
            } catch (const error& problem) {
                // The plugin sees what a linked handler would see.
                looked = true;
                EXPECT_EQ(problem.kind(), failure::statement);
                EXPECT_EQ(problem.what(), text);
                EXPECT_EQ(problem.sqlstate(), "SQLITE_CONSTRAINT_UNIQUE");
                EXPECT_FALSE(problem.statement().empty());
                EXPECT_FALSE(problem.may_retry());
                throw;
            }
        });
    };
    try {
        replicate();
        FAIL() << "it was refused";
    } catch (const error& problem) {
        EXPECT_EQ(problem.kind(), failure::statement);
        EXPECT_EQ(problem.what(), text);
        EXPECT_EQ(problem.sqlstate(), "SQLITE_CONSTRAINT_UNIQUE");
    }
    EXPECT_TRUE(looked);
    // What runs the transaction saw it as well, so that it could have tried again.
    EXPECT_EQ(about_.get().last_error, text);
    EXPECT_EQ(copies(), 1);
}

TEST_F(plugin_delivery, an_error_of_a_type_that_only_the_host_knows_keeps_it) {
    about_.get().away = true;
    exported::on_replicate = [&](const exported::note&, delivery& about) {
        try {
            about.in_target([](connection&) {});
        } catch (const error& problem) {
            EXPECT_EQ(problem.kind(), failure::connection);
            EXPECT_TRUE(problem.may_retry());
            throw;
        }
    };
    EXPECT_THROW(replicate(), target_away);
}

TEST_F(plugin_delivery, a_handler_that_gets_over_an_error_has_succeeded) {
    database_->execute_script("INSERT INTO copy VALUES (1, 'a')");
    exported::on_replicate = [&](const exported::note&, delivery& about) {
        about.in_target([&](connection& target) {
            EXPECT_THROW((void)target.execute("INSERT INTO copy VALUES (2, 'a')"), error);
            (void)target.execute("INSERT INTO copy VALUES (2, 'b')");
        });
    };
    replicate();
    EXPECT_EQ(copies(), 2);
}

TEST_F(plugin_delivery, the_works_own_exception_reaches_its_handler) {
    bool caught = false;
    exported::on_replicate = [&](const exported::note&, delivery& about) {
        try {
            about.in_target([](connection& target) {
                (void)target.execute("INSERT INTO copy VALUES (1, 'a')");
                throw exported::own_type{21};
            });
        } catch (const exported::own_type& thrown) {
            caught = thrown.number == 21;
        }
    };
    replicate();
    EXPECT_TRUE(caught);
    EXPECT_EQ(copies(), 0);
}

TEST_F(plugin_delivery, what_a_handler_throws_becomes_a_text) {
    for (const std::string word : {"own type", "int", "bad_alloc", "runtime_error", "winnow error"}) {
        for (const bool within : {false, true}) {
            exported::on_replicate = [&](const exported::note&, delivery& about) {
                if (!within) exported::obey(word);
                about.in_target([&](connection&) { exported::obey(word); });
            };
            exported::on_erased = [&](std::int64_t, delivery&) { exported::obey(word); };
            const std::string text = word == "bad_alloc"       ? "std::bad_alloc"
                                     : word == "runtime_error" ? "the shelf is empty"
                                     : word == "winnow error"  ? "it stays"
                                                               : "something was thrown that is no std::exception";
            for (const bool erased : {false, true}) {
                try {
                    if (erased) hooks().erased(hooks().state, 5, about_.get());
                    else replicate();
                    ADD_FAILURE() << word;
                } catch (const error& problem) {
                    EXPECT_EQ(problem.kind(), failure::hook);
                    EXPECT_EQ(problem.what(), "plugin exported: " + text);
                    EXPECT_EQ(problem.model(), "exported.Note");
                }
            }
        }
    }
}

TEST_F(plugin_delivery, work_may_run_again) {
    about_.get().tries = 3;
    int runs = 0;
    exported::on_replicate = [&](const exported::note&, delivery& about) {
        about.in_target([&](connection& target) {
            ++runs;
            (void)target.execute("INSERT INTO copy VALUES (1, 'a')");
        });
    };
    replicate();
    EXPECT_EQ(runs, 3);
    EXPECT_EQ(copies(), 1);
}

TEST_F(plugin_delivery, a_transaction_within_the_transaction_is_refused) {
    exported::on_replicate = [&](const exported::note&, delivery& about) {
        about.in_target([](connection& target) { const winnow::transaction another(target); });
    };
    try {
        replicate();
        FAIL() << "it was refused";
    } catch (const error& problem) {
        EXPECT_NE(std::string(problem.what()).find("within the transaction that it was given"), std::string::npos);
    }
}

// By hand, against the contract in each way that the host can notice.

struct hand {
    static winnow_status bad_parameters(void*, const winnow_host_connection* target) {
        const winnow_host_result* result = nullptr;
        const winnow_parameter neither{nullptr, nullptr};
        winnow_value unknown{};
        unknown.holds = 99;
        const winnow_parameter holds_99{&unknown, nullptr};
        const winnow_key_set narrow{nullptr, 0, 3};
        const winnow_parameter no_width{nullptr, &narrow};
        const winnow_parameter* all[] = {&neither, &holds_99, &no_width};
        for (const winnow_parameter* one : all) {
            EXPECT_EQ(target->execute(target, WINNOW_EXECUTE_ONCE, WINNOW_TEXT("SELECT $1"), one, 1, &result),
                      WINNOW_FAILED);
            EXPECT_EQ(result, nullptr);
            const winnow_host_error* met = target->last_error(target);
            EXPECT_NE(met, nullptr);
            EXPECT_EQ(met == nullptr ? 0U : met->kind, std::uint32_t{WINNOW_ERROR_USAGE});
        }
        EXPECT_EQ(target->execute(target, 9, WINNOW_TEXT("SELECT 1"), nullptr, 0, &result), WINNOW_FAILED);
        EXPECT_EQ(target->execute(target, WINNOW_EXECUTE_ONCE, winnow_text{nullptr, 0}, nullptr, 0, &result),
                  WINNOW_FAILED);
        EXPECT_EQ(target->execute(target, WINNOW_EXECUTE_ONCE, WINNOW_TEXT("SELECT 1"), nullptr, 4, &result),
                  WINNOW_FAILED);
        // The last call counts: it went well, so nothing is left to tell.
        EXPECT_EQ(target->execute(target, WINNOW_EXECUTE_ONCE, WINNOW_TEXT("SELECT 1"), nullptr, 0, nullptr),
                  WINNOW_OK);
        EXPECT_EQ(target->last_error(target), nullptr);
        return WINNOW_FAILED;
    }
    static winnow_status nothing(void*, const winnow_host_connection*) { return WINNOW_OK; }
    static winnow_status fails(void* state, const winnow_host_connection*) {
        const auto* call = static_cast<const winnow_host_call*>(state);
        if (call != nullptr) call->set_error(call, WINNOW_TEXT("on its own account"));
        return WINNOW_FAILED;
    }
    static winnow_status throws(void*, const winnow_host_connection*) { throw exported::own_type{2}; }

    template <winnow_status (*Work)(void*, const winnow_host_connection*)>
    static winnow_status run(const void*, const winnow_row*, const winnow_host_delivery* about,
                             const winnow_host_call*) {
        std::int32_t ran = 5;
        return about->run_in_target(about, 0, Work, nullptr, &ran);
    }
    static winnow_status run_and_say(const void*, const winnow_row*, const winnow_host_delivery* about,
                                     const winnow_host_call* call) {
        return about->run_in_target(about, 0, &fails, const_cast<winnow_host_call*>(call), nullptr);
    }
    static winnow_status stale(const void*, const winnow_row*, const winnow_host_delivery* about,
                               const winnow_host_call* call) {
        (void)about->run_in_target(about, 0, &fails, const_cast<winnow_host_call*>(call), nullptr);
        EXPECT_NE(about->last_error(about), nullptr);
        EXPECT_EQ(about->run_in_target(about, 0, &nothing, nullptr, nullptr), WINNOW_OK);
        EXPECT_EQ(about->last_error(about), nullptr);
        return WINNOW_FAILED;
    }
    static winnow_status null_work(const void*, const winnow_row*, const winnow_host_delivery* about,
                                   const winnow_host_call*) {
        return about->run_in_target(about, 0, nullptr, nullptr, nullptr);
    }
};

TEST_F(plugin_delivery, by_hand_fails_with_what_counts) {
    using call_type = decltype(winnow_replication_hooks::replicate);
    const auto failure_of = [&](call_type call) -> std::pair<failure, std::string> {
        winnow_plugin_entry entry = winnow_plugin;
        std::vector<winnow_plan> plans(entry.plans.items, entry.plans.items + entry.plans.count);
        winnow_replication copied = *plans[0].replication;
        const winnow_replication_hooks handlers{sizeof(winnow_replication_hooks), 0, call, nullptr, nullptr};
        copied.hooks = &handlers;
        plans[0].replication = &copied;
        entry.plans.items = plans.data();
        std::vector<std::string> wrong;
        const auto plugin = winnow::lift(entry, "", wrong);
        if (plugin == nullptr) return {failure::usage, wrong.front()};
        EXPECT_EQ(plugin->part().plans[0].replication->hooks.erased, nullptr);
        try {
            replicate(plugin->part().plans[0].replication->hooks);
        } catch (const error& problem) {
            return {problem.kind(), problem.what()};
        }
        return {failure::usage, "nothing was thrown"};
    };
    using pair = std::pair<failure, std::string>;
    const pair silent{failure::hook, "plugin exported: it failed and gave no reason (status 1)"};
    EXPECT_EQ(failure_of(&hand::run<hand::bad_parameters>), silent);
    EXPECT_EQ(failure_of(&hand::run<hand::fails>), silent);
    EXPECT_EQ(failure_of(&hand::run<hand::throws>),
              pair(failure::hook, "plugin exported: something was thrown that is no std::exception"));
    EXPECT_EQ(failure_of(&hand::run_and_say), pair(failure::hook, "plugin exported: on its own account"));
    EXPECT_EQ(failure_of(&hand::stale), silent);
    EXPECT_EQ(failure_of(&hand::null_work), pair(failure::usage, "Null was to be run in the target. Give a function."));
    EXPECT_EQ(failure_of(&hand::run<hand::nothing>), pair(failure::usage, "nothing was thrown"));
}

}  // namespace
