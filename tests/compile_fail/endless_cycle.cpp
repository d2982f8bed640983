// expect: these models refer to each other in a cycle without a nullable edge: declare one reference of the cycle as std::optional
// names: tracker.
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>
#include <optional>

struct project {
    std::int64_t id;
#ifdef WINNOW_FAIL
    std::int64_t event_id;
#else
    std::optional<std::int64_t> event_id;
#endif
};
WINNOW_DESCRIBE(project, id, event_id)

struct event {
    std::int64_t id;
    std::int64_t project_id;
    std::int64_t stage_id;
};
WINNOW_DESCRIBE(event, id, project_id, stage_id)

struct stage {
    std::int64_t id;
    std::int64_t event_id;
};
WINNOW_DESCRIBE(stage, id, event_id)

template <> struct winnow::model<event> {
    static constexpr text key = "tracker.Event";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&project::event_id>, cascade<&stage::event_id>);
};

// Refers to the event and is referred to by it, as the project: a pair of models may do that, three may not.
template <> struct winnow::model<stage> {
    static constexpr text key = "tracker.Stage";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&event::stage_id>);
};

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&event::project_id>);
};

using Models = winnow::registry<project, event, stage>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
