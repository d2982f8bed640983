// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::inline v0 {

/// How much a difference between the models and the live schema matters.
enum class severity : unsigned char {
    note,    ///< good to know
    warn,    ///< a deletion works, but slowly or with a surprise
    refuse,  ///< a deletion would fail half-way or leave rows behind: it does not start
};

[[nodiscard]] constexpr std::string_view name_of(severity which) noexcept {
    switch (which) {
        case severity::note: return "note";
        case severity::warn: return "warning";
        case severity::refuse: return "refused";
    }
    return "unknown";
}

/// One difference between the models and the live schema.
struct drift_finding {
    winnow::severity severity = severity::note;
    std::string model;   ///< key of the model concerned
    std::string table;   ///< its table
    std::string code;    ///< stable name of the kind of finding, as `missing_index`
    std::string text;    ///< one or two sentences for a person
    std::string remedy;  ///< SQL that cures it, ready to run; empty when there is no such statement
};

/// What a comparison takes into account.
struct drift_options {
    /// Models to look at, as indices into the catalog; empty: all. Leave out what lives in another silo.
    std::span<const std::size_t> models = {};
    /// Models of which objects are scheduled for later: a reused id would delete a stranger (R22), so
    /// reusable ids are refused there.
    std::span<const std::size_t> roots = {};
    /// Refuse a child column without an index instead of warning.
    bool require_indexes = false;
};

/// Whether any of the findings forbids to start.
[[nodiscard]] inline bool any_refusal(std::span<const drift_finding> findings) noexcept {
    for (const drift_finding& each : findings) {
        if (each.severity == severity::refuse) return true;
    }
    return false;
}

/// The refusals with their remedies, one after the other: the text of an error, and of a row's state.
[[nodiscard]] inline std::string describe_refusals(std::span<const drift_finding> findings) {
    std::string out;
    for (const drift_finding& each : findings) {
        if (each.severity != severity::refuse) continue;
        if (!out.empty()) out += ' ';
        out += each.text;
        if (!each.remedy.empty()) out.append(" Cure: ").append(each.remedy);
    }
    return out;
}

}  // namespace winnow::inline v0
