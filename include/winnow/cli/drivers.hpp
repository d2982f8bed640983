// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "winnow/store/open.hpp"
#include "winnow/store/postgres.hpp"
#include "winnow/store/sqlite.hpp"

namespace winnow::inline v0::cli {

/// The databases that a program can open unless it says otherwise: all that winnow has a driver for.
inline constexpr std::array<driver, 2> all_drivers{sqlite_driver, postgres_driver};

}  // namespace winnow::inline v0::cli
