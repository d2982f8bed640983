// expect: a primary key, a reference or the filters of a relation name more than 8 members: name fewer
// names: tracker.Project, tracker.Event
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

struct event {
    std::int64_t id;
    std::int64_t project_id;
    std::int64_t k0;
    std::int64_t k1;
    std::int64_t k2;
    std::int64_t k3;
    std::int64_t k4;
    std::int64_t k5;
    std::int64_t k6;
    std::int64_t k7;
    std::int64_t k8;
};
WINNOW_DESCRIBE(event, id, project_id, k0, k1, k2, k3, k4, k5, k6, k7, k8)

template <> struct winnow::model<event> {
    static constexpr text key = "tracker.Event";
    static constexpr auto silo = winnow::silo::cell;
};

struct project {
    std::int64_t id;
};
WINNOW_DESCRIBE(project, id)

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
#ifdef WINNOW_FAIL
    static constexpr auto children = winnow::children(cascade<&event::project_id>.where<&event::k0>(0).where<&event::k1>(1).where<&event::k2>(2).where<&event::k3>(3).where<&event::k4>(4).where<&event::k5>(5).where<&event::k6>(6).where<&event::k7>(7).where<&event::k8>(8));
#else
    static constexpr auto children = winnow::children(cascade<&event::project_id>.where<&event::k0>(0).where<&event::k1>(1).where<&event::k2>(2).where<&event::k3>(3).where<&event::k4>(4).where<&event::k5>(5).where<&event::k6>(6).where<&event::k7>(7));
#endif
};

using Models = winnow::registry<project, event>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
