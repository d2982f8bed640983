// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>
#include <vector>

#include "winnow/model/describe.hpp"
#include "winnow/model/traits.hpp"
#include "winnow/plan/hooks.hpp"
#include "winnow/plan/silo.hpp"

namespace winnow::inline v0 {

/// True if `winnow::model<Type>` has been written.
template <class Type>
concept HasTrait = requires { sizeof(model<Type>); };

/// True if the trait has a text `key`.
template <class Type>
concept HasKey = requires { std::string_view(model<Type>::key); };

/// True if the trait names a silo.
template <class Type>
concept HasSilo = requires { silo(model<Type>::silo); };

/// A described struct with a trait that has what every trait must have.
template <class Type>
concept Model = Described<Type> && HasTrait<Type> && HasKey<Type> && HasSilo<Type>;

/// A function that answers a question about a row: `bool f(const Row&)`, optionally with a context.
template <auto Function, class Row>
concept RowPredicate = requires(const Row& row, const hook_context& context) {
    { Function(row) } -> std::same_as<bool>;
} || requires(const Row& row, const hook_context& context) {
    { Function(row, context) } -> std::same_as<bool>;
};

// A hook is `Named` if the trait has a member of that name, and `Callable` if that member is a function of the
// right form. Named and not callable is a mistake.

template <class Type>
concept CallableShouldProceed = requires(const Type& row, const hook_context& context) {
    { model<Type>::should_proceed(row) } -> std::same_as<bool>;
} || requires(const Type& row, const hook_context& context) {
    { model<Type>::should_proceed(row, context) } -> std::same_as<bool>;
};
template <class Type>
concept CallablePendingDelete = requires(const Type& row, const hook_context& context) {
    { model<Type>::pending_delete(row) } -> std::same_as<void>;
} || requires(const Type& row, const hook_context& context) {
    { model<Type>::pending_delete(row, context) } -> std::same_as<void>;
};
template <class Type>
concept CallableBeforeDelete = requires(const Type& row, const hook_context& context) {
    { model<Type>::before_delete(row) } -> std::same_as<void>;
} || requires(const Type& row, const hook_context& context) {
    { model<Type>::before_delete(row, context) } -> std::same_as<void>;
};
template <class Type>
concept CallableAfterDelete = requires(const Type& row, const hook_context& context) {
    { model<Type>::after_delete(row) } -> std::same_as<void>;
} || requires(const Type& row, const hook_context& context) {
    { model<Type>::after_delete(row, context) } -> std::same_as<void>;
};

template <class Type>
concept NamedShouldProceed = requires { &model<Type>::should_proceed; } || CallableShouldProceed<Type>;
template <class Type>
concept NamedPendingDelete = requires { &model<Type>::pending_delete; } || CallablePendingDelete<Type>;
template <class Type>
concept NamedBeforeDelete = requires { &model<Type>::before_delete; } || CallableBeforeDelete<Type>;
template <class Type>
concept NamedAfterDelete = requires { &model<Type>::after_delete; } || CallableAfterDelete<Type>;

/// True if `Task::chunk` takes the keys as `Ids` and a context, and says whether more is left.
template <class Task, class Ids>
concept ExternalTask = requires(const Ids& ids, const hook_context& context) {
    { std::string_view(Task::name) };
    { Task::chunk(ids, context) } -> std::same_as<bool>;
};

}  // namespace winnow::inline v0
