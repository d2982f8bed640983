// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace winnow::inline v0 {

/// Where a model's table lives: `control` is one and global, `cell` is one of many.
enum class silo : unsigned char { control, cell };

/// What a process serves. A monolith serves both silos.
enum class silo_mode : unsigned char { monolith, control, cell };

[[nodiscard]] constexpr bool reaches(silo_mode mode, silo where) noexcept {
    return mode == silo_mode::monolith || (mode == silo_mode::control) == (where == silo::control);
}

[[nodiscard]] constexpr std::string_view name_of(silo where) noexcept {
    return where == silo::control ? "control" : "cell";
}

[[nodiscard]] constexpr std::string_view name_of(silo_mode mode) noexcept {
    return mode == silo_mode::monolith ? "monolith" : mode == silo_mode::control ? "control" : "cell";
}

}  // namespace winnow::inline v0
