// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <winnow/store/connection.hpp>

namespace bench {

/// How large a tenant tree is. Organizations are of equal size; the first one is doomed.
struct tree_scale {
    std::string_view name;
    std::int64_t organizations;
    std::int64_t projects;  ///< of an organization
    std::int64_t groups;    ///< of a project
    std::int64_t events;    ///< of a group
    /// Too large for a template and its copies: made anew for each run, and larger than memory.
    bool alone = false;
};

inline constexpr std::array tree_scales{
    tree_scale{"small", 3, 2, 12, 30},      // seconds, to see that everything works
    tree_scale{"s1", 6, 10, 200, 100},      // 294 000 rows in each organization
    tree_scale{"s2", 2, 20, 1'000, 100},    // 2.9 million
    tree_scale{"sparse", 60, 10, 20, 100},  // 29 400, one row in sixty
    tree_scale{.name = "s30", .organizations = 2, .projects = 20, .groups = 10'210, .events = 100, .alone = true},
};

/// One table of the tree, in the order in which rows may come into being.
struct tree_table {
    std::string_view name;
    std::string_view columns;  ///< after the key; `{big}`, `{time}` and `{json}` stand for types
    struct reference {
        std::string_view column;
        std::string_view parent;
    };
    std::array<reference, 2> references{};
    std::string_view tenant;  ///< condition that picks the rows of organization `{org}`
};

[[nodiscard]] std::span<const tree_table> tree_tables() noexcept;

/// Which actions the foreign keys have.
enum class key_action : unsigned char { none, cascade };

/// Makes the tables and fills them. Rows of all organizations are interleaved on every page, as live traffic leaves
/// them: row n of a child table belongs to parent n modulo their number.
void make_tree(winnow::connection& database, const tree_scale& scale, key_action action);
/// PostgreSQL: gives the foreign keys of a tree another action.
void change_keys(winnow::connection& database, key_action action);
/// What is wrong after the first organization was deleted; empty: nothing.
/// @param partly it was not deleted to its end
[[nodiscard]] std::string tree_fault(winnow::connection& database, bool partly);
/// Rows of the first organization.
[[nodiscard]] std::int64_t doomed_rows(winnow::connection& database);

/// How many objects are copied to another database.
struct copy_scale {
    std::string_view name;
    std::int64_t objects;
    std::int64_t shards;
};
inline constexpr std::array copy_scales{
    copy_scale{"small", 2'000, 50},
    copy_scale{"s1", 200'000, 1'000},
    copy_scale{"s2", 2'000'000, 10'000},
};
void make_members(winnow::connection& source, const copy_scale& scale);
void make_copies(winnow::connection& target);
/// One message for each member.
void fill_outbox(winnow::connection& source);

}  // namespace bench
