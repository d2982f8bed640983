// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "winnow/abi/plan.h"
#include "winnow/plan/hooks.hpp"
#include "winnow/plan/replication.hpp"
#include "winnow/plan/value.hpp"
#include "winnow/plugin/hosted.hpp"
#include "winnow/plugin/values.hpp"

// The plugin's side: one C function for each kind of hook. `state` points to the plan's own record, which knows the rest.
// Nothing that is thrown leaves them.

namespace winnow::inline v0::detail {

[[nodiscard]] inline std::vector<value> values_of(const winnow_row& row) {
    return from_abi(std::span(row.values, row.count));
}

[[nodiscard]] inline hook_context context_of(const winnow_host_deletion& deletion) noexcept {
    hook_context made;
    made.model = from_abi(deletion.model);
    made.transaction_id = from_abi(deletion.transaction_id);
    if (deletion.has_actor != 0) made.actor = deletion.actor;
    made.data = from_abi(deletion.data);
    return made;
}

extern "C" {

inline winnow_status winnow_v0_ask_row(const void* state, const winnow_row* row, const winnow_host_deletion* deletion,
                                       const winnow_host_call* call, std::int32_t* answer) noexcept {
    try {
        const row_predicate& held = *static_cast<const row_predicate*>(state);
        *answer = held(values_of(*row), context_of(*deletion)) ? 1 : 0;
        return WINNOW_OK;
    } catch (...) {
        return report_failure(*call);
    }
}

inline winnow_status winnow_v0_act_on_row(const void* state, const winnow_row* row,
                                          const winnow_host_deletion* deletion, const winnow_host_call* call) noexcept {
    try {
        const row_action& held = *static_cast<const row_action*>(state);
        held(values_of(*row), context_of(*deletion));
        return WINNOW_OK;
    } catch (...) {
        return report_failure(*call);
    }
}

inline winnow_status winnow_v0_clear(const void* state, const winnow_key_set* keys,
                                     const winnow_host_deletion* deletion, const winnow_host_call* call,
                                     std::int32_t* more) noexcept {
    try {
        const external_task& held = *static_cast<const external_task*>(state);
        *more = held(from_abi(*keys), context_of(*deletion)) ? 1 : 0;
        return WINNOW_OK;
    } catch (...) {
        return report_failure(*call);
    }
}

inline winnow_status winnow_v0_replicate(const void* state, const winnow_row* row, const winnow_host_delivery* about,
                                         const winnow_host_call* call) noexcept {
    try {
        const replication_hooks& held = *static_cast<const replication_hooks*>(state);
        hosted_delivery hosted(*about, *call);
        held.replicate(held.state, values_of(*row), hosted);
        return WINNOW_OK;
    } catch (...) {
        return report_failure(*call);
    }
}

inline winnow_status winnow_v0_erased(const void* state, std::int64_t object, const winnow_host_delivery* about,
                                      const winnow_host_call* call) noexcept {
    try {
        const replication_hooks& held = *static_cast<const replication_hooks*>(state);
        hosted_delivery hosted(*about, *call);
        held.erased(held.state, object, hosted);
        return WINNOW_OK;
    } catch (...) {
        return report_failure(*call);
    }
}

}  // extern "C"

/// The hook as the contract has it. The record must be constant and stay where it is.
[[nodiscard]] constexpr winnow_row_predicate to_abi(const row_predicate& held) noexcept {
    return held ? winnow_row_predicate{&winnow_v0_ask_row, &held} : winnow_row_predicate{};
}
[[nodiscard]] constexpr winnow_row_action to_abi(const row_action& held) noexcept {
    return held ? winnow_row_action{&winnow_v0_act_on_row, &held} : winnow_row_action{};
}
[[nodiscard]] constexpr winnow_external_task to_abi(const external_task& held) noexcept {
    return held ? winnow_external_task{&winnow_v0_clear, &held} : winnow_external_task{};
}
[[nodiscard]] constexpr winnow_replication_hooks to_abi(const replication_hooks& held) noexcept {
    winnow_replication_hooks made{sizeof(winnow_replication_hooks), 0, nullptr, nullptr, &held};
    if (held.replicate != nullptr) made.replicate = &winnow_v0_replicate;
    if (held.erased != nullptr) made.erased = &winnow_v0_erased;
    return made;
}

}  // namespace winnow::inline v0::detail
