// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/abi/entry.h"
#include "winnow/abi/plan.h"
#include "winnow/core/dialect.hpp"
#include "winnow/core/letters.hpp"
#include "winnow/plugin/values.hpp"

// Reading what a plugin handed over: nothing beyond the size that it told, nothing that is not checked first.

namespace winnow::inline v0::detail {

/// Where a struct ended in the first version of the contract that had it: what is shorter cannot be read.
template <class Struct>
inline constexpr std::size_t oldest_size = 0;
// NOLINTBEGIN(bugprone-macro-parentheses,bugprone-sizeof-expression): names of members; a pointer's size is meant
#define WINNOW_OLDEST_END(type, last) \
    template <>                       \
    inline constexpr std::size_t oldest_size<type> = offsetof(type, last) + sizeof(type::last)
WINNOW_OLDEST_END(winnow_plugin_entry, stop);
WINNOW_OLDEST_END(winnow_plan, remotes);
WINNOW_OLDEST_END(winnow_column, optional);
WINNOW_OLDEST_END(winnow_filter, literal);
WINNOW_OLDEST_END(winnow_relation, statements);
WINNOW_OLDEST_END(winnow_relation_statements, reach_outside);
WINNOW_OLDEST_END(winnow_row_statements, mark);
WINNOW_OLDEST_END(winnow_status_column, in_progress);
WINNOW_OLDEST_END(winnow_hooks, after_delete);
WINNOW_OLDEST_END(winnow_mirrored_column, target);
WINNOW_OLDEST_END(winnow_mirror, read);
WINNOW_OLDEST_END(winnow_replication, statements);
WINNOW_OLDEST_END(winnow_replication_hooks, state);
WINNOW_OLDEST_END(winnow_replication_statements, bounds);
WINNOW_OLDEST_END(winnow_remote_relation, statements);
WINNOW_OLDEST_END(winnow_remote_statements, last);
WINNOW_OLDEST_END(winnow_migration, script);
WINNOW_OLDEST_END(winnow_migrations, item_size);
WINNOW_OLDEST_END(winnow_option, reserved);
WINNOW_OLDEST_END(winnow_options, item_size);
#undef WINNOW_OLDEST_END
// NOLINTEND(bugprone-macro-parentheses,bugprone-sizeof-expression)

/// Where a field stands, as `plans[2] (audit.Note).relations[0].child`. Made on the stack, spelled only when needed.
class contract_place {
public:
    explicit contract_place(std::string_view field, const contract_place* above = nullptr) noexcept
        : above_(above), field_(field) {}
    contract_place(const contract_place& above, std::string_view field) noexcept : above_(&above), field_(field) {}
    contract_place(const contract_place& list, std::size_t index) noexcept
        : above_(&list), index_(index), is_item_(true) {}

    /// What people call the item, shown beside its number. Must outlive the contract_place.
    void call(std::string_view title) noexcept { title_ = title; }

    [[nodiscard]] std::string text() const {
        std::string made = above_ == nullptr ? std::string() : above_->text();
        if (is_item_) {
            made += "[" + std::to_string(index_) + "]";
        } else {
            if (!made.empty()) made += ".";
            made += field_;
        }
        if (!title_.empty()) made += " (" + std::string(title_) + ")";
        return made;
    }

private:
    const contract_place* above_ = nullptr;
    std::string_view field_{};
    std::size_t index_ = 0;
    bool is_item_ = false;
    std::string_view title_{};
};

/// True for UTF-8 without a zero byte, which every driver would take for the end.
[[nodiscard]] inline bool is_plain_text(std::string_view text) noexcept {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    for (std::size_t i = 0; i < text.size();) {
        const unsigned char first = at(i);
        const std::size_t length = first < 0x80   ? 1
                                   : first < 0xC2 ? 0
                                   : first < 0xE0 ? 2
                                   : first < 0xF0 ? 3
                                   : first < 0xF5 ? 4
                                                  : 0;
        if (first == 0 || length == 0 || text.size() - i < length) return false;
        for (std::size_t j = 1; j < length; ++j)
            if ((at(i + j) & 0xC0) != 0x80) return false;
        // Overlong forms, surrogates and what lies beyond the last code point.
        if (first == 0xE0 && at(i + 1) < 0xA0) return false;
        if (first == 0xED && at(i + 1) > 0x9F) return false;
        if (first == 0xF0 && at(i + 1) < 0x90) return false;
        if (first == 0xF4 && at(i + 1) > 0x8F) return false;
        i += length;
    }
    return true;
}

/// Bounds beyond which a number is a mistake and not a wish.
inline constexpr std::size_t most_items = 4096;
inline constexpr std::size_t longest_name = 256;
inline constexpr std::size_t longest_text = 4096;
inline constexpr std::size_t longest_statement = std::size_t{1} << 20;

/// Reads structs, lists and texts, and says what is wrong with them.
class contract_reader {
public:
    explicit contract_reader(std::vector<std::string>& wrong) noexcept : wrong_(wrong) {}

    /// One fault: `PLACE WHAT`, a sentence or two that ends with what to do.
    void blame(const contract_place& at, const std::string& what) { wrong_.push_back(at.text() + " " + what); }

    [[nodiscard]] std::size_t faults() const noexcept { return wrong_.size(); }

    /// A copy of a struct that tells its size in its first member; zero where the plugin's headers had nothing yet.
    /// @return whether there is one that can be read
    template <class Struct>
    bool read(const contract_place& at, const Struct* from, Struct& to, std::string_view remedy) {
        to = {};
        if (from == nullptr) {
            blame(at, "is null: " + std::string(remedy) + ".");
            return false;
        }
        std::uint32_t told = 0;
        std::memcpy(&told, from, sizeof(told));
        if (!check_size<Struct>(contract_place(at, "size"), told)) return false;
        std::memcpy(static_cast<void*>(&to), from, told);
        return true;
    }

    /// Copies of the items of a list.
    template <class Item>
    std::vector<Item> read(const contract_place& at, const Item* items, std::size_t count, std::size_t item_size) {
        std::vector<Item> made;
        if (!check_list(at, items, count) || count == 0) return made;
        if (!check_size<Item>(contract_place(at, "item_size"), item_size)) return made;
        made.resize(count);
        const char* from = reinterpret_cast<const char*>(items);
        for (std::size_t i = 0; i < count; ++i)
            std::memcpy(static_cast<void*>(&made[i]), from + i * item_size, item_size);
        return made;
    }
    template <class List>
    auto read(const contract_place& at, const List& list) {
        return read(at, list.items, list.count, list.item_size);
    }

    /// A text that may be empty; empty as well when it is refused.
    std::string_view text(const contract_place& at, const winnow_text& from, std::size_t longest) {
        if (from.size == 0) return {};
        if (from.size > longest) {
            blame(at, "has " + std::to_string(from.size) + " bytes, more than the " + std::to_string(longest) +
                          " that are taken here. Give the number of bytes of the text.");
            return {};
        }
        if (from.data == nullptr) {
            blame(at, "has null for its bytes and " + std::to_string(from.size) +
                          " for their number. Point to the text, or make it empty.");
            return {};
        }
        const std::string_view made(from.data, from.size);
        if (is_plain_text(made)) return made;
        blame(at, "is not UTF-8, or has a zero byte in it. Write it in UTF-8 and leave the zero at its end out.");
        return {};
    }
    /// A text that must not be empty.
    std::string_view needed(const contract_place& at, const winnow_text& from, std::size_t longest,
                            std::string_view remedy) {
        const std::size_t before = faults();
        const std::string_view made = text(at, from, longest);
        if (made.empty() && faults() == before) blame(at, "is empty: " + std::string(remedy) + ".");
        return made;
    }
    /// The same in both dialects.
    dialect_text text(const contract_place& at, const winnow_dialect_text& from, std::size_t longest) {
        return {text(contract_place(at, "postgres"), from.postgres, longest),
                text(contract_place(at, "sqlite"), from.sqlite, longest)};
    }
    dialect_text needed(const contract_place& at, const winnow_dialect_text& from, std::size_t longest,
                        std::string_view remedy) {
        return {needed(contract_place(at, "postgres"), from.postgres, longest, remedy),
                needed(contract_place(at, "sqlite"), from.sqlite, longest, remedy)};
    }
    /// Key of a model.
    std::string_view key(const contract_place& at, const winnow_text& from, std::string_view remedy) {
        const std::string_view made = needed(at, from, longest_name, remedy);
        if (!made.empty() && !is_model_key(made))
            blame(at, "is \"" + std::string(made) +
                          "\", which is not of the form app.Model: write two names of letters, "
                          "digits and _ with a dot between them.");
        return made;
    }

    /// An enumeration counted from 1 in the contract, from 0 in winnow.
    template <class Enumeration>
    bool choice(const contract_place& at, std::uint32_t from, Enumeration& to, std::uint32_t count,
                std::string_view values) {
        if (from >= 1 && from <= count) {
            to = static_cast<Enumeration>(from - 1);
            return true;
        }
        blame(at, "is " + std::to_string(from) +
                      (from == 0 ? ", which is nothing: it was forgotten. Set it to one of "
                                 : ", which is unknown. Set it to one of ") +
                      std::string(values) + ".");
        return false;
    }
    bool yes_or_no(const contract_place& at, std::uint32_t from) {
        if (from > 1) blame(at, "is " + std::to_string(from) + ". Set it to 1 for yes or 0 for no.");
        return from == 1;
    }
    std::int32_t number(const contract_place& at, std::int32_t from, std::int32_t least, std::int32_t most) {
        if (from < least || from > most)
            blame(at, "is " + std::to_string(from) + ". Give a number from " + std::to_string(least) + " to " +
                          std::to_string(most) + ".");
        return from;
    }
    /// An index into the columns of the plan. @return whether it is one
    bool index(const contract_place& at, std::uint64_t from, std::size_t columns) {
        if (from < columns) return true;
        blame(at, "is " + std::to_string(from) + ", but the plan has " + std::to_string(columns) +
                      " columns, counted from 0. Name one of them.");
        return false;
    }
    /// Indices into the columns of the plan, none twice.
    std::vector<std::uint16_t> indices(const contract_place& at, const winnow_index_list& from, std::size_t columns,
                                       std::size_t most = most_items) {
        std::vector<std::uint16_t> made;
        if (!check_list(at, from.items, from.count, most)) return made;
        for (std::size_t i = 0; i < from.count; ++i) {
            const contract_place here(at, i);
            if (!index(here, from.items[i], columns)) continue;
            if (std::find(made.begin(), made.end(), from.items[i]) != made.end())
                blame(here, "names column " + std::to_string(from.items[i]) + " a second time. Leave it out.");
            made.push_back(from.items[i]);
        }
        return made;
    }
    /// Whether a list without sizes of its own can be read.
    bool check_list(const contract_place& at, const void* items, std::size_t count, std::size_t most = most_items) {
        if (count > most) {
            blame(contract_place(at, "count"), "is " + std::to_string(count) + ", more than the " +
                                                   std::to_string(most) +
                                                   " that are taken here. Give the number of items.");
            return false;
        }
        if (count == 0 || items != nullptr) return true;
        blame(contract_place(at, "items"),
              "is null, but `count` is " + std::to_string(count) + ". Point to the items, or set `count` to 0.");
        return false;
    }

private:
    template <class Struct>
    bool check_size(const contract_place& at, std::size_t told) {
        static_assert(oldest_size<Struct> != 0);
        if (told >= oldest_size<Struct> && told <= sizeof(Struct)) return true;
        blame(at, "is " + std::to_string(told) + ", but the struct has " + std::to_string(oldest_size<Struct>) +
                      (sizeof(Struct) == oldest_size<Struct> ? "" : " to " + std::to_string(sizeof(Struct))) +
                      " bytes. Set it to the sizeof that the plugin's headers give.");
        return false;
    }

    std::vector<std::string>& wrong_;
};

}  // namespace winnow::inline v0::detail
