// expect: this member is not a column of the model
// names: tracker.Event, Event::id
// SPDX-License-Identifier: Apache-2.0
#include <winnow/winnow.hpp>

#include <cstdint>
#include <string>

struct Project {
    std::int64_t id;
    std::string name;
};
struct Event {
    std::int64_t id;
    std::int64_t project_id;
};
WINNOW_DESCRIBE(Project, id, name)
#ifdef WINNOW_FAIL
WINNOW_DESCRIBE(Event, project_id)
#else
WINNOW_DESCRIBE(Event, id, project_id)
#endif
template <> struct winnow::model<Event> {
    static constexpr text key = "tracker.Event";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<Project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&Event::project_id>);
};
using Models = winnow::registry<Project, Event>;

static_assert(Models::size != 0);
