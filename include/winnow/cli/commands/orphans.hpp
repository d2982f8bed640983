// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/deletion/measure.hpp"

namespace winnow::inline v0::cli {

namespace detail {

inline int run_orphans(environment& in, const given& arguments) {
    std::optional<std::size_t> root;
    if (arguments.has("KEY")) root = in.models().at(arguments.text("KEY"));
    const context with = in.with(access::read);
    if (root) with.require_reachable(*root);
    const std::vector<orphan_count> found = find_orphans(with, root);
    std::int64_t total = 0;
    bool complete = true;
    for (const orphan_count& one : found) {
        total += one.rows > 0 ? one.rows : 0;
        complete = complete && one.rows >= 0;
    }
    const int code = total == 0 && complete ? 0 : 1;
    if (in.out().as_json()) {
        json relations = json::array();
        for (const orphan_count& one : found) {
            relations.push_back({{"child", one.child},
                                 {"parent", one.parent},
                                 {"columns", one.columns},
                                 {"rows", one.rows < 0 ? json(nullptr) : json(one.rows)},
                                 {"note", text_or_null(one.note)}});
        }
        in.out().print(json{{"orphans", total}, {"complete", complete}, {"relations", std::move(relations)}});
        return code;
    }
    table lines{"child", "by", "parent", ">orphans", "note"};
    for (const orphan_count& one : found) {
        if (one.rows != 0)
            lines.add({one.child, one.columns, one.parent, one.rows < 0 ? "?" : std::to_string(one.rows), one.note});
    }
    if (!lines.empty()) in.out().print(lines);
    in.out().line(counted(total, "orphan", "orphans") + " in " +
                  counted(static_cast<std::int64_t>(found.size()), "relation", "relations") +
                  (complete ? "." : "; some were not measured."));
    return code;
}

}  // namespace detail

/// `deletions orphans`.
[[nodiscard]] inline std::vector<command> orphans_commands() {
    return {{"deletions orphans",
             "rows that refer to a parent which does not exist; exit code 1 if there are any",
             {optional_positional("KEY", "only below this model")},
             detail::run_orphans,
             true}};
}

}  // namespace winnow::inline v0::cli
