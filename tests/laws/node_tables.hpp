// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "laws/run_tree.hpp"
#include "support/table_plans.hpp"

namespace winnow_test {

/// One table whose rows have a parent in the same table; row 1 is the root.
class node_table {
public:
    explicit node_table(std::int32_t chunk_size) {
        const std::size_t node = plans_.add_table("node", {{"parent_id", true}}, chunk_size);
        plans_.add_relation(node, node, "parent_id", true);
        plans_.finish();
    }
    [[nodiscard]] winnow::catalog models() const { return plans_.models(); }

    static void create(winnow::connection& on, bool with_keys = true) {
        const bool postgres = on.kind() == winnow::dialect::postgres;
        on.execute_script(std::string("CREATE TABLE node (id ") +
                          (postgres ? "bigint PRIMARY KEY" : "INTEGER PRIMARY KEY AUTOINCREMENT") +
                          ", parent_id bigint" +
                          (with_keys ? " REFERENCES node(id) DEFERRABLE INITIALLY DEFERRED" : "") +
                          "); CREATE INDEX node_parent ON node(parent_id);");
    }
    /// Rows 1 to `count`; `parent(id)` gives each its parent, 0 for none.
    template <class Parent>
    static void fill(winnow::connection& on, std::int64_t count, Parent&& parent) {
        std::string script = "BEGIN;";
        for (std::int64_t from = 1; from <= count; from += 1'000) {
            script += "INSERT INTO node VALUES ";
            for (std::int64_t id = from; id < from + 1'000 && id <= count; ++id) {
                const std::int64_t above = parent(id);
                if (id != from) script += ',';
                script += '(' + std::to_string(id) + ',' + (above == 0 ? "NULL" : std::to_string(above)) + ')';
            }
            script += ';';
        }
        on.execute_script(script + "COMMIT;");
    }

private:
    table_plans plans_{"tree"};
};

/// A shape of trees: the parent of each of `count` rows.
struct tree_shape {
    std::string_view name;
    std::int64_t (*parent)(std::int64_t id, std::mt19937_64& random);
};

inline constexpr tree_shape tree_shapes[] = {
    {"chain", [](std::int64_t id, std::mt19937_64&) { return id - 1; }},
    {"star", [](std::int64_t id, std::mt19937_64&) -> std::int64_t { return id == 1 ? 0 : 1; }},
    {"binary", [](std::int64_t id, std::mt19937_64&) { return id / 2; }},
    {"random",
     [](std::int64_t id, std::mt19937_64& random) {
         return id == 1 ? 0 : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(id - 1)) + 1;
     }},
    // A chain in which each row has four leaves as well.
    {"caterpillar",
     [](std::int64_t id, std::mt19937_64&) -> std::int64_t {
         return id <= 1 ? 0 : id % 5 == 1 ? id - 5 : (id - 2) / 5 * 5 + 1;
     }},
    // A star at the end of a chain.
    {"broom", [](std::int64_t id, std::mt19937_64&) -> std::int64_t { return id <= 1'000 ? id - 1 : 1'000; }},
};

}  // namespace winnow_test
