// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace winnow::inline v0 {

namespace detail {

/// Reads one JSON document from left to right, without keeping any of it.
class json_reader {
public:
    constexpr explicit json_reader(std::string_view text) noexcept : text_(text) {}

    constexpr bool document() { return item(0) && (blanks(), at_ == text_.size()); }

private:
    static constexpr int deepest = 500;

    [[nodiscard]] constexpr char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
    constexpr bool take(char wanted) noexcept {
        if (at_ == text_.size() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }
    constexpr bool word(std::string_view wanted) noexcept {
        if (text_.substr(at_, wanted.size()) != wanted) return false;
        at_ += wanted.size();
        return true;
    }
    constexpr void blanks() noexcept {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
    }
    constexpr bool digits() noexcept {
        const std::size_t first = at_;
        while (peek() >= '0' && peek() <= '9') ++at_;
        return at_ != first;
    }
    constexpr bool number() noexcept {
        (void)take('-');
        if (!take('0') && !digits()) return false;
        if (take('.') && !digits()) return false;
        if (peek() == 'e' || peek() == 'E') {
            ++at_;
            if (!take('+')) (void)take('-');
            return digits();
        }
        return true;
    }
    constexpr bool escape() noexcept {
        if (at_ == text_.size()) return false;
        const char kind = text_[at_++];
        if (kind != 'u') return std::string_view("\"\\/bfnrt").find(kind) != std::string_view::npos;
        const std::string_view code = text_.substr(at_, 4);
        if (code.size() != 4 || code == "0000") return false;  // no database keeps a zero byte in a text
        for (const char c : code)
            if (std::string_view("0123456789abcdefABCDEF").find(c) == std::string_view::npos) return false;
        at_ += 4;
        return true;
    }
    constexpr bool text() noexcept {
        if (!take('"')) return false;
        while (at_ < text_.size()) {
            const char c = text_[at_++];
            if (c == '"') return true;
            if (c == '\\' ? !escape() : static_cast<unsigned char>(c) < 0x20) return false;
        }
        return false;
    }
    constexpr bool members(char end, bool named, int depth) {
        ++at_;
        blanks();
        if (take(end)) return true;
        for (;;) {
            if (named) {
                blanks();
                if (!text()) return false;
                blanks();
                if (!take(':')) return false;
            }
            if (!item(depth + 1)) return false;
            blanks();
            if (take(end)) return true;
            if (!take(',')) return false;
        }
    }
    constexpr bool item(int depth) {
        if (depth > deepest) return false;
        blanks();
        switch (peek()) {
            case '{': return members('}', true, depth);
            case '[': return members(']', false, depth);
            case '"': return text();
            case 't': return word("true");
            case 'f': return word("false");
            case 'n': return word("null");
            default: return number();
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace detail

/// Whether a text is one JSON document that both databases keep: at most 500 levels deep, no `\u0000`.
[[nodiscard]] constexpr bool is_json(std::string_view text) { return detail::json_reader(text).document(); }

}  // namespace winnow::inline v0
