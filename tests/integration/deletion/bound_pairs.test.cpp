// SPDX-License-Identifier: Apache-2.0
// R17: two tables whose references to each other are both NOT NULL.

#include <gmock/gmock.h>

#include <set>

#include "integration/deletion/worker.hpp"
#include "support/table_plans.hpp"

namespace {

using namespace winnow_test;
using testing::HasSubstr;
using winnow::deletion_outcome;

std::vector<std::string>& seen_by_hooks() {
    static std::vector<std::string> seen;
    return seen;
}

/// org ← team ↔ member ← note: a team has a leader, a member has a team, neither may be null.
class team_tables {
public:
    enum : std::size_t { org, team, member, notes };

    explicit team_tables(std::int32_t chunk, bool with_hooks = false) {
        plans_.add_table("org", {});
        plans_.add_table("team", {{"org_id"}, {"leader_id"}}, chunk);
        plans_.add_table("member", {{"team_id"}}, chunk);
        plans_.add_table("note", {{"member_id"}}, chunk);
        plans_.add_relation(org, team, "org_id", false);
        plans_.add_relation(team, member, "team_id", false);
        plans_.add_relation(member, team, "leader_id", false);
        plans_.add_relation(member, notes, "member_id", false);
        if (with_hooks) {
            for (const std::size_t table : {team, member}) {
                winnow::plan& each = plans_.plans()[table];
                each.hooks.before_delete.call = [](const void*, winnow::row_values row,
                                                   const winnow::hook_context& about) { note("before ", row, about); };
                each.hooks.after_delete.call = [](const void*, winnow::row_values row,
                                                  const winnow::hook_context& about) { note("after ", row, about); };
            }
        }
        plans_.finish();
        models_.emplace(plans_.models());
    }
    [[nodiscard]] const winnow::catalog& models() const { return *models_; }

private:
    static void note(std::string_view when, winnow::row_values row, const winnow::hook_context& about) {
        seen_by_hooks().push_back(std::string(when) + std::string(about.model) + " " +
                                  std::to_string(std::get<std::int64_t>(row[0])));
    }

    table_plans plans_{"pair"};
    std::optional<winnow::catalog> models_;
};

/// Rows of both tables by what they refer to.
struct team_rows {
    std::vector<std::int64_t> leader_of;  ///< by team, from 1
    std::vector<std::int64_t> team_of;    ///< by member, from 1
    std::vector<std::int64_t> org_of;     ///< by team

    /// What must be left when the teams of org 1 go with all that is below them.
    [[nodiscard]] std::pair<std::set<std::int64_t>, std::set<std::int64_t>> left() const {
        std::set<std::int64_t> teams;
        std::set<std::int64_t> members;
        for (std::size_t at = 1; at < leader_of.size(); ++at)
            if (org_of[at] == 1) teams.insert(static_cast<std::int64_t>(at));
        for (std::size_t before = 0; before != teams.size() + members.size();) {
            before = teams.size() + members.size();
            for (std::size_t at = 1; at < team_of.size(); ++at)
                if (teams.count(team_of[at]) != 0) members.insert(static_cast<std::int64_t>(at));
            for (std::size_t at = 1; at < leader_of.size(); ++at)
                if (members.count(leader_of[at]) != 0) teams.insert(static_cast<std::int64_t>(at));
        }
        std::pair<std::set<std::int64_t>, std::set<std::int64_t>> stay;
        for (std::size_t at = 1; at < leader_of.size(); ++at)
            if (teams.count(static_cast<std::int64_t>(at)) == 0) stay.first.insert(static_cast<std::int64_t>(at));
        for (std::size_t at = 1; at < team_of.size(); ++at)
            if (members.count(static_cast<std::int64_t>(at)) == 0) stay.second.insert(static_cast<std::int64_t>(at));
        return stay;
    }
};

/// `count` teams, each with its leader as only member.
team_rows teams_of_one(std::int64_t count) {
    team_rows rows{{0}, {0}, {0}};
    for (std::int64_t id = 1; id <= count; ++id) {
        rows.leader_of.push_back(id);
        rows.team_of.push_back(id);
        rows.org_of.push_back(id == count ? 2 : 1);
    }
    return rows;
}
/// One ring of `count` teams: each is led by a member of the next one.
team_rows ring(std::int64_t count) {
    team_rows rows = teams_of_one(count);
    for (std::int64_t id = 1; id <= count; ++id) rows.leader_of[static_cast<std::size_t>(id)] = id % count + 1;
    rows.org_of.back() = 1;
    return rows;
}

class bound_pairs : public deletion_test {
protected:
    /// @param on_delete what both keys do: nothing, or RESTRICT
    void make_teams(const team_rows& rows, std::string_view on_delete = "") const {
        const bool postgres = GetParam() == dialect::postgres;
        const auto key = [&](std::string_view column, std::string_view to) {
            return std::string(column) + " bigint NOT NULL" +
                   (postgres ? "" : " REFERENCES " + std::string(to) + " (id) " + std::string(on_delete));
        };
        make(database(),
             "CREATE TABLE org (id {id}); CREATE TABLE team (id {id}, org_id bigint NOT NULL REFERENCES org (id), " +
                 key("leader_id", "member") + "); CREATE TABLE member (id {id}, " + key("team_id", "team") +
                 "); CREATE TABLE note (id {id}, member_id bigint NOT NULL REFERENCES member (id));"
                 "CREATE INDEX team_org ON team (org_id); CREATE INDEX team_leader ON team (leader_id);"
                 "CREATE INDEX member_team ON member (team_id); CREATE INDEX note_member ON note (member_id);"
                 "INSERT INTO org VALUES (1), (2);");
        const winnow::connection_ptr to = database().open();
        const auto count = [](const std::vector<std::int64_t>& of) { return static_cast<std::int64_t>(of.size()) - 1; };
        if (!postgres) to->execute_script("BEGIN; PRAGMA defer_foreign_keys = ON;");
        fill(*to, "team", count(rows.leader_of), [&](std::int64_t id) {
            return list(id, rows.org_of[static_cast<std::size_t>(id)], rows.leader_of[static_cast<std::size_t>(id)]);
        });
        fill(*to, "member", count(rows.team_of),
             [&](std::int64_t id) { return list(id, rows.team_of[static_cast<std::size_t>(id)]); });
        if (!postgres) to->execute_script("COMMIT");
        fill(*to, "note", 2 * count(rows.team_of), [](std::int64_t id) { return list(id, (id - 1) / 2 + 1); });
        if (postgres)
            to->execute_script(
                "ALTER TABLE team ADD FOREIGN KEY (leader_id) REFERENCES member (id) " + std::string(on_delete) +
                "; ALTER TABLE member ADD FOREIGN KEY (team_id) REFERENCES team (id) " + std::string(on_delete));
    }
    [[nodiscard]] std::set<std::int64_t> ids(std::string_view table) const {
        const winnow::rows found = database().open()->execute_once("SELECT id FROM " + std::string(table), {});
        std::set<std::int64_t> all;
        for (std::size_t row = 0; row < found.size(); ++row) all.insert(found.integer(row, 0));
        return all;
    }
    void goes_exactly(const team_rows& rows, std::int32_t chunk) {
        const team_tables tables(chunk);
        worker some(database(), tables.models());
        some.schedule("pair.org", one);
        const winnow::deletion_report report = some.run_to_end();
        ASSERT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
        const auto [teams, members] = rows.left();
        EXPECT_EQ(ids("team"), teams);
        EXPECT_EQ(ids("member"), members);
        EXPECT_EQ(count("note"), static_cast<std::int64_t>(2 * members.size()));
        EXPECT_EQ(report.rows, 1 + static_cast<std::int64_t>(rows.leader_of.size() - 1 - teams.size() +
                                                             3 * (rows.team_of.size() - 1 - members.size())));
    }
};
INSTANTIATE_TEST_SUITE_P(databases, bound_pairs, all_databases(), name_of_database);

TEST_P(bound_pairs, two_rows_that_hold_each_other) {
    const team_rows rows = teams_of_one(2);
    make_teams(rows);
    goes_exactly(rows, 10);
}

TEST_P(bound_pairs, keys_that_restrict) {
    const team_rows rows = teams_of_one(5);
    make_teams(rows, "ON DELETE RESTRICT");
    goes_exactly(rows, 10);
}

TEST_P(bound_pairs, many_pairs_in_small_chunks) {
    const team_rows rows = teams_of_one(60);
    make_teams(rows);
    goes_exactly(rows, 7);
}

TEST_P(bound_pairs, a_ring_over_several_chunks_goes_whole) {
    const team_rows rows = ring(40);
    make_teams(rows);
    goes_exactly(rows, 6);
}

TEST_P(bound_pairs, any_graph_of_references) {
    std::mt19937_64 random(5);
    team_rows rows{{0}, {0}, {0}};
    for (int id = 1; id <= 80; ++id) {
        rows.leader_of.push_back(static_cast<std::int64_t>(random() % 120) + 1);
        rows.org_of.push_back(random() % 8 == 0 ? 1 : 2);
    }
    for (int id = 1; id <= 120; ++id) rows.team_of.push_back(static_cast<std::int64_t>(random() % 80) + 1);
    // Rows that refer to what goes must be in organization 1 or below it; both are.
    make_teams(rows, "ON DELETE RESTRICT");
    goes_exactly(rows, 9);
}

TEST_P(bound_pairs, a_worker_that_stops_in_between_leaves_whole_pairs) {
    const team_rows rows = teams_of_one(30);
    make_teams(rows);
    const team_tables tables(4);
    worker some(database(), tables.models());
    some.schedule("pair.org", one);
    some.set("deletion.pass_rows", "5");
    winnow::deletion_report report = some.run();
    for (int pass = 0; pass < 200 && report.outcome == deletion_outcome::yielded; ++pass) {
        EXPECT_EQ(database().number(
                      "SELECT count(*) FROM team WHERE NOT EXISTS (SELECT 1 FROM member WHERE member.id = leader_id)"),
                  0);
        EXPECT_EQ(database().number(
                      "SELECT count(*) FROM member WHERE NOT EXISTS (SELECT 1 FROM team WHERE team.id = team_id)"),
                  0);
        report = some.run();
    }
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_EQ(ids("team"), std::set<std::int64_t>{30});
}

TEST_P(bound_pairs, hooks_see_both_before_either_goes) {
    make_teams(teams_of_one(2));
    seen_by_hooks().clear();
    const team_tables tables(10, true);
    worker some(database(), tables.models());
    some.schedule("pair.org", one);
    ASSERT_EQ(some.run_to_end().outcome, deletion_outcome::completed);
    const auto at = [](std::string_view what) {
        const auto& seen = seen_by_hooks();
        const auto found = std::find(seen.begin(), seen.end(), what);
        EXPECT_NE(found, seen.end()) << what;
        return found - seen.begin();
    };
    EXPECT_LT(at("before pair.team 1"), at("after pair.member 1"));
    EXPECT_LT(at("before pair.member 1"), at("after pair.team 1"));
}

TEST_P(bound_pairs, a_row_that_a_trigger_keeps_stops_it) {
    make_teams(teams_of_one(3));
    if (GetParam() == dialect::postgres)
        database().run("CREATE FUNCTION k() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.id = 2 THEN RETURN "
                       "NULL; END IF; RETURN OLD; END $$; CREATE TRIGGER k BEFORE DELETE ON member FOR EACH ROW "
                       "EXECUTE FUNCTION k();");
    else database().run("CREATE TRIGGER k BEFORE DELETE ON member BEGIN SELECT RAISE(IGNORE) WHERE OLD.id = 2; END;");
    const team_tables tables(10);
    worker some(database(), tables.models());
    some.schedule("pair.org", one);
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::blocked) << report.detail;
    EXPECT_EQ(count("member"), 3) << "the chunk is rolled back";
    EXPECT_EQ(count("team"), 3);
}

TEST(removed_together, numbers_the_parameters_of_both) {
    EXPECT_EQ(
        winnow::detail::removed_together(R"(DELETE FROM "a" WHERE ("x", "y$1") IN (SELECT * FROM unnest($1, $2)))",
                                         R"(DELETE FROM "b$1" WHERE "z" = ANY($1::bigint[]))", 2),
        R"(WITH winnow_first AS (DELETE FROM "a" WHERE ("x", "y$1") IN (SELECT * FROM unnest($1, $2)) RETURNING 1), )"
        R"(winnow_second AS (DELETE FROM "b$1" WHERE "z" = ANY($3::bigint[]) RETURNING 1) )"
        R"(SELECT (SELECT count(*) FROM winnow_first), (SELECT count(*) FROM winnow_second))");
}

}  // namespace
