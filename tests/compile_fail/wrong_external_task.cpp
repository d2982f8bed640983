// expect: this external task has a wrong form: write static constexpr text name
// names: tracker.Project, files
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>
#include <vector>

struct files {
    static constexpr winnow::text name = "files";
#ifdef WINNOW_FAIL
    static bool chunk(const std::vector<std::int32_t>& ids, const winnow::hook_context&) { return ids.empty(); }
#else
    static bool chunk(const std::vector<std::int64_t>& ids, const winnow::hook_context&) { return ids.empty(); }
#endif
};

struct project {
    std::int64_t id;
};
WINNOW_DESCRIBE(project, id)

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(external<files>);
};

using Models = winnow::registry<project>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
