// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/job_table.hpp"
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

inline std::string wrong_shape(std::string_view text, connection&) {
    return text == "auto" || text == "sets" || text == "pages" ? "" : "it is `auto`, `sets` or `pages`";
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

/// Most connections that may work on one deletion.
inline constexpr std::int64_t most_connections = 32;

namespace detail {

inline std::string wrong_connections(std::string_view text, connection& database) {
    std::int64_t number = 0;
    (void)std::from_chars(text.data(), text.data() + text.size(), number);
    if (number < 1 || number > most_connections) return "a deletion has 1 to " + std::to_string(most_connections);
    if (number > 1 && database.kind() == dialect::sqlite)
        return "SQLite has one writer at a time, so more connections could only wait for each other";
    return {};
}

}  // namespace detail

inline constexpr known_option known_options[] = {
    {"deletion.max_rows", option_kind::integer, "0", "a deletion of more rows waits for a confirmation; 0: no cap"},
    {"deletion.max_objects", option_kind::integer, "100", "most objects that one call may schedule"},
    {"deletion.target_milliseconds", option_kind::integer, "100", "what a statement should take; chunks adapt to it"},
    {"deletion.shape", option_kind::text, "auto",
     "how leaf rows are found: `sets` of parents, `pages` of a PostgreSQL table in order, or `auto`: what pays",
     detail::wrong_shape},
    {"deletion.statement_milliseconds", option_kind::integer, "0",
     "statement time-out; a chunk over it is halved; 0: none"},
    {"deletion.pass_milliseconds", option_kind::integer, "0",
     "longest pass before it yields; 0: 15 min in control, 20 min in cell"},
    {"deletion.pass_rows", option_kind::integer, "0", "most rows of one pass before it yields; 0: no limit"},
    {"deletion.connections", option_kind::integer, "1",
     "PostgreSQL: connections that work on one deletion together, where its models allow it",
     detail::wrong_connections},
    {"deletion.connections_from_rows", option_kind::integer, "5000",
     "smaller deletions are done by one connection all the same"},
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
    {"outbox.turn_shards", option_kind::integer, "100", "most shards that one turn delivers together"},
    {"outbox.lease_seconds", option_kind::integer, "60", "how long a silent worker keeps a shard"},
    {"outbox.attempts", option_kind::integer, "10", "failed attempts before a message counts as dead"},
    {"outbox.retry_seconds", option_kind::integer, "5",
     "pause after the first failed attempt of a message; doubles with each, up to an hour"},
    {"outbox.sweep_seconds", option_kind::integer, "60",
     "how often a worker that goes on from where it was looks at all messages again"},
    {"outbox.skip_shards", option_kind::text, "",
     "shards that are left alone: `SCOPE:IDENTIFIER` or `SCOPE:IDENTIFIER:CELL`, separated by commas"},
    {"outbox.concurrency", option_kind::integer, "5", "tasks that the messages of a silo are split over"},
    {"outbox.process_backfills", option_kind::boolean, "true", "whether each round of the outbox also backfills"},
    {"backfill.max_batch_rate", option_kind::integer, "10000",
     "rows that one such round backfills, less the messages that wait"},
    {"backfill.batch_rows", option_kind::integer, "50000", "most rows that one transaction of a backfill takes"},
    {"backfill.target_milliseconds", option_kind::integer, "100",
     "what such a transaction should take, on SQLite half as much again; its rows adapt"},
    {"backfill.windows", option_kind::text, "", "when backfills run, as `deletion.windows`", detail::wrong_windows},
    {"windows.time_zone", option_kind::text, "UTC", "time zone of the windows, by the name that the database knows",
     detail::wrong_time_zone},
    {"scrub.rows", option_kind::integer, "10000", "rows of each reference that one round of the scrub looks at"},
    {"prune.days", option_kind::integer, "30", "age from which arrivals and tombstones that are done are forgotten"},
    {"worker.retries", option_kind::integer, "5", "how often a job that failed is tried again before its next round"},
    {"worker.retry_seconds", option_kind::integer, "300", "pause before that, give or take a tenth"},
    {"worker.leader_seconds", option_kind::integer, "15", "how long a silent scheduler stays the one"},
};

/// One option that can be set: winnow's own, or one that a model or a part of the catalog brings.
struct option_definition {
    option_definition(const known_option& one)  // NOLINT(google-explicit-constructor)
        : name(one.name),
          kind(one.kind),
          otherwise(one.otherwise),
          meaning(one.meaning),
          origin("winnow"),
          wrong(one.wrong) {}
    option_definition(std::string_view its_name, option_kind its_kind, std::string_view if_unset, std::string_view text,
                      std::string its_origin)
        : name(its_name), kind(its_kind), otherwise(if_unset), meaning(text), origin(std::move(its_origin)) {}

    std::string name;
    option_kind kind;
    std::string otherwise;  ///< value when it is not set; empty for a number: it counts as unset
    std::string meaning;
    std::string origin;  ///< who brings it: `winnow`, or the title of a part
    std::string (*wrong)(std::string_view text, connection& database) = nullptr;  ///< as in `known_option`
};

/// Calls `take(option_definition, model)` for each option that a model of the catalog brings, by the names that it has in
/// one kind of database. Models may share one. Defaults that parts give are not looked at.
template <class Take>
void each_option_of_models(const catalog& models, dialect which, const Take& take) {
    for (std::size_t model = 0; model < models.size(); ++model) {
        const plan& of = models[model];
        const std::string origin = title_of(models.part_of(model));
        if (!of.rate_limit_option.empty())
            take(option_definition{of.rate_limit_option, option_kind::integer, "0", "rows per second; 0: no limit",
                                   origin},
                 model);
        if (of.replication == nullptr) continue;
        const std::string table = replicated_table(of, which);
        take(
            option_definition{
                replication_version_option(table), option_kind::integer, "",
                "version up to which rows of " + std::string(of.key) + " may be backfilled; not set: none", origin},
            model);
        if (of.silo == silo::control)
            take(option_definition{target_cells_option(table), option_kind::text_list, "",
                                   "cells that rows of " + std::string(of.key) +
                                       " are backfilled to, as [\"us\"]; not set: all",
                                   origin},
                 model);
    }
}

namespace detail {

/// Whether a text is a value of this kind.
[[nodiscard]] inline bool fits_kind(option_kind kind, std::string_view text) {
    switch (kind) {
        case option_kind::integer: {
            std::int64_t number = 0;
            const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
            return fault == std::errc{} && end == text.data() + text.size() && number >= 0 && number <= largest_option;
        }
        case option_kind::boolean: return text == "true" || text == "false";
        case option_kind::text: return true;
        case option_kind::text_list: return parse_text_list(text).has_value();
    }
    return false;
}

}  // namespace detail

/// The live options in one database. Reads go to the database each time; nothing is cached, unless in a `snapshot`.
class options {
public:
    options(connection& database, const catalog& models) : database_(&database), models_(&models) {}

    /// All options as they are now, read with one statement: for who asks for several at once. Writes go to the database
    /// and are not seen through it.
    [[nodiscard]] options snapshot() const {
        options copy = *this;
        const rows found = database_->execute("SELECT name, value FROM winnow_option");
        std::vector<std::pair<std::string, std::string>>& kept = copy.kept_.emplace();
        for (std::size_t row = 0; row < found.size(); ++row) kept.emplace_back(found.text(row, 0), found.text(row, 1));
        return copy;
    }

    /// @throws error of kind `usage` for a name that neither winnow nor a model nor a part knows
    [[nodiscard]] option_definition definition(std::string_view name) const {
        if (std::optional<option_definition> found = find(name)) return *std::move(found);
        throw error(failure::usage, "There is no option `" + std::string(name) + "`.")
            .with_hint("`options list` names them all.");
    }

    /// Every option that can be set, winnow's own first, then those of the models in the catalog's order, then those of
    /// its parts.
    [[nodiscard]] std::vector<option_definition> all() const {
        std::vector<option_definition> found(std::begin(known_options), std::end(known_options));
        each_of_jobs([&](option_definition one) { found.push_back(std::move(one)); });
        const auto known = [&](std::string_view name) {
            return std::any_of(found.begin(), found.end(),
                               [&](const option_definition& one) { return one.name == name; });
        };
        each_of_models([&](option_definition one) {
            if (!known(one.name)) found.push_back(std::move(one));
        });
        each_of_parts([&](option_definition one) {
            if (!known(one.name)) found.push_back(std::move(one));
        });
        return found;
    }

    /// The stored text, or nothing when the option is not set.
    [[nodiscard]] std::optional<std::string> stored(std::string_view name) const {
        if (kept_) {
            const auto known =
                std::find_if(kept_->begin(), kept_->end(), [&](const auto& one) { return one.first == name; });
            return known == kept_->end() ? std::nullopt : std::optional(known->second);
        }
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
    /// The same for an option of winnow's that has no default unless a part gives one: nothing when it is not set.
    [[nodiscard]] std::optional<std::int64_t> integer_if_set(std::string_view name) const {
        const std::optional<std::string> found = stored_or_default(name);
        if (!found) return std::nullopt;
        return number_in(name, *found);
    }
    /// The texts of a list, or nothing when it is not set.
    /// @throws error of kind `configuration` when what is stored is no JSON list of texts
    [[nodiscard]] std::optional<std::vector<std::string>> text_list_if_set(std::string_view name) const {
        const std::optional<std::string> found = stored_or_default(name);
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
        if (!detail::fits_kind(known.kind, to)) {
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
    [[nodiscard]] std::optional<option_definition> find(std::string_view name) const {
        for (const known_option& one : known_options)
            if (one.name == name) return option_definition(one);
        std::optional<option_definition> found;
        const auto keep = [&](option_definition one) {
            if (!found && one.name == name) found = std::move(one);
        };
        each_of_jobs(keep);
        each_of_models(keep);
        if (!found) each_of_parts(keep);
        return found;
    }
    [[nodiscard]] std::optional<std::string> stored_or_default(std::string_view name) const {
        std::optional<std::string> found = stored(name);
        if (found) return found;
        const std::optional<option_definition> known = find(name);
        if (known && !known->otherwise.empty()) found = known->otherwise;
        return found;
    }
    template <class Take>
    void each_of_parts(const Take& take) const {
        for (const model_part& part : models_->parts())
            for (const part_option& one : part.options)
                take(option_definition{one.name, one.kind, one.otherwise, one.meaning, title_of(part)});
    }
    /// With the defaults that the models' own parts give.
    template <class Take>
    static void each_of_jobs(const Take& take) {
        for (const periodic_job& one : periodic_jobs) {
            take(option_definition{job_option(one, "interval_seconds"), option_kind::integer,
                                   std::to_string(one.interval_seconds), "seconds from one start to the next",
                                   "winnow"});
            take(option_definition{job_option(one, "deadline_seconds"), option_kind::integer,
                                   std::to_string(one.deadline_seconds), "seconds that one run may take", "winnow"});
            take(option_definition{job_option(one, "enabled"), option_kind::boolean, "true",
                                   "whether workers run it by themselves", "winnow"});
        }
    }
    template <class Take>
    void each_of_models(const Take& take) const {
        each_option_of_models(*models_, database_->kind(), [&](option_definition one, std::size_t model) {
            for (const part_option& given : models_->part_of(model).options)
                if (given.name == one.name) one.otherwise = given.otherwise;
            take(std::move(one));
        });
    }
    static std::int64_t number_in(std::string_view name, const std::string& found) {
        std::int64_t number = 0;
        if (detail::fits_kind(option_kind::integer, found)) {
            (void)std::from_chars(found.data(), found.data() + found.size(), number);
            return number;
        }
        throw error(failure::configuration, "Option `" + std::string(name) + "` holds `" + found +
                                                "`, which is no whole number from 0 to " +
                                                std::to_string(largest_option) + ".")
            .with_hint("`options set " + std::string(name) + " NUMBER`");
    }

    connection* database_;
    const catalog* models_;
    std::optional<std::vector<std::pair<std::string, std::string>>> kept_{};  ///< what a snapshot has read
};

}  // namespace winnow::inline v0
