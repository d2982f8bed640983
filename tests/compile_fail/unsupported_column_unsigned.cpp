// expect: the type of this described member cannot be a column: use a signed 32- or 64-bit
// names: tracker.Project, flags
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

struct project {
    std::int64_t id;

#ifdef WINNOW_FAIL
    std::uint32_t flags;
#else
    std::int32_t flags;
#endif
};
WINNOW_DESCRIBE(project, id, flags)

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
};

using Models = winnow::registry<project>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
