// SPDX-License-Identifier: Apache-2.0
#include "winnow/store/migrations.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/databases.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/part.hpp"
#include "winnow/store/own_tables.hpp"

namespace {

using testing::HasSubstr;
using winnow::migrate_parts;
using winnow::migration;
using winnow::model_part;
using winnow::silo;
using winnow::silo_mode;
using winnow_test::error_of;

constexpr winnow::dialect_text both(std::string_view script) { return {script, script}; }

constexpr migration first_step{"first", silo::cell,
                               both("CREATE TABLE note (id integer PRIMARY KEY); CREATE TABLE tag (id integer);")};
constexpr migration second_step{"second", silo::cell, both("ALTER TABLE note ADD COLUMN body text")};
constexpr migration in_control{"directory", silo::control, both("CREATE TABLE directory (id integer);")};

class migrations : public winnow_test::on_every_database {
protected:
    void SetUp() override {
        on_every_database::SetUp();
        session = database().open();
        winnow::migrate(*session);
    }

    /// The part `notes` with these steps.
    const std::vector<model_part>& parts(std::vector<migration> steps, std::string_view version = "1.0") {
        steps_ = std::move(steps);
        parts_ = {{.name = "notes", .version = version, .origin = "/opt/notes.so", .migrations = steps_}};
        return parts_;
    }
    std::int64_t steps_applied() { return session->execute("SELECT count(*) FROM winnow_plugin_step").integer(0, 0); }

    winnow::connection_ptr session;

private:
    std::vector<migration> steps_;
    std::vector<model_part> parts_;
};
INSTANTIATE_TEST_SUITE_P(databases, migrations, winnow_test::all_databases(), winnow_test::name_of_database);

TEST_P(migrations, are_applied_once_and_in_order) {
    EXPECT_EQ(migrate_parts(*session, parts({first_step}), silo_mode::cell), 1);
    EXPECT_EQ(migrate_parts(*session, parts({first_step}), silo_mode::cell), 0);
    EXPECT_EQ(compare_steps(*session, parts({first_step, second_step}), silo_mode::cell).pending.size(), 1U);
    EXPECT_EQ(migrate_parts(*session, parts({first_step, second_step}, "1.1"), silo_mode::cell), 1);
    (void)session->execute("INSERT INTO note (id, body) VALUES (1, 'x')");
    EXPECT_EQ(session->execute("SELECT plugin_version FROM winnow_plugin_step WHERE step = 'second'").text(0, 0),
              "1.1");
}

TEST_P(migrations, go_to_the_databases_of_their_silo) {
    EXPECT_EQ(migrate_parts(*session, parts({in_control, first_step}), silo_mode::cell), 1);
    EXPECT_TRUE(compare_steps(*session, parts({in_control, first_step}), silo_mode::cell).pending.empty());
    EXPECT_EQ(compare_steps(*session, parts({first_step, in_control}), silo_mode::monolith).pending.size(), 1U);
    EXPECT_EQ(migrate_parts(*session, parts({first_step, in_control}), silo_mode::monolith), 1);
}

TEST_P(migrations, a_released_step_that_changed_is_refused_with_a_sentence) {
    migrate_parts(*session, parts({first_step}), silo_mode::cell);
    migration changed = first_step;
    changed.script = both("CREATE TABLE note (id integer PRIMARY KEY, body text); CREATE TABLE tag (id integer);");
    const winnow::error refused =
        error_of([&] { migrate_parts(*session, parts({changed, second_step}), silo_mode::cell); });
    EXPECT_EQ(refused.kind(), winnow::failure::configuration);
    EXPECT_THAT(refused.what(),
                HasSubstr("plugin notes (/opt/notes.so): its step `first` was applied here by version 1.0 and "
                          "has changed since"));
    EXPECT_EQ(steps_applied(), 1) << "nothing after it was applied either";
    EXPECT_THAT(error_of([&] { require_steps(*session, parts({changed}), silo_mode::cell); }).what(),
                HasSubstr("has changed"));
}

TEST_P(migrations, a_step_put_before_an_applied_one_is_refused) {
    migrate_parts(*session, parts({first_step}), silo_mode::cell);
    EXPECT_THAT(error_of([&] { migrate_parts(*session, parts({second_step, first_step}), silo_mode::cell); }).what(),
                HasSubstr("its step `second` was not applied here and stands before `first`"));
}

TEST_P(migrations, an_older_part_is_refused) {
    migrate_parts(*session, parts({first_step, second_step}, "2.0"), silo_mode::cell);
    EXPECT_THAT(error_of([&] { require_steps(*session, parts({first_step}, "1.0"), silo_mode::cell); }).what(),
                HasSubstr("version 2.0 of it has applied the step `second` here, which version 1.0 does not know"));
}

TEST_P(migrations, a_step_that_fails_leaves_nothing) {
    const migration broken{"broken", silo::cell,
                           both("CREATE TABLE half (id integer); INSERT INTO nowhere VALUES (1);")};
    const winnow::error failed =
        error_of([&] { migrate_parts(*session, parts({first_step, broken}), silo_mode::cell); });
    EXPECT_THAT(failed.what(), HasSubstr("plugin notes (/opt/notes.so): its step `broken` failed: "));
    EXPECT_EQ(steps_applied(), 1) << "the one before it stays";
    session->execute_script("CREATE TABLE half (id integer);");
}

TEST_P(migrations, a_step_may_not_end_its_transaction) {
    const migration ends{"ends", silo::cell, both("CREATE TABLE kept (id integer); COMMIT;")};
    const winnow::error refused = error_of([&] { migrate_parts(*session, parts({ends}), silo_mode::cell); });
    EXPECT_THAT(refused.what(), HasSubstr("ends the transaction"));
    EXPECT_EQ(database().number("SELECT count(*) FROM winnow_plugin_step"), 0);
}

TEST_P(migrations, a_name_that_is_taken_is_explained) {
    session->execute_script("CREATE TABLE note (id integer);");
    EXPECT_THAT(error_of([&] { migrate_parts(*session, parts({first_step}), silo_mode::cell); }).hint(),
                HasSubstr("rename it"));
}

TEST_P(migrations, pending_steps_name_the_command) {
    const winnow::error refused = error_of([&] { require_steps(*session, parts({first_step}), silo_mode::cell); });
    EXPECT_THAT(refused.what(), HasSubstr("The tables of plugin notes (/opt/notes.so) in "));
    EXPECT_EQ(refused.hint(), "Run `migrate`.");
    migrate_parts(*session, parts({first_step}), silo_mode::cell);
    EXPECT_NO_THROW(require_steps(*session, parts({first_step}), silo_mode::cell));
}

TEST_P(migrations, those_of_an_absent_part_are_seen) {
    migrate_parts(*session, parts({first_step, second_step}), silo_mode::cell);
    const std::vector<std::string> absent = compare_steps(*session, {}, silo_mode::cell).absent;
    ASSERT_EQ(absent.size(), 1U);
    EXPECT_EQ(absent[0], "notes");
    EXPECT_THAT(winnow::describe_absent(absent[0]),
                HasSubstr("plugin notes are in this database and it is not loaded"));
}

TEST_P(migrations, ddl_does_the_same) {
    const std::vector<model_part>& all = parts({first_step, second_step});
    session->execute_script(parts_ddl(all, silo_mode::cell, session->kind()));
    EXPECT_EQ(migrate_parts(*session, all, silo_mode::cell), 0);
    EXPECT_NO_THROW(require_steps(*session, all, silo_mode::cell));
    (void)session->execute("INSERT INTO note (id, body) VALUES (1, 'x')");
}

}  // namespace
