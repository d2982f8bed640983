// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace winnow::inline v0 {

/// Text of a fixed length that can be a template argument.
///
/// Compilers print it in quotes, which is how names get into their messages.
template <std::size_t Size>
struct fixed_string {
    char data[Size + 1]{};

    /// From a literal.
    constexpr fixed_string(const char (&literal)[Size + 1]) noexcept {  // NOLINT(google-explicit-constructor)
        // With the terminator: clang prints texts of 8, 16, 32… characters as numbers when it was not written.
        for (std::size_t i = 0; i <= Size; ++i) data[i] = literal[i];
    }
    /// From the first `Size` characters of `source`; shorter text leaves the rest empty.
    constexpr explicit fixed_string(std::string_view source) noexcept {
        for (std::size_t i = 0; i <= Size; ++i) data[i] = i < Size && i < source.size() ? source[i] : '\0';
    }

    [[nodiscard]] constexpr std::string_view view() const noexcept { return {data, Size}; }
    constexpr operator std::string_view() const noexcept { return view(); }  // NOLINT(google-explicit-constructor)
};

template <std::size_t Extent>
fixed_string(const char (&)[Extent]) -> fixed_string<Extent - 1>;

/// The text of a trait: `static constexpr text key = "tracker.Event";`.
template <std::size_t Size>
struct text : fixed_string<Size> {
    using fixed_string<Size>::fixed_string;
};

template <std::size_t Extent>
text(const char (&)[Extent]) -> text<Extent - 1>;

}  // namespace winnow::inline v0
