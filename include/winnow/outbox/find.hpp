// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/outbox/shard.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

/// How far a worker has looked for due messages. Kept from one call of `drain` to the next, it saves the worker
/// from looking again at everything that has been delivered since: while an old transaction lives, the database
/// cannot forget those.
struct outbox_position {
    std::string moment;   ///< `scheduled_for` of the last message seen, as the database spells it; empty: none
    std::int64_t id = 0;  ///< of that message
    clock::duration last_sweep{0};  ///< when everything was looked at, by the worker's clock
};

namespace detail {

/// A shard that has something due.
struct found_shard {
    outbox_shard key;
    bool free = true;   ///< not skipped, held, or waiting
    bool known = true;  ///< it has a row
};

/// Looks for shards with messages that are due, window after window: each goes on where the last one ended, and none
/// reads more than a bounded number of messages.
class due_finder {
public:
    /// @param ids both bounds included; nothing: all messages, in the order in which they become due
    due_finder(const context& with, silo where, std::optional<std::pair<std::int64_t, std::int64_t>> ids)
        : with_(with), where_(where), which_(with.database.kind()), ids_(ids) {
        until_ = with_.database.execute(spelled("SELECT {now}")).text(0, 0);
        if (ids_) id_ = ids_->first - 1;
    }

    /// Goes on from where an earlier search ended, a little before it: a message may become visible later than the
    /// moment that it bears says.
    void start_from(const outbox_position& from) {
        if (from.moment.empty() || ids_) return;
        const std::string text = which_ == dialect::postgres ? "SELECT $1::timestamptz - interval '2 seconds'"
                                                             : "SELECT strftime('%Y-%m-%d %H:%M:%f', $1, '-2 seconds')";
        moment_ = with_.database.execute(text, {std::string_view(from.moment)}).text(0, 0);
    }

    [[nodiscard]] bool done() const noexcept { return done_; }
    [[nodiscard]] const std::string& moment() const noexcept { return moment_; }
    [[nodiscard]] std::int64_t id() const noexcept { return id_; }

    /// The shards of the next window, those whose message has waited longest first.
    std::vector<found_shard> next() {
        if (done_) return {};
        const rows found = ids_ ? by_id() : by_moment();
        std::vector<found_shard> shards;
        for (std::size_t row = 0; row < found.size(); ++row) {
            outbox_shard key{where_, static_cast<std::int32_t>(found.integer(row, 0)), found.integer(row, 1),
                             found.text(row, 2)};
            shards.push_back({std::move(key), found.integer(row, 3) != 0, found.integer(row, 7) != 0});
        }
        done_ = found.empty() || found.integer(0, 4) < window;
        if (!found.empty()) {
            moment_ = found.text(0, 5);
            id_ = found.integer(0, 6);
        }
        return shards;
    }

    static constexpr std::int64_t window = 10'000;

private:
    [[nodiscard]] std::string spelled(std::string_view text) const { return own_statement(text, which_, where_); }

    [[nodiscard]] rows by_moment() const {
        const std::string type(moment_type(which_));
        const std::string_view start = which_ == dialect::postgres ? "-infinity" : "";
        return with_.database.execute(
            grouped("(scheduled_for, id) > ($1" + type + ", $2) AND scheduled_for <= $3" + type +
                    " ORDER BY scheduled_for, id LIMIT $4"),
            {moment_.empty() ? start : std::string_view(moment_), id_, std::string_view(until_), window});
    }
    [[nodiscard]] rows by_id() const {
        return with_.database.execute(grouped("id > $1 AND id <= $2 AND scheduled_for <= $3" +
                                              std::string(moment_type(which_)) + " ORDER BY id LIMIT $4"),
                                      {id_, ids_->second, std::string_view(until_), window});
    }

    [[nodiscard]] std::string grouped(const std::string& condition) const {
        const std::string last =
            ids_ ? "(SELECT max(id) FROM w)"
                 : "(SELECT max(id) FROM w WHERE scheduled_for = (SELECT max(scheduled_for) FROM w))";
        return spelled(
            "WITH w AS MATERIALIZED (SELECT shard_scope, shard_identifier, cell_name, scheduled_for, id FROM "
            "winnow_{silo}_outbox WHERE dead_at IS NULL AND " +
            condition +
            "), g AS (SELECT shard_scope, shard_identifier, cell_name, min(scheduled_for) AS oldest FROM w GROUP BY "
            "shard_scope, shard_identifier, cell_name) SELECT g.shard_scope, g.shard_identifier, g.cell_name, CASE WHEN "
            "s.skipped_by IS NOT NULL OR s.lease_expires_at > {now} OR s.waiting_until > {now} THEN 0 ELSE 1 END, (SELECT "
            "count(*) FROM w), (SELECT max(scheduled_for) FROM w), " +
            last +
            ", CASE WHEN s.shard_scope IS NULL THEN 0 ELSE 1 END FROM g LEFT JOIN winnow_{silo}_outbox_shard s ON s.shard_scope = g.shard_scope AND s.shard_identifier = "
            "g.shard_identifier AND s.cell_name = g.cell_name ORDER BY g.oldest, 1, 2, 3");
    }

    const context& with_;
    silo where_;
    dialect which_;
    std::optional<std::pair<std::int64_t, std::int64_t>> ids_;
    std::string until_;
    std::string moment_;
    std::int64_t id_ = 0;
    bool done_ = false;
};

}  // namespace detail

}  // namespace winnow::inline v0
