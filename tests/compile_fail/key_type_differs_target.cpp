// expect: this member's type differs from that of the key it refers to: give both the same type
// names: tracker.Project, tracker.Event, project_slug
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>
#include <string>

struct event {
    std::int64_t id;
    std::string project_slug;
};
WINNOW_DESCRIBE(event, id, project_slug)

template <> struct winnow::model<event> {
    static constexpr text key = "tracker.Event";
    static constexpr auto silo = winnow::silo::cell;
};

struct project {
    std::int64_t id;
    std::string slug;
};
WINNOW_DESCRIBE(project, id, slug)

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
#ifdef WINNOW_FAIL
    static constexpr auto children = winnow::children(cascade<&event::project_slug>);
#else
    static constexpr auto children = winnow::children(cascade<&event::project_slug, &project::slug>);
#endif
};

using Models = winnow::registry<project, event>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
