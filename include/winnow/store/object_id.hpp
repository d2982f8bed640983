// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/value.hpp"

namespace winnow::inline v0 {

namespace detail {

[[nodiscard]] inline std::string text_of(const value& v) {
    if (const auto* number = std::get_if<std::int64_t>(&v)) return std::to_string(*number);
    if (const auto* bytes = std::get_if<std::string>(&v)) return *bytes;
    if (const auto* yes = std::get_if<bool>(&v)) return *yes ? "true" : "false";
    if (const auto* real = std::get_if<double>(&v)) return std::to_string(*real);
    return {};
}

[[nodiscard]] inline bool is_uuid(std::string_view text) noexcept {
    if (text.size() != 36) return false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        const bool dash = at == 8 || at == 13 || at == 18 || at == 23;
        const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        if (dash ? c != '-' : !digit) return false;
    }
    return true;
}

inline value key_part(const plan& of, const column& about, std::string_view text) {
    const auto refuse = [&](std::string_view wanted) -> error {
        error problem(failure::usage, "`" + std::string(text) + "` is no id of " + std::string(of.key) + ": its key " +
                                          std::string(about.name.postgres) + " is a " + std::string(wanted) + ".");
        problem.with_model(of.key);
        return problem;
    };
    switch (about.kind) {
        case value_kind::integer32:
        case value_kind::integer64: {
            std::int64_t number = 0;
            const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
            const bool narrow = about.kind == value_kind::integer32;
            if (fault != std::errc{} || end != text.data() + text.size() || text.empty() ||
                (narrow && (number < std::numeric_limits<std::int32_t>::min() ||
                            number > std::numeric_limits<std::int32_t>::max())))
                throw refuse(name_of(about.kind));
            return number;
        }
        case value_kind::uuid: {
            if (!is_uuid(text)) throw refuse("UUID");
            std::string lower(text);
            for (char& c : lower)
                if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
            return lower;
        }
        default:
            if (text.find('\0') != std::string_view::npos) throw refuse("text without a zero byte");
            return std::string(text);
    }
}

/// Undoes the joining of `object_id_of`; a single part is the text itself. A part that was null is empty.
inline std::vector<std::optional<std::string>> parts_of_id(std::string_view text, std::size_t width) {
    std::vector<std::optional<std::string>> parts(1, std::string());
    if (width == 1) {
        parts[0] = std::string(text);
        return parts;
    }
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == ',') {
            parts.emplace_back(std::string());
        } else if (text.substr(at, 2) == "\\N") {
            parts.back().reset();
            ++at;
        } else if (!parts.back()) {
            return {};
        } else if (text[at] == '\\' && at + 1 < text.size()) {
            *parts.back() += text[++at];
        } else {
            *parts.back() += text[at];
        }
    }
    return parts;
}

}  // namespace detail

/// A key as one text: the parts of a composite key are joined by commas; a comma or backslash in a part
/// is written with a backslash before it, and a null among several columns as `\N`.
[[nodiscard]] inline std::string object_id_of(std::span<const value> key) {
    std::string text;
    for (std::size_t part = 0; part < key.size(); ++part) {
        if (part != 0) text += ',';
        if (is_null(key[part]) && key.size() > 1) {
            text += "\\N";
        } else if (const auto* number = std::get_if<std::int64_t>(&key[part])) {
            text += std::to_string(*number);
        } else if (const auto* bytes = std::get_if<std::string>(&key[part])) {
            for (const char c : *bytes) {
                if (key.size() > 1 && (c == ',' || c == '\\')) text += '\\';
                text += c;
            }
        }
    }
    return text;
}

/// The key that a text means for a model: the inverse of `object_id_of`.
/// @throws error of kind `usage` that names the model and what its key wants
[[nodiscard]] inline std::vector<value> key_of_text(const plan& of, std::string_view text) {
    const std::vector<std::optional<std::string>> parts = detail::parts_of_id(text, of.primary_key.size());
    if (parts.size() != of.primary_key.size() || std::find(parts.begin(), parts.end(), std::nullopt) != parts.end())
        throw error(failure::usage, "`" + std::string(text) + "` is no id of " + std::string(of.key) +
                                        ": its key has " + std::to_string(of.primary_key.size()) +
                                        " columns, joined by commas.")
            .with_model(of.key);
    std::vector<value> key;
    for (std::size_t part = 0; part < parts.size(); ++part)
        key.push_back(detail::key_part(of, of.columns[of.primary_key[part]], *parts[part]));
    return key;
}

}  // namespace winnow::inline v0
