// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "winnow/abi/plan.h"
#include "winnow/plan/hooks.hpp"
#include "winnow/plugin/call_frame.hpp"
#include "winnow/plugin/values.hpp"

// The host's side: hooks of a plugin in the form that the engine calls. `state` is one of the structs here.

namespace winnow::inline v0::detail {

/// A hook of a plugin, and whose it is.
template <class Hook>
struct lifted_hook {
    Hook held;
    const plugin_identity* plugin = nullptr;
};

[[nodiscard]] inline winnow_host_deletion deletion_of(const hook_context& context) noexcept {
    winnow_host_deletion made{};
    made.size = sizeof(made);
    made.has_actor = context.actor ? 1 : 0;
    made.actor = context.actor.value_or(0);
    made.model = to_abi(context.model);
    made.transaction_id = to_abi(context.transaction_id);
    made.data = to_abi(context.data);
    return made;
}

inline bool ask_plugin(const void* state, row_values row, const hook_context& context) {
    const auto& hook = *static_cast<const lifted_hook<winnow_row_predicate>*>(state);
    const std::vector<winnow_value> values = to_abi(row);
    const winnow_row given{values.data(), values.size()};
    const winnow_host_deletion deletion = deletion_of(context);
    call_frame frame(*hook.plugin, context.model);
    std::int32_t answer = 0;
    frame.run([&] { return hook.held.call(hook.held.state, &given, &deletion, frame.call(), &answer); });
    return frame.answer(answer);
}

inline void tell_plugin(const void* state, row_values row, const hook_context& context) {
    const auto& hook = *static_cast<const lifted_hook<winnow_row_action>*>(state);
    const std::vector<winnow_value> values = to_abi(row);
    const winnow_row given{values.data(), values.size()};
    const winnow_host_deletion deletion = deletion_of(context);
    call_frame frame(*hook.plugin, context.model);
    frame.run([&] { return hook.held.call(hook.held.state, &given, &deletion, frame.call()); });
}

inline bool clear_by_plugin(const void* state, const key_set& keys, const hook_context& context) {
    const auto& hook = *static_cast<const lifted_hook<winnow_external_task>*>(state);
    const std::vector<winnow_value> values = to_abi(keys.values());
    const winnow_key_set given{values.data(), keys.width(), keys.size()};
    const winnow_host_deletion deletion = deletion_of(context);
    call_frame frame(*hook.plugin, context.model);
    std::int32_t more = 0;
    frame.run([&] { return hook.held.call(hook.held.state, &given, &deletion, frame.call(), &more); });
    return frame.answer(more);
}

}  // namespace winnow::inline v0::detail
