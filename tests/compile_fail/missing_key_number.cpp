// expect: the trait of this type has no text key: write static constexpr text key
// names: project
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

struct project {
    std::int64_t id;
};
WINNOW_DESCRIBE(project, id)

template <> struct winnow::model<project> {
#ifdef WINNOW_FAIL
    static constexpr int key = 7;
#else
    static constexpr text key = "tracker.Project";
#endif
    static constexpr auto silo = winnow::silo::cell;
};

using Models = winnow::registry<project>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
