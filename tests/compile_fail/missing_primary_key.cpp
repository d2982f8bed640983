// expect: the model has no member called id and names no primary key: write static constexpr auto primary_key
// names: tracker.Project
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

struct project {
    std::int64_t number;
};
WINNOW_DESCRIBE(project, number)

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
#ifndef WINNOW_FAIL
    static constexpr auto primary_key = winnow::primary_key<&project::number>;
#endif
};

using Models = winnow::registry<project>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
