// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace winnow::inline v0 {

/// Appends text to a buffer of fixed size, or only counts when it has none.
///
/// Constant text of exactly the right length is made in two passes over the same code: the first with
/// a counting writer, the second into a constant array of the counted size. A `std::string` cannot be
/// used for that: its memory may not outlive the constant evaluation.
class writer {
public:
    /// Counts and keeps nothing.
    constexpr writer() noexcept = default;
    /// Writes to the front of `buffer`.
    constexpr explicit writer(std::span<char> buffer) noexcept : buffer_(buffer.data()), capacity_(buffer.size()) {}

    /// Writes to the front of `buffer`, and when that is full goes on counting.
    [[nodiscard]] static constexpr writer draft(std::span<char> buffer) noexcept {
        writer out(buffer);
        out.may_overflow_ = true;
        return out;
    }

    /// Appends all of `text`. Throws `std::length_error` when the buffer is too small, which is a
    /// compile error in a constant expression.
    constexpr writer& append(std::string_view text) { return put(text.data(), text.size()); }

    /// The same for a literal. In constant evaluation the library looks for its end character by character,
    /// the compiler knows where it is.
    constexpr writer& append(const char* literal) { return put(literal, __builtin_strlen(literal)); }

    /// Appends a number in decimal digits.
    constexpr writer& append_number(std::size_t number) {
        char digits[20]{};
        std::size_t first = sizeof digits;
        do {
            digits[--first] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number != 0);
        return put(digits + first, sizeof digits - first);
    }

    /// Characters appended so far.
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr bool counts_only() const noexcept { return buffer_ == nullptr; }

private:
    // Written out in one function: constant evaluation pays for every call.
    constexpr writer& put(const char* from, std::size_t count) {
        if (buffer_ != nullptr && count > capacity_ - size_) {
            if (!may_overflow_) throw std::length_error("winnow: statement does not fit its buffer");
            buffer_ = nullptr;
        }
        if (buffer_ != nullptr) {
            char* const to = buffer_ + size_;
#if defined(__clang__)
            // One evaluation step for the whole text; a loop would spend clang's step limit on characters.
            if (count != 0) __builtin_memcpy(to, from, count);
#else
            for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
#endif
        }
        size_ += count;
        return *this;
    }

    char* buffer_ = nullptr;
    bool may_overflow_ = false;
    std::size_t capacity_ = 0;
    std::size_t size_ = 0;
};

/// The text that `write(writer&)` produces, at run time. `write` is called twice and must do the same
/// both times.
template <class Write> [[nodiscard]] std::string written(const Write& write) {
    writer measure;
    write(measure);
    std::string text(measure.size(), '\0');
    if (text.empty()) return text;
    writer out{std::span<char>(text)};
    write(out);
    return text;
}

}  // namespace winnow::inline v0
