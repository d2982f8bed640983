// expect: status does not name a member that can be marked: write &T::m for a winnow::object_status
// names: tracker.Project
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>
#include <string>

struct project {
    std::int64_t id;
    winnow::object_status status;
    std::string name;
    std::int32_t state;
};
WINNOW_DESCRIBE(project, id, status, name, state)

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
#ifdef WINNOW_FAIL
    static constexpr auto status = &project::state;
#else
    static constexpr auto status = winnow::status<&project::state>{.active = 1, .pending = 8, .in_progress = 9};
#endif
};

using Models = winnow::registry<project>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
