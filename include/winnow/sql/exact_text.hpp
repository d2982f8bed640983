// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <span>

#include "winnow/sql/writer.hpp"

namespace winnow::inline v0 {

/// Text of a guessed capacity. If it does not fit, `size` is what it needs.
template <std::size_t Capacity>
struct text_draft {
    std::array<char, Capacity> characters{};
    std::size_t size = 0;
};

namespace detail {

template <std::size_t Size, std::size_t Capacity>
struct cut_draft {
    std::array<char, Size> kept;
    std::array<char, Capacity - Size> dropped;
};

}  // namespace detail

/// The first `Size` characters of `draft`, at next to no cost for the compilers.
template <std::size_t Size, std::size_t Capacity>
[[nodiscard]] consteval std::array<char, Size> cut_text(const std::array<char, Capacity>& draft) {
    if constexpr (Size == Capacity) return draft;
    else return std::bit_cast<detail::cut_draft<Size, Capacity>>(draft).kept;
}

namespace detail {

template <std::size_t Capacity, class Write>
[[nodiscard]] consteval text_draft<Capacity> draft_text() {
    text_draft<Capacity> made;
    writer out = writer::draft(made.characters);
    Write::write(out);
    made.size = out.size();
    return made;
}
template <std::size_t Capacity, class Write>
inline constexpr text_draft<Capacity> draft_of = draft_text<Capacity, Write>();

template <std::size_t Guess, class Write>
[[nodiscard]] consteval auto make_exact_text() {
    constexpr std::size_t size = draft_of<Guess, Write>.size;
    if constexpr (size <= Guess) return cut_text<size>(draft_of<Guess, Write>.characters);
    else return draft_of<size, Write>.characters;
}

}  // namespace detail

/// The text that `Write::write(writer&)` makes, in a constant array of exactly its size.
///
/// It is written into an array of `Guess` characters and cut to size by one cast, which costs the compilers
/// next to nothing; measuring it first would take as long as writing it. A guess that is too small only costs
/// a second pass.
template <std::size_t Guess, class Write>
inline constexpr auto exact_text = detail::make_exact_text<Guess, Write>();

}  // namespace winnow::inline v0
