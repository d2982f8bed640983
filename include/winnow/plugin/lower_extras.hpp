// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "winnow/abi/entry.h"
#include "winnow/plan/part.hpp"
#include "winnow/plugin/values.hpp"

namespace winnow::inline v0::detail {

template <std::size_t Size>
[[nodiscard]] constexpr std::array<winnow_migration, Size> lower_migrations(std::span<const migration> from) noexcept {
    std::array<winnow_migration, Size> made{};
    for (std::size_t i = 0; i < Size; ++i)
        made[i] = {to_abi(from[i].name), static_cast<std::uint32_t>(from[i].silo) + 1, 0, to_abi(from[i].script)};
    return made;
}

template <std::size_t Size>
[[nodiscard]] constexpr std::array<winnow_option, Size> lower_options(std::span<const part_option> from) noexcept {
    std::array<winnow_option, Size> made{};
    for (std::size_t i = 0; i < Size; ++i)
        made[i] = {to_abi(from[i].name), to_abi(from[i].otherwise), to_abi(from[i].meaning),
                   static_cast<std::uint32_t>(from[i].kind) + 1, 0};
    return made;
}

}  // namespace winnow::inline v0::detail
