// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/context/outbox_flush.hpp"
#include "winnow/context/produce.hpp"
#include "winnow/context/write_guards.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/write.hpp"
#include "winnow/store/object_id.hpp"
#include "winnow/store/set_text.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Order of keys that all writers of a model share, so that two of them cannot wait for each other.
/// @param twice whether a key may be there twice; all but one are then left out
/// @throws error of kind `usage` for a key that is there twice and may not
[[nodiscard]] inline std::vector<std::size_t> in_key_order(const plan& of, const key_set& keys, bool twice) {
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto less = [&](std::size_t a, std::size_t b) {
        return std::lexicographical_compare(keys[a].begin(), keys[a].end(), keys[b].begin(), keys[b].end());
    };
    const auto same = [&](std::size_t a, std::size_t b) {
        return std::equal(keys[a].begin(), keys[a].end(), keys[b].begin(), keys[b].end());
    };
    std::sort(order.begin(), order.end(), less);
    const auto again = std::adjacent_find(order.begin(), order.end(), same);
    if (again == order.end()) return order;
    if (!twice)
        throw error(failure::usage, std::string(of.key) + " " + object_id_of(keys[*again]) +
                                        " is there twice among the objects to be changed; nothing was changed.")
            .with_model(of.key);
    order.erase(std::unique(order.begin(), order.end(), same), order.end());
    return order;
}

/// Writes rows of one model with their messages, in the transaction that is open. A call takes one chunk of rows: it
/// makes a bounded number of statements, however many rows there are; on SQLite only where JSON carries them.
class row_writer {
public:
    /// Most rows of one call.
    static constexpr std::size_t most_rows = 1000;

    /// @param with its catalog, database and silos are used; must outlive the object
    row_writer(const context& with, std::size_t model, const write_statements& how)
        : with_(with), of_(with.models[model]), how_(how) {
        with.require_reachable(model);
    }

    /// Inserts rows and writes their messages. @param cells all columns of the plan, row by row
    /// @param generated the database makes the keys; the key's column is not looked at
    /// @return the keys that it made, in the order of the rows
    /// @throws error of kind `refused` by R21 and rule 12
    std::vector<std::int64_t> insert(std::vector<value> cells, bool generated) {
        std::vector<std::int64_t> made;
        const key_set rows = rows_of(std::move(cells));
        if (rows.empty()) return made;
        require_living_references(with_, of_, how_, rows, false);
        key_set keys(of_.primary_key.size());
        if (!generated) {
            for (std::size_t row = 0; row < rows.size(); ++row) keys.push_back(key_in(of_, rows[row]));
            require_forgotten_keys(with_, of_, keys, false);
        }
        const dialect_text& set = generated ? how_.insert_rows_generated : how_.insert_rows;
        if (goes_as_set(rows, set)) {
            note(made, with_.database.execute(set, {generated ? without_key(rows) : rows}), generated, rows.size());
        } else {
            for (std::size_t row = 0; row < rows.size(); ++row)
                note(made,
                     with_.database.execute(generated ? how_.insert_generated : how_.insert,
                                            parameters_of(rows[row], generated)),
                     generated, 1);
        }
        for (const std::int64_t key : made) {
            const value one = key;
            keys.push_back({&one, 1});
        }
        // SQLite gives a freed number out again unless the table says AUTOINCREMENT.
        if (generated && kind() == dialect::sqlite) require_forgotten_keys(with_, of_, keys, true);
        (void)produce_messages(with_, of_, keys);
        touch(rows, generated ? &made : nullptr);
        return made;
    }

    /// Changes rows, all columns but key and shard, and writes their messages.
    /// @param cells all columns of the plan, row by row; no key twice
    /// @throws error of kind `not_found` for a row that is not there, `refused` by R21 and rule 8
    void update(std::vector<value> cells) {
        const key_set rows = rows_of(std::move(cells));
        if (rows.empty()) return;
        key_set keys(of_.primary_key.size());
        for (std::size_t row = 0; row < rows.size(); ++row) keys.push_back(key_in(of_, rows[row]));
        if (goes_as_set(rows, how_.update_rows)) {
            check_held(rows, with_.database.execute(how_.hold, {keys}));
            require_living_references(with_, of_, how_, rows, true);
            (void)with_.database.execute(how_.update_rows, {rows});
        } else {
            require_living_references(with_, of_, how_, rows, true);
            for (std::size_t row = 0; row < rows.size(); ++row) {
                if (with_.database.execute(how_.update, parameters_of(rows[row], false)).affected() != 0) continue;
                throw_not_updated(with_, of_, rows[row], with_.database.execute(how_.hold, {one_key(keys[row])}));
            }
        }
        (void)produce_messages(with_, of_, keys);
        touch(rows, nullptr);
    }

    /// Deletes rows by key and writes the messages of those that were there. What refers to them is not looked at.
    /// @return how many there were
    std::int64_t erase(const key_set& keys) {
        if (keys.empty()) return 0;
        if (of_.replication == nullptr) return with_.database.execute(of_.statements.remove, {keys}).affected();
        // The shard of a row is the one that it has, whatever the caller's object says.
        const rows held = with_.database.execute(how_.hold, {keys});
        key_set there(keys.width());
        for (std::size_t row = 0; row < held.size(); ++row) {
            there.push_back(held[row].first(keys.width()));
            touch(held.integer(row, keys.width()));
        }
        if (there.empty()) return 0;
        (void)produce_messages(with_, of_, there);
        return with_.database.execute(of_.statements.remove, {there}).affected();
    }

    /// The shards that messages were written to, each once.
    [[nodiscard]] std::vector<touched_shard> touched() const {
        std::vector<touched_shard> all = touched_;
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }

private:
    [[nodiscard]] dialect kind() const { return with_.database.kind(); }

    /// Whether rows can be sent in one statement; SQLite's JSON carries valid text without a NUL only.
    [[nodiscard]] bool goes_as_set(const key_set& rows, const dialect_text& statement) const {
        if (rows.size() < 2 || statement[kind()].empty()) return false;
        if (kind() == dialect::postgres) return true;
        return std::all_of(rows.values().begin(), rows.values().end(), [](const value& one) {
            const auto* text = std::get_if<std::string>(&one);
            if (text == nullptr) return true;
            for (std::size_t at = 0; at < text->size();) {
                const std::size_t length = utf8_length(*text, at);
                if (length == 0 || (*text)[at] == '\0') return false;
                at += length;
            }
            return true;
        });
    }

    /// Cells as rows, as this database wants them: PostgreSQL reads bytes as text.
    [[nodiscard]] key_set rows_of(std::vector<value> cells) const {
        const std::size_t width = of_.columns.size();
        key_set rows(width);
        rows.reserve(cells.size() / width);
        for (std::size_t cell = 0; cell < cells.size(); ++cell) {
            auto* bytes = std::get_if<std::string>(&cells[cell]);
            if (bytes == nullptr || kind() == dialect::sqlite) continue;
            if (of_.columns[cell % width].kind == value_kind::blob) *bytes = hexadecimal(*bytes);
        }
        for (std::size_t cell = 0; cell + width <= cells.size(); cell += width)
            rows.push_back(std::span<const value>(cells).subspan(cell, width));
        return rows;
    }
    [[nodiscard]] static std::string hexadecimal(std::string_view bytes) {
        constexpr std::string_view digits = "0123456789abcdef";
        std::string text = "\\x";
        for (const char c : bytes) {
            const auto byte = static_cast<unsigned char>(c);
            text += digits[byte >> 4U];
            text += digits[byte & 15U];
        }
        return text;
    }
    [[nodiscard]] std::vector<parameter> parameters_of(row_values row, bool generated) const {
        std::vector<parameter> given;
        for (std::size_t column = 0; column < row.size(); ++column)
            if (!generated || column != of_.primary_key[0]) given.emplace_back(row[column]);
        return given;
    }
    [[nodiscard]] key_set without_key(const key_set& rows) const {
        key_set short_rows(rows.width() - 1);
        std::vector<value> cells;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            cells.clear();
            for (std::size_t column = 0; column < rows.width(); ++column)
                if (column != of_.primary_key[0]) cells.push_back(rows[row][column]);
            short_rows.push_back(cells);
        }
        return short_rows;
    }
    void note(std::vector<std::int64_t>& made, const rows& returned, bool generated, std::size_t wanted) const {
        if (!generated) return;
        const auto before = static_cast<std::ptrdiff_t>(made.size());
        for (std::size_t row = 0; row < returned.size(); ++row) made.push_back(returned.integer(row, 0));
        // SQLite promises no order of what it returns; its keys rise from row to row.
        if (kind() == dialect::sqlite) std::sort(made.begin() + before, made.end());
        if (returned.size() == wanted) return;
        throw error(failure::blocked, std::string(of_.key) + ": the database made " + std::to_string(returned.size()) +
                                          " keys for " + std::to_string(wanted) + " new rows; a trigger or rule of " +
                                          std::string(of_.table[kind()]) + " keeps rows out or puts them elsewhere.")
            .with_model(of_.key)
            .with_table(of_.table[kind()])
            .with_hint("Give the objects their keys before they are inserted.");
    }
    /// Compares rows with those that are there; only replicated ones, whose key is one integer, have a shard.
    void check_held(const key_set& rows, const winnow::rows& held) const {
        if (held.size() == rows.size() && of_.replication == nullptr) return;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const std::vector<value> key = key_in(of_, rows[row]);
            bool fits = false;
            if (of_.replication != nullptr) {
                const std::size_t at = position_of_key(held, std::get<std::int64_t>(key[0]));
                fits = at < held.size() && held.at(at, 1) == rows[row][of_.replication->shard];
            } else {
                fits = !with_.database.execute(how_.hold, {one_key(key)}).empty();
            }
            if (!fits) throw_not_updated(with_, of_, rows[row], with_.database.execute(how_.hold, {one_key(key)}));
        }
    }
    /// `held` is in the order of its integer key.
    [[nodiscard]] static std::size_t position_of_key(const rows& held, std::int64_t key) {
        std::size_t low = 0;
        std::size_t high = held.size();
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (held.integer(middle, 0) < key) low = middle + 1;
            else high = middle;
        }
        return low < held.size() && held.integer(low, 0) == key ? low : held.size();
    }
    void touch(std::int64_t shard) { touched_.push_back({of_.silo, of_.replication->scope, shard}); }
    void touch(const key_set& rows, const std::vector<std::int64_t>* made) {
        if (of_.replication == nullptr) return;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const bool by_new_key = made != nullptr && of_.replication->shard == of_.primary_key[0];
            touch(by_new_key ? (*made)[row] : std::get<std::int64_t>(rows[row][of_.replication->shard]));
        }
    }

    const context& with_;
    const plan& of_;
    const write_statements& how_;
    std::vector<touched_shard> touched_;
};

}  // namespace detail

}  // namespace winnow::inline v0
