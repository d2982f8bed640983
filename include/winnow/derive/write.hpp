// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "winnow/derive/key.hpp"
#include "winnow/derive/replication.hpp"
#include "winnow/derive/shell.hpp"
#include "winnow/model/lower.hpp"
#include "winnow/plan/write.hpp"
#include "winnow/sql/exact_text.hpp"
#include "winnow/sql/write_statements.hpp"
#include "winnow/sql/writer.hpp"

namespace winnow::inline v0 {

namespace detail {

/// What the statements that write rows of a model are written from.
template <class Type>
consteval plan make_write_shell() {
    plan shell = shell_of<Type>;
    if constexpr (lowered<Type>::record.replication != nullptr) shell.replication = &replication_shell_of<Type>;
    shell.remotes = remote_shells_of<Type>;
    return shell;
}
template <class Type>
inline constexpr plan write_shell_of = make_write_shell<Type>();

inline constexpr std::size_t write_texts = sizeof all_write_statements / sizeof *all_write_statements;

template <class Type>
struct write_text {
    static constexpr void write(writer& out) {
        write(out, [](std::size_t) {});
    }
    template <class Ended>
    static constexpr void write(writer& out, const Ended& ended) {
        for (const write_statement which : all_write_statements) {
            for (const dialect to : {dialect::postgres, dialect::sqlite}) {
                write_write_statement(out, which, write_shell_of<Type>, to);
                ended(out.size());
            }
        }
    }
    static constexpr const auto& characters = exact_text<2048, write_text>;
};

template <class Type>
consteval write_statements make_write_statements() {
    constexpr auto texts = cut_texts<Type, write_text<Type>, write_texts>();
    return {texts[0], texts[1], texts[2], texts[3], texts[4], texts[5], texts[6]};
}

template <class List>
struct single_key {
    using type = void;
};
template <auto Member>
struct single_key<member_list<Member>> {
    using type = member_type<Member>;
};

template <class Type, auto Member>
void put_key(Type& row, std::int64_t key, member_list<Member>) {
    row.*Member = static_cast<member_type<Member>>(key);
}

}  // namespace detail

/// The statements that write rows of a model. Made only of models that are written by type.
template <class Type>
inline constexpr write_statements write_statements_of = detail::make_write_statements<Type>();

/// True if the database can make the key of a model: it is one integer.
template <class Type>
inline constexpr bool key_is_generated =
    std::is_integral_v<typename detail::single_key<primary_key_members<Type>>::type>;

/// What inserting an object returns: its key where it is one member, nothing otherwise.
template <class Type>
using inserted_key = typename detail::single_key<primary_key_members<Type>>::type;

/// Adds an object to rows: all columns of its plan, in their order.
template <class Type>
void encode_row(const Type& from, std::vector<value>& to) {
    lowered<Type>::described::for_each(from,
                                       [&](std::size_t, const auto& member) { to.push_back(encode_value(member)); });
}

}  // namespace winnow::inline v0
