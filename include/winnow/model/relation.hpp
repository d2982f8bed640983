// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/hana/basic_tuple.hpp>

#include <array>
#include <cstddef>

#include "winnow/core/fixed_string.hpp"
#include "winnow/model/filter_value.hpp"
#include "winnow/model/member.hpp"
#include "winnow/plan/relation.hpp"

namespace winnow::inline v0 {

namespace detail {

template <class... Models>
struct model_list {};

template <class List, auto Member>
struct appended_member;
template <auto... Members, auto Member>
struct appended_member<member_list<Members...>, Member> {
    using type = member_list<Members..., Member>;
};

template <class List, class Model>
struct appended_model;
template <class... Models, class Model>
struct appended_model<model_list<Models...>, Model> {
    using type = model_list<Models..., Model>;
};

template <std::size_t Size>
consteval std::array<filter_value, Size + 1> appended(const std::array<filter_value, Size>& values, filter_value last) {
    std::array<filter_value, Size + 1> all{};
    for (std::size_t i = 0; i < Size; ++i) all[i] = values[i];
    all[Size] = last;
    return all;
}

}  // namespace detail

/// One relation as written in `children(…)`: which members of the child refer to which of the parent.
///
/// Made by `cascade`, `set_null`, `restrict_` and `do_nothing`; each modifier returns a changed copy.
template <relation_kind Kind, class Columns, class Target, class Filters = member_list<>,
          class Skips = detail::model_list<>, auto Applies = nullptr>
struct child_relation {
    using child = typename detail::first_class<Columns>::type;
    std::array<filter_value, Filters::size> filters{};

    /// Only child rows whose `Member` is `constant` belong to the relation: a generic foreign key.
    template <auto Member, class Value>
    [[nodiscard]] consteval auto where(const Value& constant) const {
        using changed = child_relation<Kind, Columns, Target, typename detail::appended_member<Filters, Member>::type,
                                       Skips, Applies>;
        return changed{detail::appended(filters, filter_value_of(constant))};
    }
    /// Leaves rows of `Model` out everywhere below this relation.
    template <class Model>
    [[nodiscard]] consteval auto skip() const {
        using changed = child_relation<Kind, Columns, Target, Filters,
                                       typename detail::appended_model<Skips, Model>::type, Applies>;
        return changed{filters};
    }
    /// Only parents for which `Function(parent)` or `Function(parent, context)` is true have the relation.
    template <auto Function>
    [[nodiscard]] consteval auto when() const {
        return child_relation<Kind, Columns, Target, Filters, Skips, Function>{filters};
    }
};

/// A relation to what is not in this database; see `external`.
template <class Task, auto Applies = nullptr>
struct external_relation {
    /// Only parents for which `Function(parent)` or `Function(parent, context)` is true have the relation.
    template <auto Function>
    [[nodiscard]] consteval auto when() const {
        return external_relation<Task, Function>{};
    }
};

/// The child rows go first: `cascade<&Child::parent_id>`, `cascade<&Child::slug, &Parent::slug>`.
template <auto Reference, auto Target = on<>>
inline constexpr child_relation<relation_kind::cascade, typename detail::as_members<Reference>::type,
                                typename detail::as_members<Target>::type>
    cascade{};

/// The child rows stay and their reference becomes null; the member must be a `std::optional`.
template <auto Reference, auto Target = on<>>
inline constexpr child_relation<relation_kind::set_null, typename detail::as_members<Reference>::type,
                                typename detail::as_members<Target>::type>
    set_null{};

/// The deletion is refused while there are child rows.
template <auto Reference, auto Target = on<>>
inline constexpr child_relation<relation_kind::restrict_, typename detail::as_members<Reference>::type,
                                typename detail::as_members<Target>::type>
    restrict_{};

/// The child rows are never looked at.
template <auto Reference, auto Target = on<>>
inline constexpr child_relation<relation_kind::do_nothing, typename detail::as_members<Reference>::type,
                                typename detail::as_members<Target>::type>
    do_nothing{};

/// Clears what is not in this database, for the keys of a chunk, before its rows go.
///
///     struct Task {
///         static constexpr text name = "files";
///         static bool chunk(const std::vector<std::int64_t>& ids, const hook_context& context);
///     };
///
/// `ids` has the type of the parent's key; for a composite key it is `const key_set&`. `chunk` returns true
/// while more is left, is called again with the same keys after a crash, and must therefore be idempotent.
template <class Task>
inline constexpr external_relation<Task> external{};

/// `static constexpr auto children = winnow::children(cascade<&C::fk>, …);`
template <class... Relations>
[[nodiscard]] consteval auto children(Relations... relations) {
    return boost::hana::basic_tuple<Relations...>(relations...);
}

namespace detail {

template <class List>
struct relation_types;
template <class... Relations>
struct relation_types<boost::hana::basic_tuple<Relations...>> {
    using type = model_list<Relations...>;
};

}  // namespace detail

/// A relation as the child declares it: it attaches itself to a parent that it knows by key only.
template <fixed_string Parent, relation_kind Kind, class Columns, class Filters = member_list<>>
struct parent_relation {
    std::array<filter_value, Filters::size> filters{};

    /// The rows stay and their reference becomes null; the member must be a `std::optional`.
    [[nodiscard]] consteval auto set_null() const {
        return parent_relation<Parent, relation_kind::set_null, Columns, Filters>{filters};
    }
    /// The parent's deletion is refused while there are rows.
    [[nodiscard]] consteval auto restrict_() const {
        return parent_relation<Parent, relation_kind::restrict_, Columns, Filters>{filters};
    }
    /// Only rows whose `Member` is `constant` belong to the relation.
    template <auto Member, class Value>
    [[nodiscard]] consteval auto where(const Value& constant) const {
        using changed = parent_relation<Parent, Kind, Columns, typename detail::appended_member<Filters, Member>::type>;
        return changed{detail::appended(filters, filter_value_of(constant))};
    }
};

/// The rows belong to a row of the model with this key and go before it:
/// `belongs_to<"tracker.Project", &Note::project_id>`.
template <fixed_string Parent, auto Reference>
inline constexpr parent_relation<Parent, relation_kind::cascade, typename detail::as_members<Reference>::type>
    belongs_to{};

/// `static constexpr auto parents = winnow::parents(belongs_to<"tracker.Project", &Note::project_id>);`
template <class... Relations>
[[nodiscard]] consteval auto parents(Relations... relations) {
    return boost::hana::basic_tuple<Relations...>(relations...);
}

}  // namespace winnow::inline v0
