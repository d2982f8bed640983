// expect: this member is named like a reference to the model, and no relation covers it: add cascade<&Child::member>
// names: tracker.GroupHash, tracker.Event, group_hash_id
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

struct event {
    std::int64_t id;
    std::int64_t group_hash_id;
};
WINNOW_DESCRIBE(event, id, group_hash_id)

template <> struct winnow::model<event> {
    static constexpr text key = "tracker.Event";
    static constexpr auto silo = winnow::silo::cell;
};

struct group_hash {
    std::int64_t id;
};
WINNOW_DESCRIBE(group_hash, id)

template <> struct winnow::model<group_hash> {
    static constexpr text key = "tracker.GroupHash";
    static constexpr auto silo = winnow::silo::cell;
#ifndef WINNOW_FAIL
    static constexpr auto children = winnow::children(cascade<&event::group_hash_id>);
#endif
};

using Models = winnow::registry<group_hash, event>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
