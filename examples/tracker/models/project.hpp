// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <winnow/winnow.hpp>

#include "bookmark.hpp"
#include "environment.hpp"
#include "issue.hpp"
#include "monitor.hpp"
#include "release.hpp"

namespace tracker {

struct Project {
    std::int64_t id;
    std::int64_t organization_id;
    std::string guid;
    std::string slug;
    std::string platform;
    winnow::object_status status;
    bool has_monitors;
    winnow::timestamp created_at;
};
WINNOW_DESCRIBE(Project, id, organization_id, guid, slug, platform, status, has_monitors, created_at)

/// Which teams work on a project. The two references are the key.
struct ProjectTeam {
    std::int64_t project_id;
    std::int64_t team_id;
    winnow::timestamp added_at;
};
WINNOW_DESCRIBE(ProjectTeam, project_id, team_id, added_at)

/// What a client sends its events with.
struct ProjectKey {
    std::int64_t id;
    std::int64_t project_id;
    std::string public_key;
    bool is_active;
    std::optional<std::int32_t> rate_limit;
};
WINNOW_DESCRIBE(ProjectKey, id, project_id, public_key, is_active, rate_limit)

/// A setting of a project, by name.
struct ProjectOption {
    std::int64_t project_id;
    std::string name;
    winnow::json_text value;
};
WINNOW_DESCRIBE(ProjectOption, project_id, name, value)

/// Most projects monitor nothing, so the question is not even asked of the table.
inline bool has_monitors(const Project& project) { return project.has_monitors; }

}  // namespace tracker

template <> struct winnow::model<tracker::ProjectTeam> {
    static constexpr text key = "tracker.ProjectTeam";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto primary_key =
        winnow::primary_key<&tracker::ProjectTeam::project_id, &tracker::ProjectTeam::team_id>;
};

template <> struct winnow::model<tracker::ProjectKey> {
    static constexpr text key = "tracker.ProjectKey";
    static constexpr auto silo = winnow::silo::cell;
};

template <> struct winnow::model<tracker::ProjectOption> {
    static constexpr text key = "tracker.ProjectOption";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto primary_key =
        winnow::primary_key<&tracker::ProjectOption::project_id, &tracker::ProjectOption::name>;
};

template <> struct winnow::model<tracker::Project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto status = &tracker::Project::status;
    static constexpr auto birth = &tracker::Project::guid;
    /// Events go in bulk by project, long before their groups, which then need not look for them one by one.
    static constexpr auto children = winnow::children(
        cascade<&tracker::Event::project_id>, cascade<&tracker::Attachment::project_id>,
        cascade<&tracker::UserReport::project_id>, cascade<&tracker::Activity::project_id>,
        cascade<&tracker::GroupHash::project_id>, cascade<&tracker::Group::project_id>.skip<tracker::Event>(),
        cascade<&tracker::Monitor::project_id>.when<&tracker::has_monitors>(),
        cascade<&tracker::ReleaseProject::project_id>, cascade<&tracker::EnvironmentProject::project_id>,
        cascade<&tracker::ProjectTeam::project_id>, cascade<&tracker::ProjectKey::project_id>,
        cascade<&tracker::ProjectOption::project_id>,
        cascade<&tracker::Bookmark::target_id>.where<&tracker::Bookmark::target_kind>(
            tracker::bookmark_target::project));

    static bool should_proceed(const tracker::Project& project) { return is_deleting(project.status); }
};
