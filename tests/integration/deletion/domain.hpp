// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <winnow/winnow.hpp>

#include "integration/deletion/catalogs.hpp"

/// The models that the tests delete, declared as a user would.
namespace domain {

// org ← proj ← issue ← event
struct org {
    std::int64_t id;
    winnow::object_status status;
};
struct proj {
    std::int64_t id;
    std::int64_t org_id;
};
struct issue {
    std::int64_t id;
    std::int64_t proj_id;
};
struct event {
    std::int64_t id;
    std::int64_t issue_id;
};
WINNOW_DESCRIBE(org, id, status)
WINNOW_DESCRIBE(proj, id, org_id)
WINNOW_DESCRIBE(issue, id, proj_id)
WINNOW_DESCRIBE(event, id, issue_id)

// parent ← child, with hooks
struct parent {
    std::int64_t id;
};
struct child {
    std::int64_t id;
    std::int64_t parent_id;
    std::optional<winnow::timestamp> deleted_at;
};
WINNOW_DESCRIBE(parent, id)
WINNOW_DESCRIBE(child, id, parent_id, deleted_at)

// A table that refers to itself, in two sizes of chunk.
struct node {
    std::int64_t id;
    std::optional<std::int64_t> parent_id;
};
struct small_node {
    std::int64_t id;
    std::optional<std::int64_t> parent_id;
};
WINNOW_DESCRIBE(node, id, parent_id)
WINNOW_DESCRIBE(small_node, id, parent_id)

// owner and all kinds of relation
struct owner {
    std::int64_t id;
    std::int64_t level;
};
struct memo {
    std::int64_t id;
    std::optional<std::int64_t> owner_id;
};
struct invoice {
    std::int64_t id;
    std::int64_t owner_id;
};
struct trace {
    std::int64_t id;
    std::int64_t owner_id;
};
enum class target_kind : std::int32_t { owner = 3, other = 4 };
struct attachment {
    std::int64_t id;
    target_kind object_kind;
    std::int64_t object_id;
};
struct perk {
    std::int64_t id;
    std::int64_t owner_id;
};
struct doc {
    std::int64_t id;
    std::int64_t owner_id;
};
WINNOW_DESCRIBE(owner, id, level)
WINNOW_DESCRIBE(memo, id, owner_id)
WINNOW_DESCRIBE(invoice, id, owner_id)
WINNOW_DESCRIBE(trace, id, owner_id)
WINNOW_DESCRIBE(attachment, id, object_kind, object_id)
WINNOW_DESCRIBE(perk, id, owner_id)
WINNOW_DESCRIBE(doc, id, owner_id)

struct files {
    static constexpr winnow::text name = "files";
    static bool chunk(const std::vector<std::int64_t>& ids, const winnow::hook_context& context) {
        return winnow_test::spy().external && winnow_test::spy().external("files", ids, context);
    }
};
struct pages {
    static constexpr winnow::text name = "pages";
    static bool chunk(const std::vector<std::int64_t>& ids, const winnow::hook_context& context) {
        return winnow_test::spy().external && winnow_test::spy().external("pages", ids, context);
    }
};

// A project deletes its events itself; its groups skip them.
struct skip_project {
    std::int64_t id;
};
struct skip_group {
    std::int64_t id;
    std::int64_t project_id;
};
struct skip_event {
    std::int64_t id;
    std::int64_t project_id;
    std::int64_t group_id;
};
WINNOW_DESCRIBE(skip_project, id)
WINNOW_DESCRIBE(skip_group, id, project_id)
WINNOW_DESCRIBE(skip_event, id, project_id, group_id)

// Keys of every kind
struct tenant {
    std::string region;
    std::int64_t number;
};
struct seat {
    std::string region;
    std::int64_t number;
    std::int64_t place;
};
struct booking {
    std::int64_t id;
    std::string region;
    std::int64_t number;
    std::int64_t place;
};
struct country {
    std::string code;
};
struct city {
    std::int64_t id;
    std::string country_code;
};
struct device {
    winnow::uuid id;
};
struct reading {
    winnow::uuid id;
    winnow::uuid device_id;
};
struct narrow {
    std::int32_t id;
};
struct tiny {
    std::int32_t id;
    std::int32_t narrow_id;
};
struct feed {
    std::int64_t id;
    std::string slug;
    std::optional<std::int64_t> code;
};
struct post {
    std::int64_t id;
    std::string feed_slug;
};
struct item {
    std::int64_t id;
    std::optional<std::int64_t> feed_code;
};
WINNOW_DESCRIBE(tenant, region, number)
WINNOW_DESCRIBE(seat, region, number, place)
WINNOW_DESCRIBE(booking, id, region, number, place)
WINNOW_DESCRIBE(country, code)
WINNOW_DESCRIBE(city, id, country_code)
WINNOW_DESCRIBE(device, id)
WINNOW_DESCRIBE(reading, id, device_id)
WINNOW_DESCRIBE(narrow, id)
WINNOW_DESCRIBE(tiny, id, narrow_id)
WINNOW_DESCRIBE(feed, id, slug, code)
WINNOW_DESCRIBE(post, id, feed_slug)
WINNOW_DESCRIBE(item, id, feed_code)

// One model in each silo
struct account {
    std::int64_t id;
};
struct team {
    std::int64_t id;
};
WINNOW_DESCRIBE(account, id)
WINNOW_DESCRIBE(team, id)

struct thing {
    std::int64_t id;
    std::string guid;
};
WINNOW_DESCRIBE(thing, id, guid)

// Rate limits
struct limited_parent {
    std::int64_t id;
};
struct limited_bulk {
    std::int64_t id;
    std::int64_t parent_id;
};
struct limited_single {
    std::int64_t id;
    std::int64_t parent_id;
};
WINNOW_DESCRIBE(limited_parent, id)
WINNOW_DESCRIBE(limited_bulk, id, parent_id)
WINNOW_DESCRIBE(limited_single, id, parent_id)

// Two parents of one child
struct left {
    std::int64_t id;
};
struct right {
    std::int64_t id;
};
struct link {
    std::int64_t id;
    std::int64_t left_id;
    std::int64_t right_id;
};
struct link_note {
    std::int64_t id;
    std::int64_t link_id;
};
WINNOW_DESCRIBE(left, id)
WINNOW_DESCRIBE(right, id)
WINNOW_DESCRIBE(link, id, left_id, right_id)
WINNOW_DESCRIBE(link_note, id, link_id)

}  // namespace domain
