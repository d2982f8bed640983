// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include "winnow/derive/decode.hpp"
#include "winnow/model/concepts.hpp"
#include "winnow/model/key_members.hpp"
#include "winnow/model/lower.hpp"
#include "winnow/plan/hooks.hpp"

namespace winnow::inline v0 {

namespace detail {

// Plans know no model type. Each function here stands for one piece of user code and turns plain values into
// what that code expects.

template <class Type>
bool call_should_proceed(const void*, row_values row, const hook_context& context) {
    const Type object = decode<Type>(row);
    if constexpr (requires { model<Type>::should_proceed(object, context); }) {
        return model<Type>::should_proceed(object, context);
    } else {
        return model<Type>::should_proceed(object);
    }
}

template <class Type>
void call_pending_delete(const void*, row_values row, const hook_context& context) {
    const Type object = decode<Type>(row);
    if constexpr (requires { model<Type>::pending_delete(object, context); }) {
        model<Type>::pending_delete(object, context);
    } else {
        model<Type>::pending_delete(object);
    }
}

template <class Type>
void call_before_delete(const void*, row_values row, const hook_context& context) {
    const Type object = decode<Type>(row);
    if constexpr (requires { model<Type>::before_delete(object, context); }) {
        model<Type>::before_delete(object, context);
    } else {
        model<Type>::before_delete(object);
    }
}

template <class Type>
void call_after_delete(const void*, row_values row, const hook_context& context) {
    const Type object = decode<Type>(row);
    if constexpr (requires { model<Type>::after_delete(object, context); }) {
        model<Type>::after_delete(object, context);
    } else {
        model<Type>::after_delete(object);
    }
}

template <class Type, auto Function>
bool call_condition(const void*, row_values row, const hook_context& context) {
    const Type object = decode<Type>(row);
    if constexpr (requires { Function(object, context); }) return Function(object, context);
    else return Function(object);
}

template <class Type, class Task>
bool call_external_task(const void*, const key_set& keys, const hook_context& context) {
    using ids_type = external_keys<Type>;
    if constexpr (std::is_same_v<ids_type, key_set>) {
        return Task::chunk(keys, context);
    } else {
        ids_type ids(keys.size());
        for (std::size_t i = 0; i < ids.size(); ++i) {
            decode_value(ids[i], keys[i][0], {lowered<Type>::record.key, "primary key"});
        }
        return Task::chunk(ids, context);
    }
}

}  // namespace detail

/// The hooks of a model as function pointers.
template <class Type>
[[nodiscard]] consteval hooks hooks_of() {
    hooks found;
    if constexpr (CallableShouldProceed<Type>) found.should_proceed = {&detail::call_should_proceed<Type>, nullptr};
    if constexpr (CallablePendingDelete<Type>) found.pending_delete = {&detail::call_pending_delete<Type>, nullptr};
    if constexpr (CallableBeforeDelete<Type>) found.before_delete = {&detail::call_before_delete<Type>, nullptr};
    if constexpr (CallableAfterDelete<Type>) found.after_delete = {&detail::call_after_delete<Type>, nullptr};
    return found;
}

/// The condition of a relation of `Type`; none if `Function` is `nullptr`.
template <class Type, auto Function>
[[nodiscard]] consteval row_predicate condition_of() {
    if constexpr (std::is_same_v<std::remove_cv_t<decltype(Function)>, std::nullptr_t>) return {};
    else return {&detail::call_condition<Type, Function>, nullptr};
}

/// The external task of a relation of `Type`.
template <class Type, class Task>
[[nodiscard]] consteval external_task external_task_of() {
    return {&detail::call_external_task<Type, Task>, nullptr};
}

}  // namespace winnow::inline v0
