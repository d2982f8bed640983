// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "winnow/core/config.hpp"
#include "winnow/core/diagnostic.hpp"
#include "winnow/core/fixed_string.hpp"

/// Compile errors that one model can cause.
///
/// Each refusal is a type. Naming it says nothing, which lets a test compare it; completing it runs into its
/// `static_assert`, whose line tells what to write. The names that it speaks of are its arguments, which
/// compilers print beside the sentence.
namespace winnow::inline v0::refusal {

/// `Type` has no trait.
template <fixed_string Type>
struct no_model {
    static_assert(
        refused<Type>,
        WINNOW_REFUSAL("this type has no trait: write template <> struct winnow::model<Type> with a key and a "
                       "silo"));
};

/// The members of `Type` are not known.
template <fixed_string Type>
struct not_described {
    static_assert(
        refused<Type>,
        WINNOW_REFUSAL("this type is not described: write WINNOW_DESCRIBE(Type, members...) after the struct, in "
                       "its namespace"));
};

/// The trait of `Type` has no key.
template <fixed_string Type>
struct missing_key {
    static_assert(
        refused<Type>,
        WINNOW_REFUSAL("the trait of this type has no text key: write static constexpr text key = \"app.Model\";"));
};

/// A key is not of the form `app.Model`.
template <fixed_string Type, fixed_string Key>
struct bad_key {
    static_assert(refused<Type, Key>,
                  WINNOW_REFUSAL("this key is not of the form app.Model: write two names of letters, digits and "
                                 "underscores with one dot between them"));
};

/// The trait of `Type` does not say where its table lives.
template <fixed_string Type>
struct missing_silo {
    static_assert(refused<Type>,
                  WINNOW_REFUSAL("the trait of this type names no silo: write static constexpr auto silo = "
                                 "winnow::silo::cell; or ::control"));
};

/// A table or column name that a database would not keep.
template <fixed_string Model, fixed_string Name>
struct bad_name {
    static_assert(
        refused<Model, Name>,
        WINNOW_REFUSAL("this table or column name is empty, contains a NUL or is longer than the 63 bytes that "
                       "PostgreSQL keeps: give another name"));
};

/// The type of a described member has no column kind.
template <fixed_string Model, fixed_string Member>
struct unsupported_column {
    static_assert(
        refused<Model, Member>,
        WINNOW_REFUSAL("the type of this described member cannot be a column: use a signed 32- or 64-bit "
                       "integer, bool, float, double, std::string, an enum, winnow::uuid, json_text, timestamp "
                       "or blob, or std::optional of one, or leave it out of WINNOW_DESCRIBE"));
};

/// A trait refers to a member that is not described.
template <fixed_string Model, fixed_string Member>
struct not_a_column {
    static_assert(refused<Model, Member>,
                  WINNOW_REFUSAL("this member is not a column of the model: add it to the model's WINNOW_DESCRIBE, or "
                                 "refer to another member"));
};

/// The model has no primary key.
template <fixed_string Model>
struct missing_primary_key {
    static_assert(
        refused<Model>,
        WINNOW_REFUSAL("the model has no member called id and names no primary key: write static constexpr auto "
                       "primary_key = winnow::primary_key<&T::member>;"));
};

/// A member cannot be part of a primary key.
template <fixed_string Model, fixed_string Member>
struct bad_primary_key {
    static_assert(
        refused<Model, Member>,
        WINNOW_REFUSAL("this member cannot be part of a primary key: use std::int32_t, std::int64_t, std::string "
                       "or winnow::uuid, never std::optional"));
};

/// `status` is of a type that winnow cannot mark.
template <fixed_string Model>
struct wrong_status {
    static_assert(refused<Model>,
                  WINNOW_REFUSAL("status does not name a member that can be marked: write &T::m for a "
                                 "winnow::object_status, or winnow::status<&T::m>{.active = ..., .pending = ..., "
                                 ".in_progress = ...} for an enum or an integer"));
};

/// `birth` does not name an immutable column.
template <fixed_string Model>
struct wrong_birth {
    static_assert(
        refused<Model>,
        WINNOW_REFUSAL("birth does not name a member that is always there: write &T::m for a described member "
                       "that is not a std::optional"));
};

/// A hook cannot be called.
template <fixed_string Model, fixed_string Hook>
struct wrong_hook {
    static_assert(
        refused<Model, Hook>,
        WINNOW_REFUSAL("this hook has a wrong signature: write static bool should_proceed(const T&), or static "
                       "void pending_delete, before_delete or after_delete(const T&), each optionally with a "
                       "second const winnow::hook_context&"));
};

/// `chunk_size` is not a possible number of rows.
template <fixed_string Model>
struct bad_chunk_size {
    static_assert(refused<Model>,
                  WINNOW_REFUSAL("chunk_size must be from 1 to 1000000 rows: a deletion that may take no row in a "
                                 "statement never ends"));
};

/// `query_limit` is not a possible number of rows.
template <fixed_string Model>
struct bad_query_limit {
    static_assert(
        refused<Model>,
        WINNOW_REFUSAL("query_limit must be from 1 to 1000000 rows: a deletion that may fetch no row never ends"));
};

/// A key, a reference or the filters of a relation name more members than winnow binds.
template <fixed_string Model, fixed_string Child>
struct too_wide {
    static_assert(
        refused<Model, Child>,
        WINNOW_REFUSAL("a primary key, a reference or the filters of a relation name more than 8 members: name "
                       "fewer, or give the table a narrower key"));
};

/// A composite relation does not match what it refers to.
template <fixed_string Model, fixed_string Child>
struct wrong_width {
    static_assert(
        refused<Model, Child>,
        WINNOW_REFUSAL("this relation has not as many columns as it refers to: list one parent member for each "
                       "child member in on<...>"));
};

/// A filter compares a member with a constant of another kind.
template <fixed_string Model, fixed_string Child, fixed_string Member>
struct wrong_filter {
    static_assert(
        refused<Model, Child, Member>,
        WINNOW_REFUSAL("the constant of where<...>(...) does not fit this member: give an integer or enum for an "
                       "integer, a text for a text, true or false for a bool"));
};

/// A `when` function cannot be called.
template <fixed_string Model, fixed_string Child>
struct wrong_condition {
    static_assert(
        refused<Model, Child>,
        WINNOW_REFUSAL("the function of when<...>() has a wrong signature: write bool function(const Parent&) or "
                       "bool function(const Parent&, const winnow::hook_context&)"));
};

/// An external task cannot be called.
template <fixed_string Model, fixed_string Task>
struct wrong_external_task {
    static_assert(refused<Model, Task>,
                  WINNOW_REFUSAL("this external task has a wrong form: write static constexpr text name = \"...\"; and "
                                 "static bool chunk(const std::vector<KeyType>&, const winnow::hook_context&), for a "
                                 "composite key with const winnow::key_set&"));
};

/// A reference that is to become null cannot.
template <fixed_string Model, fixed_string Child, fixed_string Member>
struct set_null_needs_optional {
    static_assert(
        refused<Model, Child, Member>,
        WINNOW_REFUSAL("set_null on a member that cannot be null: declare the member as std::optional, or use "
                       "cascade or restrict_"));
};

/// The category of a replicated model stands in no scope, or in several.
template <fixed_string Model, fixed_string Category>
struct category_scope {
    static_assert(refused<Model, Category>,
                  WINNOW_REFUSAL("the category of this model has to stand in exactly one scope: list it once in the "
                                 "scopes of winnow::categories<Category>"));
};

/// A replicated model names no usable shard.
template <fixed_string Model>
struct wrong_shard {
    static_assert(refused<Model>,
                  WINNOW_REFUSAL("the replication of this model names no shard: write shard<&T::member> for an "
                                 "integer member that never changes and is never null"));
};

/// Messages name a row by one integer.
template <fixed_string Model>
struct wrong_replicated_key {
    static_assert(refused<Model>,
                  WINNOW_REFUSAL("a replicated model needs a primary key of one integer member: messages name a row by "
                                 "one integer"));
};

/// `replication_version` is no version, or belongs to nothing.
template <fixed_string Model>
struct bad_replication_version {
    static_assert(refused<Model>,
                  WINNOW_REFUSAL("replication_version has to be at least 1 and stands beside a replication: write "
                                 "static constexpr int replication_version = 1; and static constexpr auto replication "
                                 "= replicates<...>(...);"));
};

/// Nothing would become of a model's messages.
template <fixed_string Model>
struct no_receiver {
    static_assert(refused<Model>,
                  WINNOW_REFUSAL("nothing receives the messages of this model: add mirror<Copy>(map<...>, ...) to its "
                                 "replicates<...>(...), or write static void replicate(const T&, winnow::delivery&)"));
};

/// User code that receives messages cannot be called.
template <fixed_string Model>
struct wrong_receiver {
    static_assert(refused<Model>,
                  WINNOW_REFUSAL("replicate or on_remote_deletion has a wrong signature: write static void "
                                 "replicate(const T&, winnow::delivery&) and static void "
                                 "on_remote_deletion(std::int64_t id, winnow::delivery&)"));
};

/// A column of a copy cannot hold what it is copied from.
template <fixed_string Model, fixed_string Copy, fixed_string Member>
struct copy_type_differs {
    static_assert(refused<Model, Copy, Member>,
                  WINNOW_REFUSAL("this member of the copy cannot hold what it is mapped from: give both the same type, "
                                 "std::optional where the source is; raw bytes are not copied"));
};

/// The copies of a row cannot be found by its key.
template <fixed_string Model, fixed_string Copy>
struct copy_not_found {
    static_assert(
        refused<Model, Copy>,
        WINNOW_REFUSAL("the copies of a row cannot be found by its key: map the primary key of the model to a "
                       "member of the copy"));
};

/// A remote relation does not name a column that can refer to another silo.
template <fixed_string Model, fixed_string Member>
struct wrong_remote {
    static_assert(refused<Model, Member>,
                  WINNOW_REFUSAL("a remote relation needs an integer member, and a std::optional one for set_null(): "
                                 "change the member's type or the relation"));
};
}  // namespace winnow::inline v0::refusal
