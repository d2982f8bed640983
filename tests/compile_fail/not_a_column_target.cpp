// expect: this member is not a column of the model: add it to the model's WINNOW_DESCRIBE
// names: tracker.Project, project::slug
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
#ifdef WINNOW_FAIL
WINNOW_DESCRIBE(project, id)
#else
WINNOW_DESCRIBE(project, id, slug)
#endif

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&event::project_slug, &project::slug>);
};

using Models = winnow::registry<project, event>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
