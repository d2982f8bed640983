// expect: birth does not name a member that is always there: write &T::m for a described member
// names: tracker.Project
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>
#include <string>

struct project {
    std::int64_t id;
    std::string guid;
};
WINNOW_DESCRIBE(project, id, guid)

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
#ifdef WINNOW_FAIL
    static constexpr text birth = "guid";
#else
    static constexpr auto birth = &project::guid;
#endif
};

using Models = winnow::registry<project>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
