// SPDX-License-Identifier: Apache-2.0
// Sets of models: which refusal is spoken, as a type with its names, and that right ones are accepted.
#include <cstdint>
#include <type_traits>

#include "golden/models.hpp"
#include "winnow/derive/plans_of.hpp"

namespace proved {

namespace refusal = winnow::refusal;
using winnow::accepted;
using winnow::verdict_of;

/// True if the registry of `Models` would speak `Refusal`.
template <class Refusal, class... Models> constexpr bool speaks = std::is_same_v<verdict_of<Models...>, Refusal>;

static_assert(speaks<accepted, shop::account, shop::order, shop::order_line, shop::category, shop::device, shop::label,
                     shop::note>);
static_assert(shop::models::proved && shop::models::size == 7);
static_assert(shop::models::contains<shop::note> && !shop::models::contains<int>);
static_assert(shop::models::records[1]->key == "shop.Order");
static_assert(speaks<accepted>, "a registry may be empty");
static_assert(winnow::plans_of<winnow::registry<>>.empty());

struct project {
    std::int64_t id;
};
struct event {
    std::int64_t id;
    std::int64_t project_id;
};
struct late_event {
    std::int64_t id;
    std::int64_t project_id;
};
struct moved_event {
    std::int64_t id;
    std::int64_t project_id;
};
struct narrow_event {
    std::int64_t id;
    std::int32_t project_id;
};
struct twin {
    std::int64_t id;
};
struct shadow {
    std::int64_t id;
};
struct looping {
    std::int64_t id;
    std::int64_t looped_id;
};
struct loop {
    std::int64_t id;
    std::int64_t looping_id;
};
struct looped {
    std::int64_t id;
    std::int64_t loop_id;
};
struct team {
    std::int64_t id;
    std::int64_t member_id;
};
struct member {
    std::int64_t id;
    std::int64_t team_id;
};
struct leaf {
    std::int64_t id;
};
struct leaf_note {
    std::int64_t id;
    std::int64_t leaf_id;
};
struct untraited {
    std::int64_t id;
};
struct undescribed {
    std::int64_t id;
};
WINNOW_DESCRIBE(project, id)
WINNOW_DESCRIBE(event, id, project_id)
WINNOW_DESCRIBE(late_event, id, project_id)
WINNOW_DESCRIBE(moved_event, id, project_id)
WINNOW_DESCRIBE(narrow_event, id, project_id)
WINNOW_DESCRIBE(twin, id)
WINNOW_DESCRIBE(shadow, id)
WINNOW_DESCRIBE(looping, id, looped_id)
WINNOW_DESCRIBE(loop, id, looping_id)
WINNOW_DESCRIBE(looped, id, loop_id)
WINNOW_DESCRIBE(team, id, member_id)
WINNOW_DESCRIBE(member, id, team_id)
WINNOW_DESCRIBE(leaf, id)
WINNOW_DESCRIBE(leaf_note, id, leaf_id)
WINNOW_DESCRIBE(untraited, id)

}  // namespace proved

template <> struct winnow::model<proved::project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&proved::event::project_id>);
};
template <> struct winnow::model<proved::event> {
    static constexpr text key = "tracker.Event";
    static constexpr auto silo = winnow::silo::cell;
};
// Knows its parent, which does not know it.
template <> struct winnow::model<proved::late_event> {
    static constexpr text key = "plugin.Event";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto parents = winnow::parents(belongs_to<"tracker.Project", &proved::late_event::project_id>);
};
template <> struct winnow::model<proved::moved_event> {
    static constexpr text key = "moved.Event";
    static constexpr auto silo = winnow::silo::control;
    static constexpr auto parents = winnow::parents(belongs_to<"tracker.Project", &proved::moved_event::project_id>);
};
template <> struct winnow::model<proved::narrow_event> {
    static constexpr text key = "narrow.Event";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto parents = winnow::parents(belongs_to<"tracker.Project", &proved::narrow_event::project_id>);
};
template <> struct winnow::model<proved::twin> {
    static constexpr text key = "tracker.Event";
    static constexpr text table = "twin";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<proved::shadow> {
    static constexpr text key = "tracker.Shadow";
    static constexpr text table = "tracker_event";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<proved::looping> {
    static constexpr text key = "tracker.Looping";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&proved::loop::looping_id>);
};
template <> struct winnow::model<proved::loop> {
    static constexpr text key = "tracker.Loop";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&proved::looped::loop_id>);
};
template <> struct winnow::model<proved::looped> {
    static constexpr text key = "tracker.Looped";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&proved::looping::looped_id>);
};
template <> struct winnow::model<proved::team> {
    static constexpr text key = "tracker.Team";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&proved::member::team_id>);
};
template <> struct winnow::model<proved::member> {
    static constexpr text key = "tracker.Member";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&proved::team::member_id>);
};
template <> struct winnow::model<proved::leaf> {
    static constexpr text key = "tracker.Leaf";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto strategy = winnow::strategy::bulk;
};
template <> struct winnow::model<proved::leaf_note> {
    static constexpr text key = "plugin.LeafNote";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto parents = winnow::parents(belongs_to<"tracker.Leaf", &proved::leaf_note::leaf_id>);
};
template <> struct winnow::model<proved::undescribed> {
    static constexpr text key = "tracker.Undescribed";
    static constexpr auto silo = winnow::silo::cell;
};

namespace proved {

static_assert(speaks<accepted, project, event> && speaks<accepted, event, project>);
static_assert(speaks<accepted, project, event, late_event>, "an attached relation covers the member");
static_assert(speaks<accepted, late_event>, "the parent may be in another part of the program");
static_assert(speaks<accepted, leaf>);

static_assert(speaks<refusal::no_model<"proved::untraited">, untraited>);
static_assert(speaks<refusal::not_described<"proved::undescribed">, undescribed>);
static_assert(speaks<refusal::unknown_child<"tracker.Project", "proved::event">, project>);
static_assert(speaks<refusal::other_silo<"tracker.Project", "moved.Event", "project_id">, project, event, moved_event>);
static_assert(
    speaks<refusal::key_type_differs<"tracker.Project", "narrow.Event", "project_id">, project, event, narrow_event>);
static_assert(
    speaks<refusal::duplicate_table<"tracker.Event", "tracker.Shadow", "\"tracker_event\"">, project, event, shadow>);
static_assert(speaks<refusal::bulk_forced<"tracker.Leaf">, leaf, leaf_note>);

// The order of the models does not matter to whether they are right, and does not hide what is wrong.
static_assert(!speaks<accepted, looping, loop, looped> && !speaks<accepted, looped, loop, looping>);
static_assert(speaks<refusal::endless_cycle<"tracker.Looping", "tracker.Loop", "looping_id">, looping, loop, looped> ||
              speaks<refusal::endless_cycle<"tracker.Loop", "tracker.Looped", "loop_id">, looping, loop, looped> ||
              speaks<refusal::endless_cycle<"tracker.Looped", "tracker.Looping", "looped_id">, looping, loop, looped>);
static_assert(speaks<accepted, team, member>, "two models that hold each other go in one statement (R17)");
static_assert(!speaks<accepted, project, event, twin> && !speaks<accepted, project, twin, event>);
static_assert(!speaks<accepted, twin, event, project> && !speaks<accepted, twin, project, event>);

// Naming a verdict says nothing: only `registry` makes it an error.
static_assert(sizeof(verdict_of<project, event>) != 0);

}  // namespace proved
