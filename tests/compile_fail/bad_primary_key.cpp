// expect: this member cannot be part of a primary key: use std::int32_t, std::int64_t, std::string
// names: tracker.Project, id
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>
#include <optional>

struct project {
#ifdef WINNOW_FAIL
    std::optional<std::int64_t> id;
#else
    std::int64_t id;
#endif
};
WINNOW_DESCRIBE(project, id)

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
};

using Models = winnow::registry<project>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
