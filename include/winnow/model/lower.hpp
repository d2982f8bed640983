// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/hana/unpack.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

#include "winnow/core/type_name.hpp"
#include "winnow/model/concepts.hpp"
#include "winnow/model/lower_relation.hpp"
#include "winnow/model/lower_replication.hpp"
#include "winnow/model/record.hpp"
#include "winnow/model/settings.hpp"
#include "winnow/sql/exact_text.hpp"

namespace winnow::inline v0 {

namespace detail {

constexpr bool lacks_members(std::span<const relation_record> relations) noexcept {
    for (const relation_record& one : relations) {
        if (one.problem == fault::not_a_column) return true;
    }
    return false;
}

}  // namespace detail

/// A declared model as constant plain data.
///
/// Works for every class type: what is missing or wrong shows in `record.problem` and never as a
/// compile error, so that exactly one refusal speaks.
template <class Type>
struct lowered {
    using described = typename detail::members_of_type<Type>::type;

    static constexpr name_source source = detail::name_source_of<Type>(described_members_of<Type>);

    static constexpr void write(writer& out) { (void)spell_names(out, {}, source, {}); }
    /// All names that had to be made, behind each other.
    static constexpr const auto& characters = exact_text<128 + 64 * described::size, lowered>;
    static constexpr auto names = detail::cut_names<described::size>(source, {characters.data(), characters.size()});

    static consteval auto lower_children() {
        if constexpr (requires { model<Type>::children; }) {
            return boost::hana::unpack(model<Type>::children, [](const auto&... relations) {
                return std::array<relation_record, sizeof...(relations)>{detail::lower_child<Type>(relations)...};
            });
        } else {
            return std::array<relation_record, 0>{};
        }
    }
    static consteval auto lower_parents() {
        if constexpr (requires { model<Type>::parents; }) {
            return boost::hana::unpack(model<Type>::parents, [](const auto&... relations) {
                return std::array<relation_record, sizeof...(relations)>{detail::lower_parent<Type>(relations)...};
            });
        } else {
            return std::array<relation_record, 0>{};
        }
    }
    static constexpr auto relations = lower_children();
    static constexpr auto attached = lower_parents();
    static constexpr detail::lowered_replication<Type> replication = detail::lower_replication<Type>();
    static constexpr auto remotes = detail::lower_remotes_of<Type>();

    /// The first member in a relation that is no column.
    static consteval std::string_view missing_member() {
        std::string_view first;
        const auto look = [&](const auto&... relations) {
            ((first.empty() ? (void)(first = detail::missing_in<Type>(relations)) : (void)0), ...);
        };
        if constexpr (requires { model<Type>::children; }) boost::hana::unpack(model<Type>::children, look);
        if constexpr (requires { model<Type>::parents; }) boost::hana::unpack(model<Type>::parents, look);
        return first;
    }

    static consteval model_record make() {
        model_record made;
        made.type = type_name<Type>();
        if constexpr (!HasTrait<Type>) {
            made.problem = {fault::no_model, made.type};
        } else if constexpr (!Described<Type>) {
            made.problem = {fault::not_described, made.type};
        } else if constexpr (!HasKey<Type>) {
            made.problem = {fault::missing_key, made.type};
        } else if constexpr (!HasSilo<Type>) {
            made.problem = {fault::missing_silo, made.type};
        } else {
            made.key = source.key;
            made.silo = winnow::silo(model<Type>::silo);
            made.names = names.names;
            made.members = described_members_of<Type>;
            made.columns = names.columns;
            made.relations = relations;
            made.attached = attached;
            detail::read_settings<Type>(made);
            if constexpr (requires { model<Type>::replication; }) made.replication = &replication.record;
            made.remotes = remotes.all;
            if (!made.problem) made.problem = replication.problem;
            if (!made.problem) made.problem = remotes.problem;
            if constexpr (detail::lacks_members(relations) || detail::lacks_members(attached)) {
                made.missing_member = missing_member();
            }
        }
        return made;
    }
    static constexpr model_record record = make();
};

}  // namespace winnow::inline v0
