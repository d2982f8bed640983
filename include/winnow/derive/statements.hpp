// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "winnow/derive/relations.hpp"
#include "winnow/derive/shell.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/sql/exact_text.hpp"
#include "winnow/sql/relation_statements.hpp"
#include "winnow/sql/row_statements.hpp"
#include "winnow/sql/statement_names.hpp"
#include "winnow/sql/writer.hpp"

namespace winnow::inline v0 {

namespace detail {

inline constexpr std::size_t dialect_count = 2;
template <class Item, std::size_t Size>
constexpr std::size_t count_of(const Item (&)[Size]) noexcept {
    return Size;
}
inline constexpr std::size_t row_texts = count_of(all_row_statements) * dialect_count;
inline constexpr std::size_t relation_texts = count_of(all_relation_statements) * dialect_count;

// All statements of a model stand behind each other in one constant text. It is written once, which also gives
// the end of each, and cut at the ends.

/// SQLite has one writer and no row locks: what locks reads the same as what does not, and passes over nothing.
/// Such a statement is not written twice.
constexpr bool is_repeated(row_statement which, dialect to) noexcept {
    return to == dialect::sqlite && which == row_statement::hold;
}
constexpr bool is_repeated(relation_statement which, dialect to) noexcept {
    return to == dialect::sqlite && (which == relation_statement::hold || which == relation_statement::remove_unlocked);
}

/// Appends all statements of a model's plan and notes the end of each.
template <std::size_t Count>
class statement_draft {
public:
    constexpr explicit statement_draft(writer& out) noexcept : out_(out) {}

    constexpr void add(const plan& of) {
        for (const row_statement which : all_row_statements) {
            for (const dialect to : {dialect::postgres, dialect::sqlite}) {
                if (!is_repeated(which, to)) write_row_statement(out_, which, of, to);
                end();
            }
        }
    }
    constexpr void add(std::span<const relation_shell> relations) {
        for (const relation_shell& one : relations) {
            for (const relation_statement which : all_relation_statements) {
                for (const dialect to : {dialect::postgres, dialect::sqlite}) {
                    if (one.made.kind != relation_kind::external && !is_repeated(which, to)) {
                        write_relation_statement(out_, which, one.made, *one.child, to);
                    }
                    end();
                }
            }
        }
    }

    std::array<std::uint32_t, Count> ends{};

private:
    constexpr void end() { ends[count_++] = static_cast<std::uint32_t>(out_.size()); }

    writer& out_;
    std::size_t count_ = 0;
};

template <class Type>
inline constexpr std::size_t relation_count = child_shells_of<Type>.size() + parent_shells_of<Type>.size();

template <std::size_t Capacity, std::size_t Count>
struct drafted_statements {
    std::array<char, Capacity> characters{};
    std::array<std::uint32_t, Count> ends{};
};

template <class Type, std::size_t Capacity>
consteval auto draft_statements() {
    constexpr std::size_t count = row_texts + relation_count<Type> * relation_texts;
    drafted_statements<Capacity, count> made;
    writer out = writer::draft(made.characters);
    statement_draft<count> draft(out);
    draft.add(shell_of<Type>);
    draft.add(child_shells_of<Type>);
    draft.add(parent_shells_of<Type>);
    made.ends = draft.ends;
    return made;
}
template <class Type, std::size_t Capacity>
inline constexpr auto statements_drafted = draft_statements<Type, Capacity>();

/// What the statements of a model may need; a wrong guess costs a second pass and nothing else.
template <class Type>
inline constexpr std::size_t statement_guess = 2048 + 5120 * relation_count<Type>;

template <class Type>
inline constexpr const auto& statement_ends = statements_drafted<Type, statement_guess<Type>>.ends;

template <class Type>
consteval auto make_statement_text() {
    constexpr std::size_t size = statement_ends<Type>.back();
    constexpr std::size_t guess = statement_guess<Type>;
    if constexpr (size <= guess) return cut_text<size>(statements_drafted<Type, guess>.characters);
    else return statements_drafted<Type, size>.characters;
}
template <class Type>
inline constexpr auto statement_text = make_statement_text<Type>();

/// Hands out the statements of a model one after the other.
class statement_cutter {
public:
    constexpr statement_cutter(const char* text, const std::uint32_t* ends) noexcept : text_(text), ends_(ends) {}

    constexpr void skip(std::size_t count) noexcept {
        if (count != 0) begin_ = ends_[count - 1];
        ends_ += count;
    }
    constexpr std::string_view next() noexcept {
        const std::string_view cut(text_ + begin_, *ends_ - begin_);
        begin_ = *ends_++;
        return cut;
    }
    constexpr dialect_text next_of_both() noexcept {
        dialect_text both;
        both.postgres = next();
        both.sqlite = next();
        return both;
    }

private:
    const char* text_;
    const std::uint32_t* ends_;
    std::uint32_t begin_ = 0;
};

constexpr row_statements cut_row_statements(statement_cutter from) {
    row_statements found;
    for (const row_statement which : all_row_statements) found.*member_of(which) = from.next_of_both();
    found.hold.sqlite = found.read.sqlite;
    return found;
}

constexpr void cut_relation_statements(statement_cutter& from, relation_statements& to) {
    for (const relation_statement which : all_relation_statements) to.*member_of(which) = from.next_of_both();
    to.hold.sqlite = to.lock.sqlite;
    to.remove_unlocked.sqlite = to.remove_some.sqlite;
}

template <std::size_t Size>
constexpr std::array<relation, Size> cut_relations(const std::array<relation_shell, Size>& shells,
                                                   statement_cutter from, std::size_t skipped) {
    std::array<relation, Size> found{};
    from.skip(skipped);
    for (std::size_t i = 0; i < Size; ++i) {
        found[i] = shells[i].made;
        cut_relation_statements(from, found[i].statements);
    }
    return found;
}

template <class Type>
inline constexpr statement_cutter statements_of(statement_text<Type>.data(), statement_ends<Type>.data());

}  // namespace detail

/// The statements over a model's own rows.
template <class Type>
inline constexpr row_statements row_statements_of = detail::cut_row_statements(detail::statements_of<Type>);

/// `plan::relations` of a model.
template <class Type>
inline constexpr auto relations_of =
    detail::cut_relations(child_shells_of<Type>, detail::statements_of<Type>, detail::row_texts);

/// `plan::attached` of a model.
template <class Type>
inline constexpr auto attached_of =
    detail::cut_relations(parent_shells_of<Type>, detail::statements_of<Type>,
                          detail::row_texts + child_shells_of<Type>.size() * detail::relation_texts);

}  // namespace winnow::inline v0
