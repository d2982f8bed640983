// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "winnow/core/error.hpp"

namespace winnow::inline v0::cli {

/// JSON whose members stay in the order in which they were written: the documented one.
using json = nlohmann::ordered_json;

/// As text, on several lines. Bytes that are no UTF-8 are replaced, so that it never fails.
[[nodiscard]] inline std::string text_of(const json& document) {
    return document.dump(2, ' ', false, json::error_handler_t::replace);
}

/// Reads JSON.
/// @param what names the text for people, as `--data`
/// @throws error of kind `usage` that says where it is malformed
[[nodiscard]] inline json parse_json(std::string_view text, std::string_view what) {
    try {
        return json::parse(text);
    } catch (const json::exception& problem) {  // a number beyond all doubles is no `parse_error`
        std::string_view why = problem.what();
        if (const std::size_t end = why.find("] "); end != std::string_view::npos) why.remove_prefix(end + 2);
        throw error(failure::usage, std::string(what) + " is no JSON: " + std::string(why) + ".");
    }
}

/// JSON that came from the database; text that is none, which only raw SQL can have put there, stays text.
[[nodiscard]] inline json stored_json(std::string_view text) {
    json document = json::parse(text, nullptr, false);
    return document.is_discarded() ? json(std::string(text)) : document;
}

/// Text, or null when it is empty.
[[nodiscard]] inline json text_or_null(std::string_view text) {
    return text.empty() ? json(nullptr) : json(std::string(text));
}

}  // namespace winnow::inline v0::cli
