// expect: strategy::bulk would pass over the children or hooks of this model: remove the line
// names: tracker.Project
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>
#include <vector>

struct files {
    static constexpr winnow::text name = "files";
    static bool chunk(const std::vector<std::int64_t>& ids, const winnow::hook_context&) { return ids.empty(); }
};

struct project {
    std::int64_t id;
};
WINNOW_DESCRIBE(project, id)

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(external<files>);
#ifdef WINNOW_FAIL
    static constexpr auto strategy = winnow::strategy::bulk;
#endif
};

using Models = winnow::registry<project>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
