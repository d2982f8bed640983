// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/replication_options.hpp"
#include "winnow/context/time_windows.hpp"
#include "winnow/core/error.hpp"
#include "winnow/core/json_value.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/part.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

/// Largest value of a whole number among the options: in any unit it stays clear of what a database's intervals,
/// time-outs and clocks can hold.
inline constexpr std::int64_t largest_option = 1'000'000'000;

/// One option that winnow has whatever the models are.
struct known_option {
    std::string_view name;
    option_kind kind;
    std::string_view otherwise;  ///< value when it is not set
    std::string_view meaning;
    /// What is wrong with a text that is to be stored; empty: nothing. Null: any value of the kind will do.
    std::string (*wrong)(std::string_view text, connection& database) = nullptr;
};

namespace detail {

inline std::string wrong_windows(std::string_view text, connection&) {
    std::string wrong;
    (void)time_windows::parse(text, wrong);
    return wrong;
}

/// A server knows the names of zones; SQLite knows none, and its own idea of local time is that of one machine.
inline std::string wrong_time_zone(std::string_view text, connection& database) {
    if (text == "UTC") return {};
    if (database.kind() == dialect::sqlite) return "SQLite knows UTC only";
    const rows found = database.execute_once("SELECT 1 FROM pg_timezone_names WHERE name = $1", {text});
    return found.empty() ? "this server knows no time zone `" + std::string(text) +
                               "`; `SELECT name FROM pg_timezone_names` lists them, as Europe/Berlin"
                         : std::string();
}

}  // namespace detail

inline constexpr known_option known_options[] = {
    {"deletion.max_rows", option_kind::integer, "0", "a deletion of more rows waits for a confirmation; 0: no cap"},
    {"deletion.max_objects", option_kind::integer, "100", "most objects that one call may schedule"},
    {"deletion.target_milliseconds", option_kind::integer, "100", "what a statement should take; chunks adapt to it"},
    {"deletion.statement_milliseconds", option_kind::integer, "0",
     "statement time-out; a chunk over it is halved; 0: none"},
    {"deletion.pass_milliseconds", option_kind::integer, "0",
     "longest pass before it yields; 0: 15 min in control, 20 min in cell"},
    {"deletion.pass_rows", option_kind::integer, "0", "most rows of one pass before it yields; 0: no limit"},
    {"deletion.lease_seconds", option_kind::integer, "60", "how long a silent worker keeps a deletion"},
    {"deletion.attempts", option_kind::integer, "5", "retries before a deletion counts as failed"},
    {"deletion.retry_seconds", option_kind::integer, "300", "pause between two attempts"},
    {"deletion.strict", option_kind::boolean, "false", "refuse to start while `check` warns, as for a missing index"},
    {"deletion.health_query", option_kind::text, "", "SQL that gives one true or false; false: deletions wait"},
    {"deletion.lag_query", option_kind::text, "",
     "SQL that gives replica lag in seconds; null: the replica does not run"},
    {"deletion.lag_seconds", option_kind::integer, "10", "replica lag from which deletions wait"},
    {"deletion.brake_seconds", option_kind::integer, "5",
     "how often health and lag are asked at most, and how long a brake stays on"},
    {"deletion.replicas", option_kind::integer, "0",
     "PostgreSQL: replicas that have to stream and keep up with `deletion.lag_seconds`; 0: not looked at"},
    {"deletion.windows", option_kind::text, "",
     "when deletions run, as `mon-fri 22:00-06:00, sat-sun`; outside they wait", detail::wrong_windows},
    {"deletion.rate_limit_in_redis", option_kind::boolean, "false",
     "rate limits are shared through Redis, by all databases that use it, instead of through each database"},
    {"outbox.turn_objects", option_kind::integer, "1000", "most objects of a shard that one turn delivers"},
    {"outbox.turn_shards", option_kind::integer, "10", "most shards that one turn delivers together"},
    {"outbox.lease_seconds", option_kind::integer, "60", "how long a silent worker keeps a shard"},
    {"outbox.attempts", option_kind::integer, "10", "failed attempts before a message counts as dead"},
    {"outbox.retry_seconds", option_kind::integer, "5",
     "pause after the first failed attempt of a message; doubles with each, up to an hour"},
    {"outbox.sweep_seconds", option_kind::integer, "60",
     "how often a worker that goes on from where it was looks at all messages again"},
    {"outbox.skip_shards", option_kind::text, "",
     "shards that are left alone: `SCOPE:IDENTIFIER` or `SCOPE:IDENTIFIER:CELL`, separated by commas"},
    {"backfill.batch_rows", option_kind::integer, "10000", "most rows that one transaction of a backfill takes"},
    {"backfill.target_milliseconds", option_kind::integer, "100",
     "what such a transaction should take; its rows adapt"},
    {"backfill.windows", option_kind::text, "", "when backfills run, as `deletion.windows`", detail::wrong_windows},
    {"windows.time_zone", option_kind::text, "UTC", "time zone of the windows, by the name that the database knows",
     detail::wrong_time_zone},
};

/// One option that can be set: winnow's own, or one that a model brings.
struct option_definition {
    option_definition(const known_option& one)  // NOLINT(google-explicit-constructor)
        : name(one.name), kind(one.kind), otherwise(one.otherwise), meaning(one.meaning), wrong(one.wrong) {}
    option_definition(std::string_view its_name, option_kind its_kind, std::string_view if_unset, std::string_view text)
        : name(its_name), kind(its_kind), otherwise(if_unset), meaning(text) {}

    std::string name;
    option_kind kind;
    std::string otherwise;  ///< value when it is not set; empty for a number: it counts as unset
    std::string meaning;
    std::string (*wrong)(std::string_view text, connection& database) = nullptr;  ///< as in `known_option`
};

/// The live options in one database. Reads go to the database each time; nothing is cached.
class options {
public:
    options(connection& database, const catalog& models) : database_(&database), models_(&models) {}

    /// @throws error of kind `usage` for a name that neither winnow nor a model knows
    [[nodiscard]] option_definition definition(std::string_view name) const {
        for (const known_option& one : known_options)
            if (one.name == name) return one;
        std::optional<option_definition> found;
        each_of_models([&](option_definition one) {
            if (!found && one.name == name) found = std::move(one);
        });
        if (found) return *found;
        throw error(failure::usage, "There is no option `" + std::string(name) + "`.")
            .with_hint("`options list` names them all.");
    }

    /// Every option that can be set, winnow's own first, then those of the models in the catalog's order.
    [[nodiscard]] std::vector<option_definition> all() const {
        std::vector<option_definition> found(std::begin(known_options), std::end(known_options));
        each_of_models([&](option_definition one) {
            for (const option_definition& known : found)
                if (known.name == one.name) return;
            found.push_back(std::move(one));
        });
        return found;
    }

    /// The stored text, or nothing when the option is not set.
    [[nodiscard]] std::optional<std::string> stored(std::string_view name) const {
        const rows found = database_->execute("SELECT value FROM winnow_option WHERE name = $1", {name});
        if (found.empty()) return std::nullopt;
        return found.text(0, 0);
    }

    [[nodiscard]] std::string text(std::string_view name) const {
        const option_definition known = definition(name);
        return stored(name).value_or(known.otherwise);
    }
    /// @throws error of kind `configuration` when what is stored is no whole number in range
    [[nodiscard]] std::int64_t integer(std::string_view name) const { return number_in(name, text(name)); }
    /// The same for an option without a default: nothing when it is not set.
    [[nodiscard]] std::optional<std::int64_t> integer_if_set(std::string_view name) const {
        const std::optional<std::string> found = stored(name);
        if (!found) return std::nullopt;
        return number_in(name, *found);
    }
    /// The texts of a list, or nothing when it is not set.
    /// @throws error of kind `configuration` when what is stored is no JSON list of texts
    [[nodiscard]] std::optional<std::vector<std::string>> text_list_if_set(std::string_view name) const {
        const std::optional<std::string> found = stored(name);
        if (!found) return std::nullopt;
        std::optional<std::vector<std::string>> list = parse_text_list(*found);
        if (list) return list;
        throw error(failure::configuration,
                    "Option `" + std::string(name) + "` holds `" + *found + "`, which is no JSON list of texts.")
            .with_hint("`options set " + std::string(name) + " '[\"us\"]'`");
    }
    [[nodiscard]] bool boolean(std::string_view name) const { return text(name) == "true"; }

    /// Stores a value after checking its type.
    /// @throws error of kind `usage` for an unknown name or a value of the wrong type; nothing is changed
    void set(std::string_view name, std::string_view to, std::string_view who) {
        const option_definition known = definition(name);
        const bool fits = known.kind == option_kind::text ||
                          (known.kind == option_kind::boolean && (to == "true" || to == "false")) ||
                          (known.kind == option_kind::integer && parsed(to)) ||
                          (known.kind == option_kind::text_list && parse_text_list(to).has_value());
        if (!fits) {
            const std::string more = known.kind == option_kind::integer ? " from 0 to " + std::to_string(largest_option)
                                     : known.kind == option_kind::text_list ? " in JSON, as [\"us\", \"de\"]"
                                                                            : "";
            throw error(failure::usage, "Option `" + std::string(name) + "` takes a " +
                                            std::string(name_of(known.kind)) + more + ", not `" + std::string(to) +
                                            "`.");
        }
        if (const std::string why = known.wrong ? known.wrong(to, *database_) : std::string(); !why.empty())
            throw error(failure::usage, "Option `" + std::string(name) + "`: " + why + ". Nothing was changed.");
        const std::string text = own_statement(
            "INSERT INTO winnow_option (name, value, updated_by) VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE SET "
            "value = excluded.value, updated_by = excluded.updated_by, updated_at = {now}",
            database_->kind());
        (void)database_->execute(text, {name, to, who});
    }
    /// @return whether it had been set
    bool unset(std::string_view name) {
        (void)definition(name);
        return database_->execute("DELETE FROM winnow_option WHERE name = $1", {name}).affected() > 0;
    }

private:
    template <class Take>
    void each_of_models(const Take& take) const {
        for (std::size_t model = 0; model < models_->size(); ++model) {
            const plan& of = (*models_)[model];
            if (!of.rate_limit_option.empty())
                take(
                    option_definition{of.rate_limit_option, option_kind::integer, "0", "rows per second; 0: no limit"});
            if (of.replication == nullptr) continue;
            const std::string table = replicated_table(of, database_->kind());
            take(option_definition{
                replication_version_option(table), option_kind::integer, "",
                "version up to which rows of " + std::string(of.key) + " may be backfilled; not set: none"});
            if (of.silo == silo::control)
                take(option_definition{
                    target_cells_option(table), option_kind::text_list, "",
                    "cells that rows of " + std::string(of.key) + " are backfilled to, as [\"us\"]; not set: all"});
        }
    }
    static std::int64_t number_in(std::string_view name, const std::string& found) {
        const std::optional<std::int64_t> number = parsed(found);
        if (!number)
            throw error(failure::configuration, "Option `" + std::string(name) + "` holds `" + found +
                                                    "`, which is no whole number from 0 to " +
                                                    std::to_string(largest_option) + ".")
                .with_hint("`options set " + std::string(name) + " NUMBER`");
        return *number;
    }
    static std::optional<std::int64_t> parsed(std::string_view from) {
        std::int64_t number = 0;
        const auto [end, fault] = std::from_chars(from.data(), from.data() + from.size(), number);
        if (fault != std::errc{} || end != from.data() + from.size() || number < 0 || number > largest_option)
            return std::nullopt;
        return number;
    }

    connection* database_;
    const catalog* models_;
};

}  // namespace winnow::inline v0
