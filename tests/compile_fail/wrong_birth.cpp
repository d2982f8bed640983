// expect: birth does not name a member that is always there: write &T::m for a described member
// names: tracker.Project
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>
#include <optional>
#include <string>

struct project {
    std::int64_t id;

#ifdef WINNOW_FAIL
    std::optional<std::string> guid;
#else
    std::string guid;
#endif
};
WINNOW_DESCRIBE(project, id, guid)

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto birth = &project::guid;
};

using Models = winnow::registry<project>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
