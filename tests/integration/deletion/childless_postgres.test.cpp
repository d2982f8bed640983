// SPDX-License-Identifier: Apache-2.0
// Looks below parents that are left out because the set before had nothing below it: only where the database refuses to
// delete a parent too early, and right whatever comes next.

#include <gmock/gmock.h>

#include "integration/deletion/watched_connection.hpp"
#include "integration/deletion/worker.hpp"

namespace {

using namespace winnow_test;
using winnow::deletion_outcome;

/// 400 issues, in sets of 50; of the last 200, every fourth has events. What a key does when an issue goes is the
/// parameter; empty: there is no key.
class childless : public postgres_deletion_test, public testing::WithParamInterface<const char*> {
protected:
    void SetUp() override {
        postgres_deletion_test::SetUp();
        make_field_tables(database());
        fill_field(database(), {.orgs = 1, .projs = 1, .issues = 400, .events = 0});
        database().run("ALTER TABLE event DROP CONSTRAINT event_issue_id_fkey");
        if (*GetParam() != '\0')
            database().run("ALTER TABLE event ADD CONSTRAINT event_fk FOREIGN KEY (issue_id) REFERENCES issue (id) " +
                           std::string(GetParam()));
    }
    void TearDown() override {
        EXPECT_EQ(field_orphans(database()), 0);
        postgres_deletion_test::TearDown();
    }
    /// Deletes the organization. @return how often events were looked for
    int delete_it(std::int64_t rows) {
        auto opened = std::make_unique<watched_connection>(database().open());
        int looks = 0;
        opened->before = [&](std::string_view text) {
            looks +=
                text.find("count(*)") != std::string_view::npos && text.find("\"event\"") != std::string_view::npos;
        };
        worker some(std::move(opened), field_models());
        some.schedule("field.Org", one);
        const winnow::deletion_report report = some.run_to_end();
        EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
        EXPECT_EQ(report.rows, rows) << "every row is counted once";
        EXPECT_EQ(count("event") + count("issue") + count("proj") + count("org"), 0);
        return looks;
    }
    [[nodiscard]] bool refuses() const {
        const std::string_view how = GetParam();
        return how == "ON DELETE NO ACTION" || how == "ON DELETE RESTRICT";
    }
};

INSTANTIATE_TEST_SUITE_P(keys, childless,
                         testing::Values("ON DELETE NO ACTION", "ON DELETE RESTRICT", "ON DELETE CASCADE",
                                         "DEFERRABLE INITIALLY DEFERRED", ""),
                         [](const auto& each) {
                             std::string name;
                             for (const char c : std::string_view(each.param)) name += c == ' ' ? '_' : c;
                             return name.empty() ? std::string("none") : name;
                         });

TEST_P(childless, nothing_is_looked_for_again_below_sets_that_a_key_guards) {
    const int looks = delete_it(402);
    if (refuses()) EXPECT_LE(looks, 3) << "8 sets, and the statistics";
    else EXPECT_GE(looks, 8) << "without a key that refuses, every set is looked at";
}

TEST_P(childless, children_of_a_later_set_go_all_the_same) {
    database().run(
        "INSERT INTO event (id, issue_id) SELECT n, 200 + (n + 3) / 4 * 4 FROM generate_series(1, 200) AS n");
    (void)delete_it(602);
}

}  // namespace
