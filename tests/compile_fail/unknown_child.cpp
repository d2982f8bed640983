// expect: the child of this relation is not in the registry: add it to winnow::registry<...>, or remove the relation
// names: tracker.Project, event
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
    static constexpr auto silo = winnow::silo::cell;
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

#ifdef WINNOW_FAIL
using Models = winnow::registry<project>;
#else
using Models = winnow::registry<project, event>;
#endif
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
