// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <winnow/winnow.hpp>

#include "release.hpp"

namespace tracker {

/// Where software runs: production, staging.
struct Environment {
    std::int64_t id;
    std::int64_t organization_id;
    std::string name;
};
WINNOW_DESCRIBE(Environment, id, organization_id, name)

struct EnvironmentProject {
    std::int64_t id;
    std::int64_t environment_id;
    std::int64_t project_id;
    bool is_hidden;
};
WINNOW_DESCRIBE(EnvironmentProject, id, environment_id, project_id, is_hidden)

}  // namespace tracker

template <> struct winnow::model<tracker::EnvironmentProject> {
    static constexpr text key = "tracker.EnvironmentProject";
    static constexpr auto silo = winnow::silo::cell;
};

template <> struct winnow::model<tracker::Environment> {
    static constexpr text key = "tracker.Environment";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&tracker::EnvironmentProject::environment_id>,
                                                      cascade<&tracker::Deploy::environment_id>);
};
