// expect: this member's type differs from that of the key it refers to: give both the same type
// names: tracker.Project, tracker.Event, region
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
    std::int32_t region;
    std::int64_t number;
};
WINNOW_DESCRIBE(project, region, number)

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto primary_key = winnow::primary_key<&project::region, &project::number>;
#ifdef WINNOW_FAIL
    static constexpr auto children = winnow::children(cascade<&event::region>);
#else
    static constexpr auto children = winnow::children(cascade<on<&event::region, &event::number>>);
#endif
};

using Models = winnow::registry<project, event>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
