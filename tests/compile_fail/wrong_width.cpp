// expect: this relation has not as many columns as it refers to: list one parent member for each child member
// names: tracker.Project, tracker.Event
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

struct event {
    std::int64_t id;
    std::int32_t region;
    std::int64_t number;
};
WINNOW_DESCRIBE(event, id, region, number)

template <> struct winnow::model<event> {
    static constexpr text key = "tracker.Event";
    static constexpr auto silo = winnow::silo::cell;
};

struct project {
    std::int64_t id;
    std::int32_t region;
    std::int64_t number;
};
WINNOW_DESCRIBE(project, id, region, number)

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
#ifdef WINNOW_FAIL
    static constexpr auto children =
        winnow::children(cascade<on<&event::region, &event::number>, on<&project::region>>);
#else
    static constexpr auto children =
        winnow::children(cascade<on<&event::region, &event::number>, on<&project::region, &project::number>>);
#endif
};

using Models = winnow::registry<project, event>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
