// expect: the child of this local relation lives in another silo: put both in one silo, or remove the relation
// names: tracker.Project, tracker.Event, project_id
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

struct event {
    std::int64_t id;
    std::int64_t project_id;
};
WINNOW_DESCRIBE(event, id, project_id)

template <> struct winnow::model<event> {
    static constexpr text key = "tracker.Event";
#ifdef WINNOW_FAIL
    static constexpr auto silo = winnow::silo::control;
#else
    static constexpr auto silo = winnow::silo::cell;
#endif
};

struct project {
    std::int64_t id;
};
WINNOW_DESCRIBE(project, id)

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&event::project_id>);
};

using Models = winnow::registry<project, event>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
