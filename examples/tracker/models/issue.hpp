// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <winnow/winnow.hpp>

#include "attachment.hpp"
#include "bookmark.hpp"

namespace tracker {

/// One occurrence of a problem. By far the largest table, so nothing hangs below it: it goes in bulk.
struct Event {
    std::int64_t id;
    std::int64_t project_id;
    std::optional<std::int64_t> group_id;
    std::string guid;
    std::string environment;
    std::string message;
    winnow::json_text payload;
    winnow::timestamp received_at;
};
WINNOW_DESCRIBE(Event, id, project_id, group_id, guid, environment, message, payload, received_at)

/// A fingerprint of a stack trace, by which events find their group.
struct GroupHash {
    std::int64_t id;
    std::int64_t project_id;
    std::optional<std::int64_t> group_id;
    std::string hash;
};
WINNOW_DESCRIBE(GroupHash, id, project_id, group_id, hash)

/// What happened to a group: resolved, assigned, seen again.
struct Activity {
    std::int64_t id;
    std::int64_t project_id;
    std::optional<std::int64_t> group_id;
    std::optional<std::int64_t> user_id;
    std::int32_t kind;
    winnow::json_text data;
    winnow::timestamp created_at;
};
WINNOW_DESCRIBE(Activity, id, project_id, group_id, user_id, kind, data, created_at)

/// Who looks after a group: a team or a member. Either may go; the group then has no owner.
struct GroupAssignee {
    std::int64_t id;
    std::int64_t group_id;
    std::optional<std::int64_t> team_id;
    std::optional<std::int64_t> organization_member_id;
    winnow::timestamp assigned_at;
};
WINNOW_DESCRIBE(GroupAssignee, id, group_id, team_id, organization_member_id, assigned_at)

struct GroupSubscription {
    std::int64_t id;
    std::int64_t group_id;
    std::int64_t user_id;
    std::int32_t reason;
};
WINNOW_DESCRIBE(GroupSubscription, id, group_id, user_id, reason)

/// What somebody who met the error wrote about it.
struct UserReport {
    std::int64_t id;
    std::int64_t project_id;
    std::optional<std::int64_t> group_id;
    std::string event_guid;
    std::string email;
    std::string comments;
};
WINNOW_DESCRIBE(UserReport, id, project_id, group_id, event_guid, email, comments)

/// A discussion below a group: a tree of any depth.
struct Comment {
    std::int64_t id;
    std::int64_t group_id;
    std::optional<std::int64_t> parent_id;
    std::int64_t user_id;
    std::string body;
    winnow::timestamp created_at;
};
WINNOW_DESCRIBE(Comment, id, group_id, parent_id, user_id, body, created_at)

/// The application's own states; winnow is told which of them are its business.
enum class group_status : std::int32_t {
    unresolved = 0,
    resolved = 1,
    ignored = 2,
    delete_requested = 7,
    deleting = 8
};

/// An issue: events that are one and the same problem. Its table bears a reserved word as its name.
struct Group {
    std::int64_t id;
    std::int64_t project_id;
    std::string title;
    std::string culprit;
    std::int32_t level;
    group_status status;
    std::int64_t times_seen;
    winnow::timestamp first_seen;
    winnow::timestamp last_seen;
    std::optional<std::string> first_release_version;
};
WINNOW_DESCRIBE(Group, id, project_id, title, culprit, level, status, times_seen, first_seen, last_seen,
                first_release_version)

}  // namespace tracker

template <> struct winnow::model<tracker::Event> {
    static constexpr text key = "tracker.Event";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr text rate_limit_option = "tracker.events.delete-rate";
};

template <> struct winnow::model<tracker::GroupHash> {
    static constexpr text key = "tracker.GroupHash";
    static constexpr auto silo = winnow::silo::cell;
};

template <> struct winnow::model<tracker::Activity> {
    static constexpr text key = "tracker.Activity";
    static constexpr auto silo = winnow::silo::cell;
    /// Users live in the control silo; their deletion does not reach into a cell.
    static constexpr auto remotes = winnow::remotes(remote<"tracker.User", &tracker::Activity::user_id>.set_null());
};

template <> struct winnow::model<tracker::GroupAssignee> {
    static constexpr text key = "tracker.GroupAssignee";
    static constexpr auto silo = winnow::silo::cell;
};

template <> struct winnow::model<tracker::GroupSubscription> {
    static constexpr text key = "tracker.GroupSubscription";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto remotes = winnow::remotes(remote<"tracker.User", &tracker::GroupSubscription::user_id>);
};

template <> struct winnow::model<tracker::UserReport> {
    static constexpr text key = "tracker.UserReport";
    static constexpr auto silo = winnow::silo::cell;
};

template <> struct winnow::model<tracker::Comment> {
    static constexpr text key = "tracker.Comment";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&tracker::Comment::parent_id>);
    /// What a person wrote stays when the person goes.
    static constexpr auto remotes = winnow::remotes(remote<"tracker.User", &tracker::Comment::user_id>.do_nothing());
};

template <> struct winnow::model<tracker::Group> {
    static constexpr text key = "tracker.Group";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr text table = "group";
    static constexpr auto status = winnow::status<&tracker::Group::status>{
        .active = tracker::group_status::unresolved,
        .pending = tracker::group_status::delete_requested,
        .in_progress = tracker::group_status::deleting,
    };
    static constexpr auto children = winnow::children(
        cascade<&tracker::Event::group_id>, cascade<&tracker::Attachment::group_id>,
        cascade<&tracker::GroupHash::group_id>, cascade<&tracker::Activity::group_id>,
        cascade<&tracker::GroupAssignee::group_id>, cascade<&tracker::GroupSubscription::group_id>,
        cascade<&tracker::UserReport::group_id>, cascade<&tracker::Comment::group_id>,
        cascade<&tracker::Bookmark::target_id>.where<&tracker::Bookmark::target_kind>(tracker::bookmark_target::group));

    static bool should_proceed(const tracker::Group& group) {
        return group.status == tracker::group_status::delete_requested ||
               group.status == tracker::group_status::deleting;
    }
};
