// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "winnow/derive/decode.hpp"
#include "winnow/derive/shell.hpp"
#include "winnow/model/lower.hpp"
#include "winnow/model/lower_replication.hpp"
#include "winnow/plan/replication.hpp"
#include "winnow/sql/exact_text.hpp"
#include "winnow/sql/replication_statements.hpp"
#include "winnow/sql/writer.hpp"

namespace winnow::inline v0 {

namespace detail {

template <class Type>
void call_replicate(const void*, row_values row, delivery& about) {
    model<Type>::replicate(decode<Type>(row), about);
}
template <class Type>
void call_remote_deletion(const void*, std::int64_t object, delivery& about) {
    model<Type>::on_remote_deletion(object, about);
}

template <class Type>
consteval replication_hooks replication_hooks_of() {
    replication_hooks found;
    if constexpr (CallableReplicate<Type>) found.replicate = &call_replicate<Type>;
    if constexpr (CallableRemoteDeletion<Type>) found.erased = &call_remote_deletion<Type>;
    return found;
}

/// The model of a replicated model's copies; the model itself where there is no mirror.
template <class Type, class Declaration>
struct copy_type {
    using type = Type;
};
template <class Part, class Fallback>
struct copy_in_part {
    using type = Fallback;
};
template <class Copy, class... Maps, class Fallback>
struct copy_in_part<mirror_part<Copy, Maps...>, Fallback> {
    using type = Copy;
};
template <class Type, auto Category>
struct copy_type<Type, replication_declaration<Category>> {
    using type = Type;
};
template <class Type, auto Category, class First, class... Others>
struct copy_type<Type, replication_declaration<Category, First, Others...>> {
    using rest = typename copy_type<Type, replication_declaration<Category, Others...>>::type;
    using type = typename copy_in_part<First, rest>::type;
};

template <class Type>
using copy_of = typename copy_type<Type, std::remove_cvref_t<decltype(model<Type>::replication)>>::type;

template <class Type>
consteval auto make_mirrored_columns() {
    constexpr const replication_record& record = lowered<Type>::replication.record;
    std::array<mirrored_column, record.columns.size()> made{};
    for (std::size_t i = 0; i < made.size(); ++i) {
        made[i].source = record.columns[i].source;
        made[i].target = lowered<copy_of<Type>>::record.columns[record.columns[i].target];
        made[i].identifies = identifies(record, lowered<Type>::record.primary_key, i);
    }
    return made;
}
template <class Type>
inline constexpr auto mirrored_columns_of = make_mirrored_columns<Type>();

template <class Type>
consteval auto make_copy_identity() {
    constexpr std::size_t size = [] {
        std::size_t count = 0;
        for (const mirrored_column& one : mirrored_columns_of<Type>) count += one.identifies ? 1 : 0;
        return count;
    }();
    std::array<column, size> made{};
    std::size_t at = 0;
    for (const mirrored_column& one : mirrored_columns_of<Type>) {
        if (one.identifies) made[at++] = one.target;
    }
    return made;
}
template <class Type>
inline constexpr auto copy_identity_of = make_copy_identity<Type>();

/// A hash of everything that a copy is made of.
template <class Type>
consteval std::uint64_t fingerprint_of() {
    constexpr const replication_record& record = lowered<Type>::replication.record;
    std::uint64_t hash = hash_of_name(record.category_name);
    const auto add = [&](std::string_view text) { hash = (hash ^ hash_of_name(text)) * 0x100000001b3ULL; };
    add(record.copy);
    add(lowered<Type>::record.members[static_cast<std::size_t>(record.shard)].name);
    for (const mapping_record& one : record.columns) {
        add(one.source == mirrored_column::cell_name ? std::string_view("~cell")
                                                     : lowered<Type>::record.members[one.source].name);
        add(record.copy_members[one.target].name);
    }
    for (const std::uint16_t index : record.payload.view()) add(lowered<Type>::record.members[index].name);
    return hash;
}

/// Without statements: what they are written from.
template <class Type>
consteval replication replication_shell() {
    constexpr const replication_record& record = lowered<Type>::replication.record;
    replication made;
    made.version = record.version;
    made.category = record.category;
    made.category_name = record.category_name;
    made.kind = record.kind;
    made.scope = record.scope;
    made.scope_name = record.scope_name;
    made.strict_order = record.strict_order;
    made.shard = static_cast<std::uint16_t>(record.shard);
    made.payload = record.payload.view();
    made.fingerprint = fingerprint_of<Type>();
    made.hooks = replication_hooks_of<Type>();
    if constexpr (!record.copy.empty()) {
        made.mirror.model = record.copy;
        made.mirror.table = lowered<copy_of<Type>>::record.names.table;
        made.mirror.columns = mirrored_columns_of<Type>;
    }
    return made;
}
template <class Type>
inline constexpr replication replication_shell_of = replication_shell<Type>();

inline constexpr std::size_t replication_texts = sizeof all_replication_statements / sizeof *all_replication_statements;

/// All statements of a replicated model behind each other, both dialects of each in turn.
template <class Type>
struct replication_text {
    static constexpr void write(writer& out) {
        write(out, [](std::size_t) {});
    }
    template <class Ended>
    static constexpr void write(writer& out, const Ended& ended) {
        for (const replication_statement which : all_replication_statements) {
            for (const dialect to : {dialect::postgres, dialect::sqlite}) {
                write_replication_statement(out, which, replication_shell_of<Type>, shell_of<Type>,
                                            lowered<copy_of<Type>>::record.names.quoted_table, copy_identity_of<Type>,
                                            to);
                ended(out.size());
            }
        }
    }
    static constexpr const auto& characters = exact_text<4096, replication_text>;
};

template <class Type, class Text, std::size_t Count>
consteval std::array<dialect_text, Count> cut_texts() {
    std::array<dialect_text, Count> found{};
    std::size_t begin = 0;
    std::size_t number = 0;
    writer measure;
    Text::write(measure, [&](std::size_t end) {
        const std::string_view text(Text::characters.data() + begin, end - begin);
        (number % 2 == 0 ? found[number / 2].postgres : found[number / 2].sqlite) = text;
        begin = end;
        ++number;
    });
    return found;
}

template <class Type>
consteval replication make_replication() {
    replication made = replication_shell_of<Type>;
    constexpr auto texts = cut_texts<Type, replication_text<Type>, replication_texts>();
    made.statements = {texts[0], texts[1], texts[2], texts[3]};
    made.mirror.upsert = texts[4];
    made.mirror.erase = texts[5];
    made.mirror.read = texts[6];
    return made;
}

template <class Type>
consteval auto make_remote_shells() {
    std::array<remote_relation, lowered<Type>::remotes.all.size()> made{};
    for (std::size_t i = 0; i < made.size(); ++i) {
        const remote_record& from = lowered<Type>::remotes.all[i];
        made[i].kind = from.kind;
        made[i].parent = from.parent;
        made[i].index = from.column;
        made[i].reference = lowered<Type>::record.columns[from.column];
    }
    return made;
}
template <class Type>
inline constexpr auto remote_shells_of = make_remote_shells<Type>();

inline constexpr std::size_t remote_texts = sizeof all_remote_statements / sizeof *all_remote_statements;

template <class Type>
struct remote_text {
    static constexpr void write(writer& out) {
        write(out, [](std::size_t) {});
    }
    template <class Ended>
    static constexpr void write(writer& out, const Ended& ended) {
        for (const remote_relation& one : remote_shells_of<Type>) {
            for (const remote_statement which : all_remote_statements) {
                for (const dialect to : {dialect::postgres, dialect::sqlite}) {
                    write_remote_statement(out, which, one, shell_of<Type>, to);
                    ended(out.size());
                }
            }
        }
    }
    static constexpr const auto& characters = exact_text<2048, remote_text>;
};

template <class Type>
consteval auto make_remotes() {
    auto made = remote_shells_of<Type>;
    if constexpr (made.size() != 0) {
        constexpr auto texts = cut_texts<Type, remote_text<Type>, remote_shells_of<Type>.size() * remote_texts>();
        for (std::size_t i = 0; i < made.size(); ++i) {
            const std::size_t at = i * remote_texts;
            made[i].statements = {texts[at], texts[at + 1], texts[at + 2], texts[at + 3], texts[at + 4], texts[at + 5]};
        }
    }
    return made;
}

}  // namespace detail

/// `plan::replication` of a replicated model.
template <class Type>
inline constexpr replication replication_of = detail::make_replication<Type>();

/// `plan::remotes` of a model.
template <class Type>
inline constexpr auto remotes_of = detail::make_remotes<Type>();

}  // namespace winnow::inline v0
