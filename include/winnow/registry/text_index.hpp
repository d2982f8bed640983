// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "winnow/plan/graph.hpp"

namespace winnow::inline v0 {

/// Finds positions by text in constant evaluation: texts are hashed once and looked up by binary search.
template <std::size_t Size>
class text_index {
public:
    static constexpr std::size_t none = graph_finding::none;

    /// `text_at(i)` is the text of position `i`.
    template <class TextAt>
    constexpr explicit text_index(const TextAt& text_at) {
        for (std::size_t i = 0; i < Size; ++i) items_[i] = {hash_of(text_at(i)), i};
        detail::sort(items_.data(), Size);
    }
    /// The first position with this text, or `none`.
    [[nodiscard]] constexpr std::size_t find(std::string_view text) const noexcept {
        return detail::find(items_.data(), Size, hash_of(text));
    }

private:
    std::array<detail::hashed, Size == 0 ? 1 : Size> items_{};
};

}  // namespace winnow::inline v0
