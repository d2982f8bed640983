// expect: this member is named like a reference to the model, and no relation covers it
// names: tracker.Event, tracker.Attachment, event_id
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
    static constexpr auto strategy = winnow::strategy::bulk;
};

struct attachment {
    std::int64_t id;
    std::int64_t event_id;
};
WINNOW_DESCRIBE(attachment, id, event_id)

template <> struct winnow::model<attachment> {
    static constexpr text key = "tracker.Attachment";
    static constexpr auto silo = winnow::silo::cell;
#ifndef WINNOW_FAIL
    static constexpr auto unrelated = winnow::unrelated<&attachment::event_id>;
#endif
};

using Models = winnow::registry<event, attachment>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
