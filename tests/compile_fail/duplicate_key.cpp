// expect: two models have the same key: give one of them another
// names: tracker.Event, project, event
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
    static constexpr text key = "tracker.Event";
#else
    static constexpr text key = "tracker.Project";
#endif
    static constexpr auto silo = winnow::silo::cell;
};

struct event {
    std::int64_t id;
};
WINNOW_DESCRIBE(event, id)

template <> struct winnow::model<event> {
    static constexpr text key = "tracker.Event";
    static constexpr auto silo = winnow::silo::cell;
};

using Models = winnow::registry<project, event>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
