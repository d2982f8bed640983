// expect: the trait of this type names no silo: write static constexpr auto silo
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
    static constexpr text key = "tracker.Project";
#ifndef WINNOW_FAIL
    static constexpr auto silo = winnow::silo::cell;
#endif
};

using Models = winnow::registry<project>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
