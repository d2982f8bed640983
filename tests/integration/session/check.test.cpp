// SPDX-License-Identifier: Apache-2.0
// What `check` says about copies and remote references, and whether the statement that it gives cures it.

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "integration/session/models.hpp"
#include "winnow/store/drift.hpp"

namespace {

using namespace winnow_test;
using testing::AllOf;
using testing::HasSubstr;
using winnow::drift_finding;
using winnow::severity;

class check : public desk::desk_test {
protected:
    void SetUp() override {
        desk_test::SetUp();
        open = database().open();
    }
    void TearDown() override { open.reset(); }
    [[nodiscard]] std::vector<drift_finding> found(std::string_view code, winnow::drift_options how = {}) const {
        std::vector<drift_finding> all = winnow::find_drift(catalog, winnow::inspect_models(*open, catalog), how);
        std::erase_if(all, [&](const drift_finding& one) { return one.code != code; });
        return all;
    }
    /// Breaks something, and expects one finding that is gone once its remedy has run.
    [[nodiscard]] drift_finding broken(std::string_view by, std::string_view code) const {
        EXPECT_TRUE(found(code).empty()) << code;
        open->execute_script(by);
        const std::vector<drift_finding> all = found(code);
        EXPECT_EQ(all.size(), 1U) << code;
        if (all.empty()) return {};
        if (!all[0].remedy.empty()) {
            open->execute_script(all[0].remedy);
            EXPECT_TRUE(found(code).empty()) << all[0].remedy;
        }
        return all[0];
    }
    winnow::catalog catalog{winnow::plans_of<desk::models>};
    winnow::connection_ptr open;
};
INSTANTIATE_TEST_SUITE_P(databases, check, all_databases(), name_of_database);

TEST_P(check, a_copy_needs_a_unique_index_over_what_it_is_found_by) {
    const drift_finding one = broken(
        "DROP TABLE desk_projectcopy; CREATE TABLE desk_projectcopy (project bigint NOT NULL, title text NOT NULL, PRIMARY KEY "
        "(project, title));",
        "mirror_not_unique");
    EXPECT_EQ(one.severity, severity::refuse);
    EXPECT_EQ(one.model, "desk.ProjectCopy");
    EXPECT_THAT(one.text, AllOf(HasSubstr("desk_projectcopy"), HasSubstr("desk.Project, found by project")));
    EXPECT_THAT(one.remedy, HasSubstr("CREATE UNIQUE INDEX"));
}

TEST_P(check, a_column_of_a_copy_is_missing) {
    const drift_finding one = broken("ALTER TABLE desk_projectcopy DROP COLUMN title", "mirror_column_missing");
    EXPECT_EQ(one.severity, severity::refuse);
    EXPECT_THAT(one.text, HasSubstr("desk_projectcopy.title holds copies of desk.Project.title"));
    EXPECT_THAT(one.remedy, HasSubstr("ADD COLUMN"));
}

TEST_P(check, a_column_of_a_copy_has_another_type) {
    const drift_finding one = broken(
        "DROP TABLE desk_projectcopy; CREATE TABLE desk_projectcopy (project bigint PRIMARY KEY, title integer NOT NULL);",
        "mirror_column_type");
    EXPECT_EQ(one.severity, severity::refuse);
    EXPECT_THAT(one.text, HasSubstr("desk_projectcopy.title"));
}

TEST_P(check, a_remote_reference_needs_an_index) {
    const std::string index = GetParam() == dialect::postgres ? "desk_seat_person_id_idx" : "desk_seat_person";
    const drift_finding one = broken("DROP INDEX " + index, "remote_without_index");
    EXPECT_EQ(one.severity, severity::warn);
    EXPECT_EQ(one.model, "desk.Seat");
    EXPECT_THAT(one.text, HasSubstr("desk_seat.person_id refers to desk.Person in the other silo"));
    EXPECT_THAT(one.remedy, HasSubstr("CREATE INDEX"));
    const std::string again = GetParam() == dialect::postgres ? "desk_ticket_person_id_idx" : "desk_ticket_person";
    open->execute_script("DROP INDEX " + again);
    EXPECT_EQ(found("remote_without_index", {.require_indexes = true}).at(0).severity, severity::refuse);
}

TEST_P(check, a_remote_reference_that_becomes_null_may_be_null) {
    open->execute_script(
        "DROP TABLE desk_remark; CREATE TABLE desk_remark (id integer PRIMARY KEY, person_id bigint NOT NULL, body text)");
    const std::vector<drift_finding> all = found("set_null_not_null");
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].severity, severity::refuse);
    EXPECT_EQ(all[0].model, "desk.Remark");
}

}  // namespace
