// expect: two models are over the same table: give one of them another, or declare one model only
// names: tracker.Project, tracker.Event, project
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
    static constexpr auto silo = winnow::silo::cell;
    static constexpr text table = "project";
};

struct event {
    std::int64_t id;
};
WINNOW_DESCRIBE(event, id)

template <> struct winnow::model<event> {
    static constexpr text key = "tracker.Event";
    static constexpr auto silo = winnow::silo::cell;
#ifdef WINNOW_FAIL
    static constexpr text table = "project";
#else
    static constexpr text table = "event";
#endif
};

using Models = winnow::registry<project, event>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
