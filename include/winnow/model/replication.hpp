// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/hana/basic_tuple.hpp>

#include <type_traits>

#include "winnow/core/fixed_string.hpp"
#include "winnow/model/member.hpp"
#include "winnow/plan/replication.hpp"

namespace winnow::inline v0 {

/// What the categories of an application's enum mean. Specialized by the user, once for the enum:
///
///     enum class Scope { organization = 0, user = 1 };
///     enum class Category { organization_update = 0, member_update = 1, audit_event = 2 };
///     template <> struct winnow::categories<Category> {
///         static constexpr auto scopes = winnow::scopes(
///             scope<Scope::organization, Category::organization_update, Category::member_update>,
///             scope<Scope::user, Category::audit_event>.strict());
///         static constexpr auto every_event = winnow::events<Category::audit_event>;
///     };
///
/// Each category belongs to exactly one scope. The numbers are stored: a retired category stays declared, so that
/// its number is not given away again.
template <class Category>
struct categories;

namespace detail {

template <auto... Categories>
struct category_list {};

template <auto Scope, bool Strict, class Categories>
struct scope_declaration {
    /// Messages of one shard are delivered strictly in order: one that fails holds up those behind it.
    [[nodiscard]] consteval auto strict() const { return scope_declaration<Scope, true, Categories>{}; }
};

}  // namespace detail

/// A scope and the categories in it. Messages of one scope and one shard identifier form a shard.
template <auto Scope, auto... Categories>
inline constexpr detail::scope_declaration<Scope, false, detail::category_list<Categories...>> scope{};

/// `static constexpr auto scopes = winnow::scopes(scope<…>, …);`
template <class... Scopes>
[[nodiscard]] consteval auto scopes(Scopes... all) {
    return boost::hana::basic_tuple<Scopes...>(all...);
}

/// Categories in which every message counts and none is merged.
template <auto... Categories>
inline constexpr detail::category_list<Categories...> events{};

/// One column of a copy: `map<&User::email, &UserCopy::email>`.
template <auto Source, auto Target>
struct column_map {};
template <auto Source, auto Target>
inline constexpr column_map<Source, Target> map{};

/// The column of a copy that holds the name of the cell it comes from: `from_cell<&OrganizationCopy::cell>`.
template <auto Target>
struct cell_map {};
template <auto Target>
inline constexpr cell_map<Target> from_cell{};

namespace detail {

template <auto Member>
struct shard_part {};
template <auto... Members>
struct payload_part {};
template <class Copy, class... Maps>
struct mirror_part {};

template <auto Category, class... Parts>
struct replication_declaration {};

}  // namespace detail

/// The immutable integer column that names an object's shard: `shard<&Project::organization_id>`.
template <auto Member>
inline constexpr detail::shard_part<Member> shard{};

/// Columns that a message carries as a JSON object, for a handler that is told of a row that is gone already.
template <auto... Members>
inline constexpr detail::payload_part<Members...> payload{};

/// The model of the table in the other silo that holds copies, and what each of its columns is copied from.
///
/// Copies are found by the copy's own primary key when all of it is mapped, otherwise by the columns that are mapped
/// from the source's primary key; the table needs a unique index over them.
template <class Copy, class... Maps>
[[nodiscard]] consteval auto mirror(Maps...) {
    return detail::mirror_part<Copy, Maps...>{};
}

/// Changes of the model's rows are written as messages of `Category` and delivered to the other silo:
///
///     static constexpr auto replication = replicates<Category::organization_update>(
///         shard<&Organization::id>, mirror<OrganizationCopy>(map<&Organization::id, &OrganizationCopy::organization_id>));
template <auto Category, class... Parts>
[[nodiscard]] consteval auto replicates(Parts...) {
    return detail::replication_declaration<Category, Parts...>{};
}

/// A column that refers to a row of the other silo, known by its model's key.
template <fixed_string Parent, auto Reference, remote_kind Kind = remote_kind::cascade>
struct remote_declaration {
    /// The rows stay and their reference becomes null; the member must be a `std::optional`.
    [[nodiscard]] consteval auto set_null() const {
        return remote_declaration<Parent, Reference, remote_kind::set_null>{};
    }
    /// The rows stay as they are.
    [[nodiscard]] consteval auto do_nothing() const {
        return remote_declaration<Parent, Reference, remote_kind::do_nothing>{};
    }
};

/// The rows go when the row that they refer to, in the other silo, has gone: `remote<"accounts.User", &Member::user_id>`.
template <fixed_string Parent, auto Reference>
inline constexpr remote_declaration<Parent, Reference> remote{};

/// `static constexpr auto remotes = winnow::remotes(remote<"accounts.User", &Member::user_id>.set_null());`
template <class... Relations>
[[nodiscard]] consteval auto remotes(Relations... all) {
    return boost::hana::basic_tuple<Relations...>(all...);
}

}  // namespace winnow::inline v0
