// expect: the type of this described member cannot be a column: use a signed 32- or 64-bit
// names: tracker.Project, tags
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>
#include <vector>

struct project {
    std::int64_t id;
    std::vector<int> tags;
};
#ifdef WINNOW_FAIL
WINNOW_DESCRIBE(project, id, tags)
#else
WINNOW_DESCRIBE(project, id)
#endif

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
};

using Models = winnow::registry<project>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
