// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/outbox/routes.hpp"
#include "winnow/outbox/settings.hpp"
#include "winnow/outbox/shard.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

/// One message that is due.
struct due_message {
    std::int64_t id = 0;
    std::int32_t category = 0;
    std::int64_t object = 0;
    std::int64_t attempts = 0;  ///< that failed so far
};

/// What is due in a shard.
struct due_messages {
    std::vector<due_message> messages;  ///< in id order
    std::int64_t objects = 0;           ///< that they are about; an event counts as one
    bool more = false;
    std::int64_t last = 0;     ///< every message up to this id was looked at and needs no other look
    std::string waits_for;     ///< a strict shard: why its first message holds it up
    double wait_seconds = 60;  ///< for how long, at least
};

namespace detail {

/// The first messages of one shard, as they were read together with those of others.
struct due_window {
    std::vector<due_message> messages;  ///< in id order
    bool known = false;                 ///< false: the statement took no more
    bool whole = false;                 ///< nothing of the shard is behind them
};

/// Reads the first due messages of several shards of one target by one PostgreSQL statement, inside the claim: at most
/// four times `turn_objects` of each, and no more shards than have `room` messages together.
/// @param after for each shard, the id behind which it is read
[[nodiscard]] inline std::vector<due_window> read_windows(
    const context& with, std::span<const outbox_shard* const> shards, std::span<const std::int64_t> after,
    const std::string& moment, const std::set<std::int32_t>& held_back, std::int64_t turn_objects, std::int64_t room) {
    const std::string text = own_statement(
        "SELECT id, category, object_identifier, attempts, s.place FROM unnest($1::integer[], $2::bigint[], "
        "$3::bigint[]) WITH ORDINALITY AS s(scope, identifier, after, place) CROSS JOIN LATERAL (SELECT id, category, "
        "object_identifier, attempts FROM winnow_{silo}_outbox WHERE shard_scope = s.scope AND shard_identifier = "
        "s.identifier AND cell_name = $4 AND id > s.after AND dead_at IS NULL AND scheduled_for <= $5::timestamptz AND "
        "NOT (category = ANY($6::bigint[])) ORDER BY id LIMIT $7) AS m ORDER BY s.place, id LIMIT $8",
        dialect::postgres, shards.front()->silo);
    key_set starts(3);
    for (std::size_t i = 0; i < shards.size(); ++i) {
        const std::array<value, 3> start{std::int64_t{shards[i]->scope}, shards[i]->identifier, after[i]};
        starts.push_back(start);
    }
    key_set old(1);
    for (const std::int32_t category : held_back) add_id(old, category);
    const std::int64_t window = turn_objects * 4;
    const rows found = with.database.execute(text, {starts, std::string_view(shards.front()->cell_name),
                                                    std::string_view(moment), old, window, std::int64_t{room + 1}});
    std::vector<due_window> made(shards.size());
    std::size_t complete = shards.size();
    for (std::size_t row = 0; row < found.size(); ++row) {
        const auto place = static_cast<std::size_t>(found.integer(row, 4)) - 1;
        made[place].messages.push_back({found.integer(row, 0), static_cast<std::int32_t>(found.integer(row, 1)),
                                        found.integer(row, 2), found.integer(row, 3)});
        if (static_cast<std::int64_t>(row) == room) complete = place;
    }
    for (std::size_t i = 0; i < complete; ++i) {
        made[i].known = true;
        made[i].whole = static_cast<std::int64_t>(made[i].messages.size()) < window;
    }
    return made;
}

/// Reads the ids of the messages that one turn takes from one shard, inside the claim.
class due_reader {
public:
    /// @param moment the database's time that everything is compared with, as it spells it
    due_reader(const context& with, const outbox_routes& routes, const outbox_settings& settings,
               const outbox_shard& shard, const std::string& moment, const std::set<std::int32_t>& held_back)
        : with_(with),
          routes_(routes),
          shard_(shard),
          moment_(moment),
          held_back_(held_back),
          which_(with.database.kind()),
          most_(settings.turn_objects) {}

    /// @param after messages up to this id were looked at before
    /// @param first the first ones behind it, where they have been read; null: they have not
    due_messages read(std::int64_t after, due_window* first = nullptr) {
        const std::string text = spelled(
            "SELECT id, category, object_identifier, attempts FROM winnow_{silo}_outbox WHERE shard_scope = $1 "
            "AND shard_identifier = $2 AND cell_name = $3 AND id > $4 AND dead_at IS NULL AND scheduled_for <= "
            "$5" +
            std::string(moment_type(which_)) + " AND NOT (" + in_set(which_, "category", 6) + ") ORDER BY id LIMIT $7");
        key_set old(1);
        for (const std::int32_t category : held_back_) add_id(old, category);
        due_messages made;
        made.last = after;
        start_ = after;
        for (std::int64_t window = most_ * 4;; window = wide) {
            std::vector<due_message> all;
            bool end = true;
            if (first != nullptr) {
                all = std::move(first->messages);
                end = std::exchange(first, nullptr)->whole;
            } else {
                const rows found = with_.database.execute(
                    text, {std::int64_t{shard_.scope}, shard_.identifier, std::string_view(shard_.cell_name), made.last,
                           std::string_view(moment_), old, window});
                for (std::size_t row = 0; row < found.size(); ++row) all.push_back(message(found, row));
                end = static_cast<std::int64_t>(all.size()) < window;
            }
            take(all, made);
            if (!all.empty()) made.last = all.back().id;
            const bool full = made.objects >= most_ || static_cast<std::int64_t>(made.messages.size()) >= most_messages;
            if (!end && !full && !made.more) continue;
            made.more = made.more || !end;
            if (!end) read_rest(made);
            break;
        }
        if (dropped_ != 0) made.last = dropped_ - 1;
        return made;
    }

    /// Up to the first message that is not due: nothing passes it.
    due_messages read_strict() {
        const std::string text = spelled(
            "SELECT id, category, object_identifier, attempts, CASE WHEN dead_at IS NOT NULL THEN 2 WHEN scheduled_for > "
            "$1" +
            std::string(moment_type(which_)) +
            " THEN 1 ELSE 0 END, 0 - {since scheduled_for}, CASE WHEN attempts > 0 THEN last_error END FROM "
            "winnow_{silo}_outbox WHERE shard_scope = $2 AND shard_identifier = $3 AND cell_name = $4 AND id > $5 ORDER "
            "BY id LIMIT $6");
        due_messages made;
        for (std::int64_t window = most_ * 4;; window = wide) {
            const rows found =
                with_.database.execute(text, {std::string_view(moment_), std::int64_t{shard_.scope}, shard_.identifier,
                                              std::string_view(shard_.cell_name), made.last, window});
            for (std::size_t row = 0; row < found.size(); ++row) {
                const due_message one = message(found, row);
                const std::int64_t state = found.integer(row, 4);
                const bool old = held_back_.count(one.category) != 0;
                if (state != 0 || old) {
                    if (made.messages.empty()) explain(made, one, state, found, row);
                    made.more = false;
                    return made;
                }
                if (!fits(one, made)) return made;
                made.messages.push_back(one);
                made.last = one.id;
            }
            if (static_cast<std::int64_t>(found.size()) < window) return made;
            made.more = made.objects >= most_ || static_cast<std::int64_t>(made.messages.size()) >= most_messages;
            if (made.more) return made;
        }
    }

private:
    using object_key = std::pair<std::int32_t, std::int64_t>;
    struct blocker {
        std::int64_t id = 0;
        double seconds = 0;
    };
    static constexpr std::int64_t wide = 25'000;
    static constexpr std::int64_t most_messages = 100'000;
    static constexpr double dead_seconds = 3600;

    [[nodiscard]] std::string spelled(std::string_view text) const { return own_statement(text, which_, shard_.silo); }
    [[nodiscard]] static due_message message(const rows& from, std::size_t row) {
        return {from.integer(row, 0), static_cast<std::int32_t>(from.integer(row, 1)), from.integer(row, 2),
                from.integer(row, 3)};
    }
    [[nodiscard]] bool is_event(std::int32_t category) const {
        const plan* about = routes_.find(category);
        return about != nullptr && about->replication->kind == category_kind::every_event;
    }

    /// Counts the message's object; false when the turn has no room for it.
    bool fits(const due_message& one, due_messages& made) {
        const bool counted = !is_event(one.category) && objects_.count({one.category, one.object}) != 0;
        if (counted) return true;
        if (made.objects >= most_) {
            made.more = true;
            return false;
        }
        ++made.objects;
        if (!is_event(one.category)) objects_.insert({one.category, one.object});
        return true;
    }

    void take(const std::vector<due_message>& all, due_messages& made) {
        const std::map<object_key, blocker> blocked = blockers(all);
        key_set parked(2);
        for (const due_message& one : all) {
            const auto before = blocked.find({one.category, one.object});
            if (before != blocked.end() && before->second.id < one.id) {
                add_pair(parked, one.id, std::max(0.01, before->second.seconds));
            } else if (fits(one, made)) {
                made.messages.push_back(one);
            } else if (dropped_ == 0) {
                dropped_ = one.id;
            }
        }
        if (parked.empty()) return;
        // They become due with the event that they stand behind, so that nobody looks at them over and over again.
        (void)with_.database.execute(
            spelled("UPDATE winnow_{silo}_outbox AS o SET scheduled_for = {after d.number} FROM " + pairs(which_, 1) +
                    " WHERE o.id = d.id"),
            {parked});
    }

    /// The further messages of the objects that the turn has taken, so that one delivery speaks for all of them.
    void read_rest(due_messages& made) const {
        const std::int64_t room = most_messages - static_cast<std::int64_t>(made.messages.size());
        if (objects_.empty() || room <= 0) return;
        key_set objects(2);
        for (const auto& [category, object] : objects_) {
            const std::array<value, 2> key{std::int64_t{category}, object};
            objects.push_back(key);
        }
        const std::string text = spelled(
            "SELECT id, category, object_identifier, attempts FROM winnow_{silo}_outbox WHERE shard_scope = $1 AND "
            "shard_identifier = $2 AND cell_name = $3 AND id > $4 AND dead_at IS NULL AND scheduled_for <= $5" +
            std::string(moment_type(which_)) + " AND " + in_objects(6) + " LIMIT " + std::to_string(most_messages));
        const rows found = with_.database.execute(
            text, {std::int64_t{shard_.scope}, shard_.identifier, std::string_view(shard_.cell_name), made.last,
                   std::string_view(moment_), objects});
        const auto count = std::min(found.size(), static_cast<std::size_t>(room));
        const auto first = static_cast<std::ptrdiff_t>(made.messages.size());
        for (std::size_t row = 0; row < count; ++row) made.messages.push_back(message(found, row));
        std::sort(made.messages.begin() + first, made.messages.end(),
                  [](const due_message& a, const due_message& b) { return a.id < b.id; });
    }

    /// SQL: the message is about one of a set of categories and objects that is the last parameter.
    [[nodiscard]] std::string in_objects(int first) const {
        const std::string at = "$" + std::to_string(first);
        if (which_ == dialect::sqlite)
            return "(category, object_identifier) IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') "
                   "FROM json_each(" +
                   at + "))";
        return "(category, object_identifier) IN (SELECT * FROM unnest(" + at + "::integer[], $" +
               std::to_string(first + 1) + "::bigint[]))";
    }

    /// The first event of each object that failed and waits, or is dead: its later ones stand behind it (rule 13).
    /// So they do behind one that was left in an earlier turn and has become due since: this turn does not read it.
    std::map<object_key, blocker> blockers(const std::vector<due_message>& all) {
        std::map<object_key, blocker> found;
        key_set objects(2);
        std::set<object_key> seen;
        for (const due_message& one : all) {
            if (!is_event(one.category) || !seen.insert({one.category, one.object}).second) continue;
            const std::array<value, 2> key{std::int64_t{one.category}, one.object};
            objects.push_back(key);
        }
        if (objects.empty()) return found;
        const std::string text = spelled(
            "SELECT category, object_identifier, min(id), max(CASE WHEN dead_at IS NOT NULL THEN 3600.0 ELSE 0 - {since "
            "scheduled_for} END) FROM winnow_{silo}_outbox WHERE shard_scope = $1 AND shard_identifier = $2 AND cell_name "
            "= $3 AND (dead_at IS NOT NULL OR id <= $4 OR scheduled_for > $5" +
            std::string(moment_type(which_)) + ") AND " + in_objects(6) + " GROUP BY category, object_identifier");
        const rows answer = with_.database.execute(
            text, {std::int64_t{shard_.scope}, shard_.identifier, std::string_view(shard_.cell_name), start_,
                   std::string_view(moment_), objects});
        for (std::size_t row = 0; row < answer.size(); ++row) {
            const auto* seconds = std::get_if<double>(&answer.at(row, 3));
            found[{static_cast<std::int32_t>(answer.integer(row, 0)), answer.integer(row, 1)}] = {
                answer.integer(row, 2), seconds == nullptr ? static_cast<double>(answer.integer(row, 3)) : *seconds};
        }
        return found;
    }

    void explain(due_messages& made, const due_message& one, std::int64_t state, const rows& from,
                 std::size_t row) const {
        made.waits_for = "message " + std::to_string(one.id) + " (" + routes_.category_name(one.category) +
                         " of object " + std::to_string(one.object) + ") ";
        if (state == 0) {
            made.waits_for += "needs a newer program: its table's backfill has announced a higher version";
            return;
        }
        const auto* seconds = std::get_if<double>(&from.at(row, 5));
        made.wait_seconds = state == 2 || seconds == nullptr ? dead_seconds : std::max(0.01, *seconds);
        made.waits_for += state == 2 ? "is dead: " : one.attempts > 0 ? "has failed: " : "is not due yet";
        made.waits_for += from.text(row, 6);
    }

    const context& with_;
    const outbox_routes& routes_;
    const outbox_shard& shard_;
    const std::string& moment_;
    const std::set<std::int32_t>& held_back_;
    dialect which_;
    std::int64_t most_;
    std::int64_t start_ = 0;  // messages up to this id are not read
    std::set<object_key> objects_;
    std::int64_t dropped_ = 0;  // first message that had no room
};

}  // namespace detail

}  // namespace winnow::inline v0
