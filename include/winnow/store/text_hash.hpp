// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace winnow::inline v0 {

/// Hash of a text, the same for every kind of text object: a lookup makes no copy.
struct text_hash {
    using is_transparent = void;
    [[nodiscard]] std::size_t operator()(std::string_view text) const noexcept {
        return std::hash<std::string_view>{}(text);
    }
};

/// A table from statement texts to what a driver keeps of them.
template <class Value> using text_table = std::unordered_map<std::string, Value, text_hash, std::equal_to<>>;

}  // namespace winnow::inline v0
