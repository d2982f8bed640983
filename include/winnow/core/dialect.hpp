// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace winnow::inline v0 {

/// The databases that statements are written for.
enum class dialect : unsigned char { postgres, sqlite };

/// A text that may differ from one dialect to the other: a name, or a statement.
struct dialect_text {
    std::string_view postgres;
    std::string_view sqlite;

    [[nodiscard]] constexpr std::string_view operator[](dialect which) const noexcept {
        return which == dialect::postgres ? postgres : sqlite;
    }
    [[nodiscard]] constexpr bool empty() const noexcept { return postgres.empty() && sqlite.empty(); }
};

[[nodiscard]] constexpr std::string_view name_of(dialect which) noexcept {
    return which == dialect::postgres ? "postgresql" : "sqlite";
}

}  // namespace winnow::inline v0
