// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <winnow/winnow.hpp>

#include "alert.hpp"
#include "bookmark.hpp"
#include "copies.hpp"
#include "dashboard.hpp"
#include "environment.hpp"
#include "project.hpp"
#include "release.hpp"

namespace tracker {

/// A customer: everything in a cell hangs below one.
struct Organization {
    std::int64_t id;
    std::string guid;
    std::string slug;
    std::string name;
    winnow::object_status status;
    std::optional<std::int64_t> default_team_id;
    winnow::timestamp created_at;
};
WINNOW_DESCRIBE(Organization, id, guid, slug, name, status, default_team_id, created_at)

struct Team {
    std::int64_t id;
    std::int64_t organization_id;
    std::string slug;
    std::string name;
};
WINNOW_DESCRIBE(Team, id, organization_id, slug, name)

enum class member_role : std::int32_t { member = 0, manager = 1, owner = 2 };

struct OrganizationMember {
    std::int64_t id;
    std::int64_t organization_id;
    std::int64_t user_id;
    member_role role;
    winnow::timestamp joined_at;
};
WINNOW_DESCRIBE(OrganizationMember, id, organization_id, user_id, role, joined_at)

struct TeamMember {
    std::int64_t id;
    std::int64_t team_id;
    std::int64_t organization_member_id;
};
WINNOW_DESCRIBE(TeamMember, id, team_id, organization_member_id)

/// A lawyer's order to keep everything. While there is one, the organization cannot be deleted.
struct LegalHold {
    std::int64_t id;
    std::int64_t organization_id;
    std::string reason;
    winnow::timestamp placed_at;
};
WINNOW_DESCRIBE(LegalHold, id, organization_id, reason, placed_at)

}  // namespace tracker

template <> struct winnow::model<tracker::LegalHold> {
    static constexpr text key = "tracker.LegalHold";
    static constexpr auto silo = winnow::silo::cell;
};

template <> struct winnow::model<tracker::TeamMember> {
    static constexpr text key = "tracker.TeamMember";
    static constexpr auto silo = winnow::silo::cell;
};

template <> struct winnow::model<tracker::OrganizationMember> {
    static constexpr text key = "tracker.OrganizationMember";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&tracker::TeamMember::organization_member_id>,
                                                      cascade<&tracker::Bookmark::organization_member_id>,
                                                      set_null<&tracker::GroupAssignee::organization_member_id>);
    /// Members go when the person has gone from the control silo.
    static constexpr auto remotes = winnow::remotes(remote<"tracker.User", &tracker::OrganizationMember::user_id>);
};

template <> struct winnow::model<tracker::Team> {
    static constexpr text key = "tracker.Team";
    static constexpr auto silo = winnow::silo::cell;
    /// An organization has teams and one of them is its default: a cycle, cut at the nullable side.
    static constexpr auto children =
        winnow::children(cascade<&tracker::TeamMember::team_id>, cascade<&tracker::ProjectTeam::team_id>,
                         set_null<&tracker::GroupAssignee::team_id>, set_null<&tracker::AlertRule::team_id>,
                         set_null<&tracker::Organization::default_team_id>);
};

template <> struct winnow::model<tracker::Organization> {
    static constexpr text key = "tracker.Organization";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto status = &tracker::Organization::status;
    static constexpr auto birth = &tracker::Organization::guid;
    static constexpr auto children = winnow::children(
        restrict_<&tracker::LegalHold::organization_id>, cascade<&tracker::Project::organization_id>,
        cascade<&tracker::Release::organization_id>, cascade<&tracker::AlertRule::organization_id>,
        cascade<&tracker::Incident::organization_id>, cascade<&tracker::SavedQuery::organization_id>,
        cascade<&tracker::Dashboard::organization_id>, cascade<&tracker::Environment::organization_id>,
        cascade<&tracker::Team::organization_id>, cascade<&tracker::OrganizationMember::organization_id>);
    /// The control silo knows every organization and its cell.
    static constexpr int replication_version = 1;
    static constexpr auto replication = replicates<tracker::Category::organization_update>(
        shard<&tracker::Organization::id>,
        mirror<tracker::OrganizationMapping>(
            from_cell<&tracker::OrganizationMapping::cell>,
            map<&tracker::Organization::id, &tracker::OrganizationMapping::organization_id>,
            map<&tracker::Organization::slug, &tracker::OrganizationMapping::slug>,
            map<&tracker::Organization::name, &tracker::OrganizationMapping::name>,
            map<&tracker::Organization::status, &tracker::OrganizationMapping::status>));

    static bool should_proceed(const tracker::Organization& organization) { return is_deleting(organization.status); }

    static void pending_delete(const tracker::Organization& organization, const hook_context& context) {
        tracker::announce_deletion(organization.slug, context);
    }
};
