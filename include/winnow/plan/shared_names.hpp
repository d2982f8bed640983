// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/plan/part.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/replication.hpp"

namespace winnow::inline v0 {

/// Adds a sentence for each two parts with one name, and for each two steps of a part with one name.
inline void find_shared_part_names(std::span<const model_part> parts, std::vector<std::string>& wrong) {
    for (std::size_t at = 0; at < parts.size(); ++at) {
        const model_part& one = parts[at];
        for (std::size_t before = 0; before < at; ++before) {
            if (one.name.empty() || parts[before].name != one.name) continue;
            wrong.push_back(title_of(one) + " and " + title_of(parts[before]) +
                            " have one name. Load only one of them, or give one another name.");
        }
        if (one.name.empty() && !one.migrations.empty())
            wrong.emplace_back("models with migrations have to be a part with a name: the database remembers the steps "
                               "by it. Name the part.");
        for (std::size_t step = 0; step < one.migrations.size(); ++step) {
            for (std::size_t before = 0; before < step; ++before) {
                if (one.migrations[before].name != one.migrations[step].name) continue;
                wrong.push_back(title_of(one) + ": two of its migrations are named `" +
                                std::string(one.migrations[step].name) + "`. Give the later one another name.");
            }
        }
    }
}

/// Adds a sentence for each category of a silo that two models have, and for each scope whose number or name stands for
/// two things: messages are stored with the numbers alone.
/// @param homes for each plan where it comes from, as `title_of` says it; empty: all come from one place
inline void find_shared_numbers(std::span<const plan> plans, std::span<const std::string> homes,
                                std::vector<std::string>& wrong) {
    const auto name = [&](std::size_t model) {
        return std::string(plans[model].key) + (homes.empty() ? std::string() : " of " + homes[model]);
    };
    const auto number = [](std::int32_t held, std::string_view called) {
        return std::to_string(held) + " (`" + std::string(called) + "`)";
    };
    for (std::size_t at = 0; at < plans.size(); ++at) {
        const replication* one = plans[at].replication;
        if (one == nullptr) continue;
        bool scope_reported = false;
        for (std::size_t before = 0; before < at; ++before) {
            const replication* other = plans[before].replication;
            if (other == nullptr) continue;
            if (plans[before].silo == plans[at].silo && other->category == one->category)
                wrong.push_back(name(at) + ": its category " + number(one->category, one->category_name) +
                                " is that of " + name(before) + ", " + number(other->category, other->category_name) +
                                ", and a message could not tell them apart. Give each replicated model of a silo a "
                                "category of its own.");
            const bool same_number = other->scope == one->scope;
            if (scope_reported || same_number == (other->scope_name == one->scope_name)) continue;
            scope_reported = true;
            wrong.push_back(name(at) + ": its scope " + number(one->scope, one->scope_name) + " and that of " +
                            name(before) + ", " + number(other->scope, other->scope_name) + ", have one " +
                            (same_number ? "number and two names. Give one of them another number."
                                         : "name and two numbers. Give one of them another name."));
        }
    }
}

}  // namespace winnow::inline v0
