// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/context/replication_options.hpp"
#include "winnow/core/error.hpp"
#include "winnow/outbox/read_due.hpp"
#include "winnow/outbox/retry.hpp"
#include "winnow/outbox/routes.hpp"
#include "winnow/outbox/settings.hpp"
#include "winnow/outbox/shard.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

/// A shard that is to be claimed, with what an earlier turn of the same worker left there.
struct wanted_shard {
    outbox_shard key;
    std::int64_t token = 0;  ///< of that turn; 0: there was none
    std::int64_t after = 0;  ///< the last id that it read: counts only while its token is the shard's newest
    bool known = false;      ///< it has a row in the table of shards
};

/// Why a shard was not claimed.
enum class claim_answer : unsigned char {
    claimed,
    nothing_due,
    held,     ///< another claim's lease is alive
    skipped,  ///< by a person or by `outbox.skip_shards`
    waits,    ///< a strict shard whose first message failed or is dead
    later,    ///< the turn was full; ask again
};

/// One shard as a claim found it.
struct claimed_shard {
    outbox_shard key;
    claim_answer answer = claim_answer::nothing_due;
    std::vector<due_message> messages;  ///< in id order
    bool strict = false;
    bool more = false;        ///< there are more messages than the turn takes
    bool lost = false;        ///< another claim came after this one; nothing of it may be written or deleted
    std::int64_t before = 0;  ///< the token that was found
    std::int64_t after = 0;   ///< the last id that was read
};

/// The right to deliver some messages, until somebody else claims the same shard: safe by its token, not by its
/// lease, which only keeps others from working for nothing.
struct outbox_claim {
    silo where = silo::cell;
    std::string cell_name;
    std::int64_t token = 0;  ///< 0: nothing was claimed
    std::string owner;  ///< of this claim alone, so that a process never takes another's claim for its own (rule 10)
    std::vector<claimed_shard> shards;  ///< in the order of their keys
};

namespace detail {

/// Gives these shards of one silo rows to lock, those that have none: in a transaction of its own and in one order, so
/// that no claim waits for a row of another's that it has not locked in order.
inline void make_shard_rows(const context& with, silo where, std::span<const outbox_shard* const> shards) {
    if (shards.empty()) return;
    key_set keys(3);
    for (const outbox_shard* one : shards) {
        const std::array<value, 3> tuple{std::int64_t{one->scope}, one->identifier, one->cell_name};
        keys.push_back(tuple);
    }
    const dialect which = with.database.kind();
    std::string text = "INSERT INTO winnow_{silo}_outbox_shard (shard_scope, shard_identifier, cell_name) SELECT ";
    text += which == dialect::postgres
                ? "* FROM unnest($1::integer[], $2::bigint[], $3::text[])"
                : "json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]') FROM "
                  "json_each($1)";
    const std::string insert =
        own_statement(text + " WHERE true ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING", which, where);
    in_source(with, [&] { (void)with.database.execute(insert, {keys}); });
}

/// Claims shards of one silo and one target in one short transaction (rule 1).
class claim_transaction {
public:
    claim_transaction(const context& with, const outbox_routes& routes, const outbox_settings& settings, silo where,
                      std::set<std::int32_t>& held_back)
        : with_(with),
          routes_(routes),
          settings_(settings),
          where_(where),
          which_(with.database.kind()),
          held_back_(held_back),
          full_turn_(full_turn_of(routes, settings)) {}

    outbox_claim run(std::span<const wanted_shard> wanted) {
        make_rows(wanted);
        outbox_claim made;
        in_source(with_, [&] {
            made = {};
            taken_ = 0;
            taken_over_.clear();
            made.where = where_;
            made.cell_name = wanted.front().key.cell_name;
            lock(wanted, made);
            read(made, wanted);
            if (!any(made)) return;
            made.token = draw();
            check_versions(made);
            made.owner = with_.database.session_name() + "/" + std::to_string(made.token);
            take(made);
        });
        if (!any(made)) made.token = 0;
        return made;
    }

private:
    /// Copies are written by sets, and what a turn costs besides them should not count; handlers take as long as they
    /// please, object by object, and their shards should not be held for long.
    [[nodiscard]] static std::int64_t full_turn_of(const outbox_routes& routes, const outbox_settings& settings) {
        for (const plan* one : routes.models())
            if (one->replication->hooks.replicate != nullptr || one->replication->hooks.erased != nullptr)
                return settings.turn_objects * 2;
        return settings.turn_room;
    }
    [[nodiscard]] static bool any(const outbox_claim& of) {
        return std::any_of(of.shards.begin(), of.shards.end(),
                           [](const claimed_shard& one) { return one.answer == claim_answer::claimed; });
    }
    [[nodiscard]] static key_set keys_of(std::span<const wanted_shard> wanted) {
        std::vector<const outbox_shard*> all;
        for (const wanted_shard& one : wanted) all.push_back(&one.key);
        return shard_set(all);
    }
    [[nodiscard]] std::string spelled(std::string_view text) const { return own_statement(text, which_, where_); }

    void make_rows(std::span<const wanted_shard> wanted) {
        const bool known = std::all_of(wanted.begin(), wanted.end(), [](const wanted_shard& one) { return one.known; });
        if (known) return;
        const std::string count =
            spelled("SELECT count(*) FROM winnow_{silo}_outbox_shard WHERE cell_name = $1 AND " + in_shards(which_, 2));
        const rows found =
            with_.database.execute_once(count, {std::string_view(wanted.front().key.cell_name), keys_of(wanted)});
        if (found.integer(0, 0) == static_cast<std::int64_t>(wanted.size())) return;
        std::vector<const outbox_shard*> all;
        for (const wanted_shard& one : wanted) all.push_back(&one.key);
        make_shard_rows(with_, where_, all);
    }

    /// The rows' locks come first; ids are read in later statements, so that no other claim comes between.
    void lock(std::span<const wanted_shard> wanted, outbox_claim& made) {
        const std::string text =
            spelled("SELECT shard_scope, shard_identifier, token, CASE WHEN skipped_by IS NOT NULL THEN 1 ELSE 0 END, "
                    "CASE WHEN lease_owner IS NULL THEN 0 WHEN lease_expires_at > {now} THEN 1 ELSE 2 END, (SELECT "
                    "{now}) FROM winnow_{silo}_outbox_shard WHERE cell_name = $1 AND " +
                    in_shards(which_, 2) + " ORDER BY shard_scope, shard_identifier {lock}");
        const rows found = with_.database.execute_once(text, {std::string_view(made.cell_name), keys_of(wanted)});
        // The moment that all reads of this claim compare with: an event that becomes due between two of them would
        // otherwise be passed by the one behind it. What becomes due while the locks are waited for is left for later.
        if (!found.empty()) moment_ = found.text(0, 5);
        for (std::size_t row = 0; row < found.size(); ++row) {
            claimed_shard one;
            for (const wanted_shard& asked : wanted) {
                if (asked.key.scope != found.integer(row, 0) || asked.key.identifier != found.integer(row, 1)) continue;
                one.key = asked.key;
                one.before = found.integer(row, 2);
                if (asked.token != 0 && asked.token == one.before) one.after = asked.after;
            }
            one.strict = routes_.strict(one.key.scope);
            const std::int64_t lease = found.integer(row, 4);
            if (found.integer(row, 3) != 0 || settings_.skips(one.key)) one.answer = claim_answer::skipped;
            else if (lease == 1) one.answer = claim_answer::held;
            else if (lease == 2) taken_over_.insert(one.key);
            made.shards.push_back(std::move(one));
        }
    }

    [[nodiscard]] std::int64_t room() const { return full_turn_ - taken_; }

    /// Shard by shard until the turn is full, in the order that they were asked for: one that had no room in a turn comes
    /// first in the next. Where a round trip is what most of it costs, the first messages of all shards come in one.
    void read(outbox_claim& made, std::span<const wanted_shard> wanted) {
        std::vector<claimed_shard*> order;
        std::vector<const outbox_shard*> open;
        std::vector<std::int64_t> after;
        for (const wanted_shard& asked : wanted) {
            const auto at = std::lower_bound(made.shards.begin(), made.shards.end(), asked.key,
                                             [](const claimed_shard& a, const outbox_shard& b) { return a.key < b; });
            if (at == made.shards.end() || at->key != asked.key) continue;
            order.push_back(&*at);
            if (at->answer != claim_answer::nothing_due || at->strict) continue;
            open.push_back(&at->key);
            after.push_back(at->after);
        }
        std::vector<due_window> windows;
        if (which_ == dialect::postgres && open.size() > 1)
            windows = read_windows(with_, open, after, moment_, held_back_, settings_.turn_objects, room());
        std::size_t next = 0;
        for (claimed_shard* one : order) {
            due_window* first = nullptr;
            if (next < windows.size() && open[next] == &one->key) first = &windows[next++];
            read(*one, first != nullptr && first->known ? first : nullptr);
        }
    }

    void read(claimed_shard& one, due_window* first) {
        if (one.answer != claim_answer::nothing_due) return;
        if (room() <= 0) {
            one.answer = claim_answer::later;
            return;
        }
        due_reader reader(with_, routes_, settings_, one.key, moment_, held_back_);
        due_messages found = one.strict ? reader.read_strict() : reader.read(one.after, first);
        taken_ += found.objects;
        one.messages = std::move(found.messages);
        one.more = found.more;
        one.after = found.last;
        if (!one.messages.empty()) one.answer = claim_answer::claimed;
        else if (!found.waits_for.empty()) wait(one, found);
    }

    void wait(claimed_shard& one, const due_messages& found) {
        one.answer = claim_answer::waits;
        const std::string text = spelled(
            "UPDATE winnow_{silo}_outbox_shard SET waiting_for = $1, waiting_until = {after $2} WHERE shard_scope = $3 "
            "AND shard_identifier = $4 AND cell_name = $5");
        (void)with_.database.execute(
            text, {std::string_view(found.waits_for), value(found.wait_seconds), std::int64_t{one.key.scope},
                   one.key.identifier, std::string_view(one.key.cell_name)});
    }

    /// From one sequence that is never reset, after the ids and before the first row is read (rule 2).
    [[nodiscard]] std::int64_t draw() {
        const std::string text = spelled(which_ == dialect::postgres
                                             ? "SELECT nextval('winnow_{silo}_outbox_token')"
                                             : "UPDATE winnow_{silo}_outbox_token SET last = last + 1 RETURNING last");
        return with_.database.execute(text).integer(0, 0);
    }

    /// Code that is older than what a table's backfill has announced would deliver in the old format what the
    /// backfill has written (rule 15). A completed row says one more than it has announced.
    void check_versions(outbox_claim& made) {
        const rows announced = with_.database.execute(
            spelled("SELECT table_name, max(version - CASE WHEN state = 'complete' THEN 1 ELSE 0 END) FROM "
                    "winnow_{silo}_backfill GROUP BY table_name"));
        for (const plan* one : routes_.models()) {
            for (std::size_t row = 0; row < announced.size(); ++row) {
                if (announced.text(row, 0) != replicated_table(*one, which_)) continue;
                if (announced.integer(row, 1) > one->replication->version)
                    held_back_.insert(one->replication->category);
            }
        }
        if (held_back_.empty()) return;
        for (claimed_shard& one : made.shards) {
            const auto held = [&](const due_message& each) { return held_back_.count(each.category) != 0; };
            const auto first = std::find_if(one.messages.begin(), one.messages.end(), held);
            if (first == one.messages.end()) continue;
            if (one.strict) one.messages.erase(first, one.messages.end());
            else one.messages.erase(std::remove_if(first, one.messages.end(), held), one.messages.end());
            // The next claim reads past them; in a strict shard nothing passes them.
            one.more = !one.strict;
            if (one.messages.empty()) one.answer = claim_answer::nothing_due;
        }
    }

    void take(outbox_claim& made) {
        std::vector<const outbox_shard*> all;
        for (const claimed_shard& one : made.shards)
            if (one.answer == claim_answer::claimed) all.push_back(&one.key);
        if (all.empty()) return;
        const std::string text = spelled(
            "UPDATE winnow_{silo}_outbox_shard SET token = $1, lease_owner = $2, lease_expires_at = {after $3}, "
            "waiting_for = NULL, waiting_until = NULL WHERE cell_name = $4 AND " +
            in_shards(which_, 5));
        (void)with_.database.execute_once(text, {made.token, std::string_view(made.owner), settings_.lease_seconds,
                                                 std::string_view(made.cell_name), shard_set(all)});
        for (claimed_shard& one : made.shards)
            if (one.answer == claim_answer::claimed && taken_over_.count(one.key) != 0) count_lost_attempt(one);
    }

    /// The worker before this one fell silent in the middle: what was in its handlers counts as tried. Never up to
    /// the last attempt, because nobody knows which of the messages it was.
    void count_lost_attempt(claimed_shard& one) {
        key_set ids(1);
        for (due_message& each : one.messages) {
            const plan* about = routes_.find(each.category);
            const bool handled = about != nullptr && (about->replication->hooks.replicate != nullptr ||
                                                      about->replication->hooks.erased != nullptr);
            if (!handled || each.attempts + 2 >= settings_.attempts) continue;
            ++each.attempts;
            add_id(ids, each.id);
        }
        if (ids.empty()) return;
        (void)with_.database.execute(
            spelled("UPDATE winnow_{silo}_outbox SET attempts = attempts + 1 WHERE " + in_set(which_, "id", 1)), {ids});
    }

    const context& with_;
    const outbox_routes& routes_;
    const outbox_settings& settings_;
    silo where_;
    dialect which_;
    std::set<std::int32_t>& held_back_;
    std::string moment_;
    std::int64_t full_turn_;  // objects
    std::int64_t taken_ = 0;
    std::set<outbox_shard> taken_over_;
};

}  // namespace detail

/// Claims the due messages of some shards, all of one silo and one target. Shards that another claim holds, that are
/// skipped, or that have nothing due are in the answer without messages.
/// @param held_back categories that this code is too old for; grows (rule 15)
/// @throws error as the database does; deadlocks and a busy file are retried
[[nodiscard]] inline outbox_claim claim_shards(const context& with, const outbox_routes& routes,
                                               const outbox_settings& settings, std::span<const wanted_shard> wanted,
                                               std::set<std::int32_t>& held_back) {
    if (wanted.empty()) return {};
    return detail::claim_transaction(with, routes, settings, wanted.front().key.silo, held_back).run(wanted);
}

}  // namespace winnow::inline v0
