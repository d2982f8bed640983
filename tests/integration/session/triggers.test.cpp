// SPDX-License-Identifier: Apache-2.0
// Triggers write the messages of rows that raw SQL changes.

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <vector>

#include "integration/session/models.hpp"
#include "winnow/store/trigger_ddl.hpp"

namespace {

using namespace winnow_test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::array<std::string_view, 2> cell_names{"us", "e'u"};

class triggers : public desk::desk_test {
protected:
    void SetUp() override {
        desk_test::SetUp();
        here.emplace(database());
        ddl = winnow::trigger_ddl(here->models, GetParam(), cell_names);
        sql(ddl);
        sql(ddl);  // it can be run again
    }
    void TearDown() override { here.reset(); }
    void sql(std::string_view script) const { here->database->execute_script(script); }
    /// Messages since the last call: scope, shard, category, object, cell, payload.
    [[nodiscard]] std::vector<std::string> messages(std::string_view silo) const {
        const std::string table = "winnow_" + std::string(silo) + "_outbox";
        const winnow::rows found = here->database->execute_once(
            "SELECT shard_scope, shard_identifier, category, object_identifier, cell_name, coalesce(CAST(payload AS text), '') "
            "FROM " +
                table + " ORDER BY id",
            {});
        std::vector<std::string> all;
        for (std::size_t row = 0; row < found.size(); ++row) {
            std::string line;
            for (std::size_t column = 0; column < found.width(); ++column)
                for (const char c : (column == 0 ? "" : "|") + winnow::detail::text_of(found.at(row, column)))
                    if (c != ' ') line += c;  // databases space JSON differently
            all.push_back(line);
        }
        sql("DELETE FROM " + table);
        return all;
    }
    std::optional<desk::process> here;
    std::string ddl;
};
INSTANTIATE_TEST_SUITE_P(databases, triggers, all_databases(), name_of_database);

TEST_P(triggers, raw_sql_writes_messages) {
    sql("INSERT INTO desk_person (id, name) VALUES (7, 'Ada''s')");
    EXPECT_THAT(messages("control"),
                ElementsAre(R"(1|7|10|7|us|{"name":"Ada's"})", R"(1|7|10|7|e'u|{"name":"Ada's"})"));
    sql(R"(INSERT INTO desk_project (id, team, title, settings) VALUES (1, 4, 'a', '{"n": 1}'), (2, 5, 'b', NULL))");
    EXPECT_THAT(messages("cell"), ElementsAre(R"(2|4|20|1||{"title":"a","settings":{"n":1}})",
                                              R"(2|5|20|2||{"title":"b","settings":null})"));
    sql("UPDATE desk_project SET title = 'c'");
    EXPECT_EQ(messages("cell").size(), 2U);
    sql("UPDATE desk_project SET title = 'd' WHERE id = 99");
    EXPECT_EQ(messages("cell").size(), 0U);
    sql("UPDATE desk_project SET id = 9 WHERE id = 2");
    EXPECT_THAT(messages("cell"), testing::UnorderedElementsAre(HasSubstr("|20|2||"), HasSubstr("|20|9||")))
        << "the old key is gone, the new one is there";
    sql("DELETE FROM desk_project WHERE id = 1");
    EXPECT_THAT(messages("cell"), ElementsAre(R"(2|4|20|1||{"title":"c","settings":{"n":1}})"));
    sql("INSERT INTO desk_seat (id, team, person_id) VALUES (1, 4, 1)");
    EXPECT_THAT(messages("cell"), ElementsAre("2|4|21|1||"));
}

TEST_P(triggers, a_message_falls_with_its_row) {
    {
        const winnow::transaction scope(*here->database);
        sql("INSERT INTO desk_person (id, name) VALUES (7, 'Ada')");
    }
    EXPECT_EQ(messages("control").size(), 0U);
}

TEST_P(triggers, a_shard_never_changes) {
    sql("INSERT INTO desk_project (id, team, title) VALUES (1, 4, 'a')");
    const winnow::error problem = error_of([&] { sql("UPDATE desk_project SET team = 5 WHERE id = 1"); });
    EXPECT_THAT(problem.what(), HasSubstr("team of desk.Project"));
    EXPECT_THAT(problem.what(), HasSubstr("never changes"));
    EXPECT_EQ(here->number("SELECT team FROM desk_project"), 4);
    sql("UPDATE desk_project SET team = 4, title = 'b' WHERE id = 1");
    EXPECT_EQ(messages("cell").size(), 2U);
}

TEST_P(triggers, events_have_none_and_the_script_says_why) {
    EXPECT_THAT(ddl, HasSubstr("-- desk.Remark: no trigger. Each message of category remark_event counts"));
    EXPECT_THAT(ddl, Not(HasSubstr("winnow_outbox_desk_remark")));
    sql("INSERT INTO desk_remark (id, body) VALUES (1, 'x')");
    EXPECT_EQ(messages("cell").size(), 0U);
}

TEST_P(triggers, winnows_own_writes_go_on) {
    std::vector<desk::project> objects{{0, 4, "a", {}}, {0, 5, "b", {}}};
    here->session.bulk_insert(objects);
    EXPECT_EQ(messages("cell").size(), 4U) << "each twice, delivered as one";
    here->session.update(objects[0]);
    here->session.bulk_erase(objects);
    EXPECT_EQ(here->number("SELECT count(*) FROM desk_project"), 0);
}

TEST_P(triggers, only_tables_of_the_database_and_only_with_known_cells) {
    const winnow::error problem = error_of([&] { (void)winnow::trigger_ddl(here->models, GetParam(), {}); });
    EXPECT_EQ(problem.kind(), winnow::failure::configuration);
    EXPECT_EQ(problem.model(), "desk.Person");
    const std::string cell = winnow::trigger_ddl(here->models, GetParam(), {}, winnow::silo_mode::cell);
    EXPECT_THAT(cell, HasSubstr("desk_project"));
    EXPECT_THAT(cell, Not(HasSubstr("desk_person")));
}

}  // namespace
