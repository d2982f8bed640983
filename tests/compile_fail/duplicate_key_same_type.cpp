// expect: two models have the same key: give one of them another
// names: tracker.Project
// SPDX-License-Identifier: Apache-2.0
#include <winnow/winnow.hpp>

#include <cstdint>

struct project {
    std::int64_t id;
};
WINNOW_DESCRIBE(project, id)

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
};

#ifdef WINNOW_FAIL
using again = winnow::registry<project, project>;
#else
using again = winnow::registry<project>;
#endif
static_assert(again::size > 0);
