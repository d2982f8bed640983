// SPDX-License-Identifier: Apache-2.0
#include "tree_models.hpp"

#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

namespace bench {

struct Organization {
    std::int64_t id;
};
struct OrganizationMember {
    std::int64_t id;
    std::int64_t organization_id;
};
struct Team {
    std::int64_t id;
    std::int64_t organization_id;
};
struct Project {
    std::int64_t id;
    std::int64_t organization_id;
};
struct ProjectTeam {
    std::int64_t id;
    std::int64_t project_id;
    std::int64_t team_id;
};
struct ProjectKey {
    std::int64_t id;
    std::int64_t project_id;
};
struct Environment {
    std::int64_t id;
    std::int64_t organization_id;
};
struct EnvironmentProject {
    std::int64_t id;
    std::int64_t environment_id;
    std::int64_t project_id;
};
struct Group {
    std::int64_t id;
    std::int64_t project_id;
};
struct Event {
    std::int64_t id;
    std::int64_t group_id;
    std::int64_t project_id;
};
struct GroupHash {
    std::int64_t id;
    std::int64_t group_id;
    std::int64_t project_id;
};
struct GroupAssignee {
    std::int64_t id;
    std::int64_t group_id;
    std::int64_t project_id;
};
struct GroupSubscription {
    std::int64_t id;
    std::int64_t group_id;
    std::int64_t project_id;
};
struct Activity {
    std::int64_t id;
    std::int64_t group_id;
    std::int64_t project_id;
};
WINNOW_DESCRIBE(Organization, id)
WINNOW_DESCRIBE(OrganizationMember, id, organization_id)
WINNOW_DESCRIBE(Team, id, organization_id)
WINNOW_DESCRIBE(Project, id, organization_id)
WINNOW_DESCRIBE(ProjectTeam, id, project_id, team_id)
WINNOW_DESCRIBE(ProjectKey, id, project_id)
WINNOW_DESCRIBE(Environment, id, organization_id)
WINNOW_DESCRIBE(EnvironmentProject, id, environment_id, project_id)
WINNOW_DESCRIBE(Group, id, project_id)
WINNOW_DESCRIBE(Event, id, group_id, project_id)
WINNOW_DESCRIBE(GroupHash, id, group_id, project_id)
WINNOW_DESCRIBE(GroupAssignee, id, group_id, project_id)
WINNOW_DESCRIBE(GroupSubscription, id, group_id, project_id)
WINNOW_DESCRIBE(Activity, id, group_id, project_id)

}  // namespace bench

#define BENCH_LEAF(Type, table_name)                     \
    template <> struct winnow::model<bench::Type> {      \
        static constexpr text key = "bench." #Type;      \
        static constexpr text table = table_name;        \
        static constexpr auto silo = winnow::silo::cell; \
    };
BENCH_LEAF(OrganizationMember, "organization_member")
BENCH_LEAF(ProjectTeam, "project_team")
BENCH_LEAF(ProjectKey, "project_key")
BENCH_LEAF(EnvironmentProject, "environment_project")
BENCH_LEAF(Event, "event")
BENCH_LEAF(GroupHash, "grouphash")
BENCH_LEAF(GroupAssignee, "groupassignee")
BENCH_LEAF(GroupSubscription, "groupsubscription")
BENCH_LEAF(Activity, "activity")
#undef BENCH_LEAF

template <> struct winnow::model<bench::Group> {
    static constexpr text key = "bench.Group";
    static constexpr text table = "group";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children =
        winnow::children(cascade<&bench::Event::group_id>, cascade<&bench::GroupHash::group_id>,
                         cascade<&bench::GroupAssignee::group_id>, cascade<&bench::GroupSubscription::group_id>,
                         cascade<&bench::Activity::group_id>);
};
template <> struct winnow::model<bench::Team> {
    static constexpr text key = "bench.Team";
    static constexpr text table = "team";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&bench::ProjectTeam::team_id>);
};
template <> struct winnow::model<bench::Environment> {
    static constexpr text key = "bench.Environment";
    static constexpr text table = "environment";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&bench::EnvironmentProject::environment_id>);
};
template <> struct winnow::model<bench::Project> {
    static constexpr text key = "bench.Project";
    static constexpr text table = "project";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children =
        winnow::children(cascade<&bench::Group::project_id>, cascade<&bench::ProjectTeam::project_id>,
                         cascade<&bench::ProjectKey::project_id>, cascade<&bench::EnvironmentProject::project_id>,
                         cascade<&bench::Event::project_id>, cascade<&bench::GroupHash::project_id>,
                         cascade<&bench::GroupAssignee::project_id>, cascade<&bench::GroupSubscription::project_id>,
                         cascade<&bench::Activity::project_id>);
};
template <> struct winnow::model<bench::Organization> {
    static constexpr text key = "bench.Organization";
    static constexpr text table = "organization";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(
        cascade<&bench::Project::organization_id>, cascade<&bench::OrganizationMember::organization_id>,
        cascade<&bench::Team::organization_id>, cascade<&bench::Environment::organization_id>);
};

namespace bench {

using Tree = winnow::registry<Organization, OrganizationMember, Team, Project, ProjectTeam, ProjectKey, Environment,
                              EnvironmentProject, Group, Event, GroupHash, GroupAssignee, GroupSubscription, Activity>;

namespace {
std::int64_t seen = 0;
}

std::vector<winnow::plan> tree_plans(bool seen_rows) {
    std::vector<winnow::plan> plans(std::begin(winnow::plans_of<Tree>), std::end(winnow::plans_of<Tree>));
    if (!seen_rows) return plans;
    for (winnow::plan& one : plans) {
        one.hooks.before_delete.call = [](const void*, winnow::row_values, const winnow::hook_context&) { ++seen; };
        one.strategy = winnow::strategy::per_row;
        one.chunk_size = winnow::default_chunk_size(one.strategy);
    }
    return plans;
}

std::int64_t rows_seen() noexcept { return seen; }

}  // namespace bench
