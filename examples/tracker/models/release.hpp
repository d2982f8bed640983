// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <winnow/winnow.hpp>

#include "issue.hpp"

namespace tracker {

/// A version of somebody's software. Its key is a text, and other tables refer to it by that text.
struct Release {
    std::string version;
    std::int64_t organization_id;
    std::string commit_hash;
    winnow::timestamp released_at;
};
WINNOW_DESCRIBE(Release, version, organization_id, commit_hash, released_at)

struct ReleaseProject {
    std::int64_t id;
    std::string release_version;
    std::int64_t project_id;
    std::int32_t new_groups;
};
WINNOW_DESCRIBE(ReleaseProject, id, release_version, project_id, new_groups)

/// A source map or a debug file.
struct ReleaseFile {
    std::int64_t id;
    std::string release_version;
    std::string name;
    std::string checksum;
    std::int64_t size;
};
WINNOW_DESCRIBE(ReleaseFile, id, release_version, name, checksum, size)

struct Deploy {
    std::int64_t id;
    std::string release_version;
    std::int64_t environment_id;
    winnow::timestamp finished_at;
};
WINNOW_DESCRIBE(Deploy, id, release_version, environment_id, finished_at)

}  // namespace tracker

template <> struct winnow::model<tracker::ReleaseProject> {
    static constexpr text key = "tracker.ReleaseProject";
    static constexpr auto silo = winnow::silo::cell;
};

template <> struct winnow::model<tracker::ReleaseFile> {
    static constexpr text key = "tracker.ReleaseFile";
    static constexpr auto silo = winnow::silo::cell;
};

template <> struct winnow::model<tracker::Deploy> {
    static constexpr text key = "tracker.Deploy";
    static constexpr auto silo = winnow::silo::cell;
};

template <> struct winnow::model<tracker::Release> {
    static constexpr text key = "tracker.Release";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto primary_key = winnow::primary_key<&tracker::Release::version>;
    /// What a forgotten reference to a release would be called; the default would be release_id.
    static constexpr text foreign_name = "release_version";
    static constexpr auto children = winnow::children(
        cascade<&tracker::ReleaseProject::release_version>, cascade<&tracker::ReleaseFile::release_version>,
        cascade<&tracker::Deploy::release_version>, set_null<&tracker::Group::first_release_version>);

    static void after_delete(const tracker::Release&) { tracker::count_deleted_release(); }
};
