// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/core/json.hpp"

namespace winnow::inline v0 {

/// One value of a JSON document that was read: for small documents that people write.
struct json_value {
    enum class kind : unsigned char { null, boolean, number, text, list, object };

    kind type = kind::null;
    std::string text;                ///< of a text, decoded; of anything else without members, as it is spelled
    std::vector<json_value> items;   ///< of a list; of an object, in the order of `names`
    std::vector<std::string> names;  ///< of an object's members

    /// A member of an object; the last one of that name. Null when there is none.
    [[nodiscard]] const json_value* member(std::string_view name) const noexcept {
        for (std::size_t at = names.size(); at-- > 0;)
            if (names[at] == name) return &items[at];
        return nullptr;
    }
};

namespace detail {

/// Reads a document that `is_json` has accepted.
class json_value_reader {
public:
    explicit json_value_reader(std::string_view text) noexcept : text_(text) {}

    json_value item() {
        blanks();
        json_value made;
        switch (text_[at_]) {
            case '{':
                made.type = json_value::kind::object;
                members(made, '}');
                return made;
            case '[':
                made.type = json_value::kind::list;
                members(made, ']');
                return made;
            case '"':
                made.type = json_value::kind::text;
                made.text = text();
                return made;
            default: break;
        }
        const std::size_t end = text_.find_first_of(",]} \t\r\n", at_);
        made.text = text_.substr(at_, end - at_);
        at_ = end == std::string_view::npos ? text_.size() : end;
        made.type = made.text == "null"                           ? json_value::kind::null
                    : made.text == "true" || made.text == "false" ? json_value::kind::boolean
                                                                  : json_value::kind::number;
        return made;
    }

private:
    void blanks() noexcept {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    }
    void members(json_value& to, char end) {
        ++at_;
        for (blanks(); text_[at_] != end; blanks()) {
            if (text_[at_] == ',') {
                ++at_;
                continue;
            }
            if (to.type == json_value::kind::object) {
                to.names.push_back(text());
                blanks();
                ++at_;  // the colon
            }
            to.items.push_back(item());
        }
        ++at_;
    }
    unsigned code_unit() {
        unsigned code = 0;
        for (int digit = 0; digit < 4; ++digit) {
            const auto c = static_cast<unsigned char>(text_[at_++]);
            code = code * 16 + (c <= '9' ? c - '0' : (c | 0x20U) - 'a' + 10U);
        }
        return code;
    }
    static void append_utf8(std::string& to, unsigned code) {
        const auto byte = [&](unsigned value) { to += static_cast<char>(static_cast<unsigned char>(value)); };
        if (code < 0x80) return byte(code);
        if (code < 0x800) {
            byte(0xC0U | code >> 6U);
        } else {
            if (code < 0x10000) {
                byte(0xE0U | code >> 12U);
            } else {
                byte(0xF0U | code >> 18U);
                byte(0x80U | (code >> 12U & 0x3FU));
            }
            byte(0x80U | (code >> 6U & 0x3FU));
        }
        byte(0x80U | (code & 0x3FU));
    }
    void escape(std::string& to) {
        constexpr std::array<std::pair<char, char>, 5> letters{
            {{'b', '\b'}, {'f', '\f'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'}}};
        const char kind = text_[at_++];
        if (kind == 'u') {
            unsigned code = code_unit();
            if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
                at_ += 2;
                code = 0x10000U + ((code - 0xD800U) << 10U) + ((code_unit() - 0xDC00U) & 0x3FFU);
            }
            return append_utf8(to, code);
        }
        for (const auto& [letter, meant] : letters) {
            if (letter == kind) to += meant;
        }
        if (kind == '"' || kind == '\\' || kind == '/') to += kind;
    }
    std::string text() {
        std::string read;
        for (++at_; text_[at_] != '"';) {
            const char c = text_[at_++];
            if (c == '\\') escape(read);
            else read += c;
        }
        ++at_;
        return read;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace detail

/// Reads a document. Nothing when it is not JSON.
[[nodiscard]] inline std::optional<json_value> parse_json(std::string_view text) {
    if (!is_json(text)) return std::nullopt;
    return detail::json_value_reader(text).item();
}

/// Reads a list of texts, as `["us", "de"]`. Nothing when it is anything else.
[[nodiscard]] inline std::optional<std::vector<std::string>> parse_text_list(std::string_view text) {
    std::optional<json_value> read = parse_json(text);
    if (!read || read->type != json_value::kind::list) return std::nullopt;
    std::vector<std::string> found;
    for (json_value& one : read->items) {
        if (one.type != json_value::kind::text) return std::nullopt;
        found.push_back(std::move(one.text));
    }
    return found;
}

}  // namespace winnow::inline v0
