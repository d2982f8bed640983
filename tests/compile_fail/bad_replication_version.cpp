// expect: replication_version has to be at least 1 and stands beside a replication
// names: tracker.Project
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>
#include <string>

enum class scope_of { tenant = 1, user = 2 };
enum class category { project_update = 1, user_update = 2 };
template <> struct winnow::categories<category> {
    static constexpr auto scopes =
        winnow::scopes(scope<scope_of::tenant, category::project_update>, scope<scope_of::user, category::user_update>);
};

struct project_copy {
    std::int64_t id;
    std::string slug;
};
WINNOW_DESCRIBE(project_copy, id, slug)

struct project {
    std::int64_t id;
    std::int64_t tenant;
    std::string slug;
};
WINNOW_DESCRIBE(project, id, tenant, slug)

template <> struct winnow::model<project_copy> {
    static constexpr text key = "tracker.ProjectCopy";
    static constexpr auto silo = winnow::silo::control;
};

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
#ifdef WINNOW_FAIL
    static constexpr int replication_version = 0;
#else
    static constexpr int replication_version = 1;
#endif
    static constexpr auto replication = replicates<category::project_update>(
        shard<&project::tenant>,
        mirror<project_copy>(map<&project::id, &project_copy::id>, map<&project::slug, &project_copy::slug>));
};

using Models = winnow::registry<project, project_copy>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
