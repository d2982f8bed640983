// expect: this member is named like a reference to the model, and no relation covers it: add cascade<&Child::member>
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
    static constexpr auto silo = winnow::silo::cell;
};

struct project {
    std::int64_t id;
};
WINNOW_DESCRIBE(project, id)

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
#ifndef WINNOW_FAIL
    static constexpr auto children = winnow::children(cascade<&event::project_id>);
#endif
};

using Models = winnow::registry<project, event>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
