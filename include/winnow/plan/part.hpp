// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/silo.hpp"

namespace winnow::inline v0 {

/// Kinds of options.
enum class option_kind : std::uint8_t { integer, boolean, text, text_list };

[[nodiscard]] constexpr std::string_view name_of(option_kind kind) noexcept {
    switch (kind) {
        case option_kind::integer: return "whole number";
        case option_kind::boolean: return "true or false";
        case option_kind::text: return "text";
        case option_kind::text_list: return "list of texts";
    }
    return "unknown";
}

/// An option that a part of a catalog brings, or the default of one that its models bring.
struct part_option {
    std::string_view name;
    option_kind kind = option_kind::text;
    std::string_view otherwise;  ///< value when it is not set
    std::string_view meaning;    ///< one line
};

/// One forward step of the tables that a part of a catalog keeps. A released step never changes; new ones are appended.
struct migration {
    std::string_view name;  ///< unique within the part
    winnow::silo silo = winnow::silo::cell;
    dialect_text script;  ///< statements separated by semicolons; run in one transaction
};

/// Models that belong together: those of the host, of one library, or of one plugin. Everything it points to is constant
/// and outlives the catalog that it becomes a part of.
struct model_part {
    std::string_view name{};     ///< unique in a catalog; empty: the host's own models
    std::string_view version{};  ///< for people
    std::string_view origin{};   ///< the file that it comes from; empty: it is linked
    std::span<const plan> plans{};
    std::span<const migration> migrations{};
    std::span<const part_option> options{};
};

/// What a part is called in texts for people: `plugin audit (/usr/lib/winnow/audit.so)`, `library audit`, `this program`.
[[nodiscard]] inline std::string title_of(const model_part& part) {
    if (part.origin.empty()) return part.name.empty() ? "this program" : "library " + std::string(part.name);
    return "plugin " + std::string(part.name) + " (" + std::string(part.origin) + ")";
}

}  // namespace winnow::inline v0
