// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace winnow::inline v0 {

/// Position of the first `wanted` in `text`, or `std::string_view::npos`.
///
/// For constant evaluation: `std::string_view::find` compares an address with null there, which g++ does not
/// take for a constant when it sanitizes.
[[nodiscard]] constexpr std::size_t position_in(std::string_view text, char wanted) noexcept {
    const char* const characters = text.data();
    const std::size_t size = text.size();
    for (std::size_t at = 0; at < size; ++at) {
        if (characters[at] == wanted) return at;
    }
    return std::string_view::npos;
}

}  // namespace winnow::inline v0
