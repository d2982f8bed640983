// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "winnow/core/config.hpp"
#include "winnow/core/diagnostic.hpp"
#include "winnow/core/fixed_string.hpp"

/// Compile errors that a set of models can cause.
///
/// Each refusal is a type. Naming it says nothing, which lets a test compare it; completing it runs into its
/// `static_assert`, whose line tells what to write. The names that it speaks of are its arguments, which
/// compilers print beside the sentence.
namespace winnow::inline v0::refusal {

/// Two models have one key.
template <fixed_string Key, fixed_string Type, fixed_string OtherType>
struct duplicate_key {
    static_assert(refused<Key, Type, OtherType>,
                  WINNOW_REFUSAL("two models have the same key: give one of them another"));
};

/// Two models are over one table.
template <fixed_string Model, fixed_string OtherModel, fixed_string Table>
struct duplicate_table {
    static_assert(
        refused<Model, OtherModel, Table>,
        WINNOW_REFUSAL("two models are over the same table: give one of them another, or declare one model only"));
};

/// A relation leads to a type that the registry does not list.
template <fixed_string Model, fixed_string Child>
struct unknown_child {
    static_assert(
        refused<Model, Child>,
        WINNOW_REFUSAL("the child of this relation is not in the registry: add it to winnow::registry<...>, or "
                       "remove the relation"));
};

/// A relation skips a type that the registry does not list.
template <fixed_string Model, fixed_string Skipped>
struct unknown_skip {
    static_assert(
        refused<Model, Skipped>,
        WINNOW_REFUSAL("skip<...>() names a model that is not in the registry: add it to winnow::registry<...>, "
                       "or remove the skip"));
};

/// Parent and child live in different silos.
template <fixed_string Model, fixed_string Child, fixed_string Member>
struct other_silo {
    static_assert(
        refused<Model, Child, Member>,
        WINNOW_REFUSAL("the child of this local relation lives in another silo: put both in one silo, or remove "
                       "the relation and excuse the member with winnow::unrelated<...>"));
};

/// A reference and the key that it refers to have different types.
template <fixed_string Model, fixed_string Child, fixed_string Member>
struct key_type_differs {
    static_assert(
        refused<Model, Child, Member>,
        WINNOW_REFUSAL("this member's type differs from that of the key it refers to: give both the same type, "
                       "or name the member that it refers to: cascade<&Child::member, &Parent::member>"));
};

/// `strategy::bulk` would pass over children or hooks.
template <fixed_string Model>
struct bulk_forced {
    static_assert(
        refused<Model>,
        WINNOW_REFUSAL("strategy::bulk would pass over the children or hooks of this model: remove the line and "
                       "let winnow deduce it, or remove children and hooks"));
};

/// Three or more models form a cycle in which nothing can be unlinked.
template <fixed_string Model, fixed_string Child, fixed_string Member>
struct endless_cycle {
    static_assert(refused<Model, Child, Member>,
                  WINNOW_REFUSAL("these models refer to each other in a cycle without a nullable edge: declare one "
                                 "reference of the cycle as std::optional, or make it restrict_ or do_nothing"));
};

/// A member is named like a reference to a model, and no relation covers it.
template <fixed_string Model, fixed_string Child, fixed_string Member>
struct forgotten_child {
    static_assert(refused<Model, Child, Member>,
                  WINNOW_REFUSAL("this member is named like a reference to the model, and no relation covers it: add "
                                 "cascade<&Child::member> to the model's children, or excuse it with "
                                 "winnow::unrelated<&Child::member> in the child"));
};

/// A mirror leads to a type that the registry does not list.
template <fixed_string Model, fixed_string Copy>
struct unknown_copy {
    static_assert(refused<Model, Copy>,
                  WINNOW_REFUSAL("the copy of this mirror is not in the registry: add it to winnow::registry<...>"));
};

/// A mirror lives where its source lives.
template <fixed_string Model, fixed_string Copy>
struct copy_in_same_silo {
    static_assert(refused<Model, Copy>,
                  WINNOW_REFUSAL("the copy of this mirror lives in the silo of its source: put it in the other silo, "
                                 "winnow::silo::control for a cell's model and winnow::silo::cell for a control one"));
};
}  // namespace winnow::inline v0::refusal
