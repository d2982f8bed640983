// expect: strategy::bulk would pass over the children or hooks of this model: remove the line
// names: tracker.Event
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

// a leaf that is deleted in bulk, which a declared child model references.
struct event {
    std::int64_t id;
};
WINNOW_DESCRIBE(event, id)

template <> struct winnow::model<event> {
    static constexpr text key = "tracker.Event";
    static constexpr auto silo = winnow::silo::cell;
#ifdef WINNOW_FAIL
    static constexpr auto strategy = winnow::strategy::bulk;
#endif
};

struct note {
    std::int64_t id;
    std::int64_t event_id;
};
WINNOW_DESCRIBE(note, id, event_id)

template <> struct winnow::model<note> {
    static constexpr text key = "plugin.Note";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto parents = winnow::parents(belongs_to<"tracker.Event", &note::event_id>);
};

using Models = winnow::registry<event, note>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
