// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

enum class option_kind : unsigned char { integer, boolean, text };

[[nodiscard]] constexpr std::string_view name_of(option_kind kind) noexcept {
    return kind == option_kind::integer ? "whole number" : kind == option_kind::boolean ? "true or false" : "text";
}

/// Largest value of a whole number among the options: in any unit it stays clear of what a database's intervals,
/// time-outs and clocks can hold.
inline constexpr std::int64_t largest_option = 1'000'000'000;

/// One option that winnow knows.
struct option_definition {
    std::string_view name;
    option_kind kind;
    std::string_view otherwise;  ///< value when it is not set
    std::string_view meaning;
};

inline constexpr std::array<option_definition, 21> known_options = {{
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
}};

/// The live options in one database. Reads go to the database each time; nothing is cached.
class options {
public:
    options(connection& database, const catalog& models) : database_(&database), models_(&models) {}

    /// @throws error of kind `usage` for a name that neither winnow nor a model's `rate_limit_option` knows
    [[nodiscard]] option_definition definition(std::string_view name) const {
        for (const option_definition& one : known_options)
            if (one.name == name) return one;
        for (std::size_t model = 0; model < models_->size(); ++model)
            if ((*models_)[model].rate_limit_option == name && !name.empty())
                return {(*models_)[model].rate_limit_option, option_kind::integer, "0", "rows per second; 0: no limit"};
        throw error(failure::usage, "There is no option `" + std::string(name) + "`.")
            .with_hint("`options list` names them all.");
    }

    /// Every option that can be set, winnow's own first.
    [[nodiscard]] std::vector<option_definition> all() const {
        std::vector<option_definition> found(known_options.begin(), known_options.end());
        for (std::size_t model = 0; model < models_->size(); ++model) {
            const std::string_view name = (*models_)[model].rate_limit_option;
            bool known = name.empty();
            for (const option_definition& one : found) known = known || one.name == name;
            if (!known) found.push_back(definition(name));
        }
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
        return stored(name).value_or(std::string(known.otherwise));
    }
    /// @throws error of kind `configuration` when what is stored is no whole number in range
    [[nodiscard]] std::int64_t integer(std::string_view name) const {
        const std::string found = text(name);
        const std::optional<std::int64_t> number = parsed(found);
        if (!number)
            throw error(failure::configuration, "Option `" + std::string(name) + "` holds `" + found +
                                                    "`, which is no whole number from 0 to " +
                                                    std::to_string(largest_option) + ".")
                .with_hint("`options set " + std::string(name) + " NUMBER`");
        return *number;
    }
    [[nodiscard]] bool boolean(std::string_view name) const { return text(name) == "true"; }

    /// Stores a value after checking its type.
    /// @throws error of kind `usage` for an unknown name or a value of the wrong type; nothing is changed
    void set(std::string_view name, std::string_view to, std::string_view who) {
        const option_definition known = definition(name);
        const bool fits = known.kind == option_kind::text ||
                          (known.kind == option_kind::boolean && (to == "true" || to == "false")) ||
                          (known.kind == option_kind::integer && parsed(to));
        if (!fits)
            throw error(failure::usage,
                        "Option `" + std::string(name) + "` takes a " + std::string(name_of(known.kind)) +
                            (known.kind == option_kind::integer ? " from 0 to " + std::to_string(largest_option) : "") +
                            ", not `" + std::string(to) + "`.");
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
