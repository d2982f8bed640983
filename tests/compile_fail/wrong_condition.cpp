// expect: the function of when<...>() has a wrong signature: write bool function(const Parent&)
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

#ifdef WINNOW_FAIL
inline int has_events(const project& of) { return of.id > 0 ? 1 : 0; }
#else
inline bool has_events(const project& of) { return of.id > 0; }
#endif

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&event::project_id>.when<&has_events>());
};

using Models = winnow::registry<project, event>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
