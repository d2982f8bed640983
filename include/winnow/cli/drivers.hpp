// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "winnow/cli/environment.hpp"
#include "winnow/store/open.hpp"
#include "winnow/store/postgres.hpp"
#include "winnow/store/sqlite.hpp"
#ifdef WINNOW_HAS_REDIS
#include "winnow/store/redis_bucket.hpp"
#include "winnow/store/redis_cursor.hpp"
#endif

namespace winnow::inline v0::cli {

/// The databases that a program can open unless it says otherwise: all that winnow has a driver for.
inline constexpr std::array<driver, 2> all_drivers{sqlite_driver, postgres_driver};

/// Opens what `--redis` names; null when this program was built without hiredis.
#ifdef WINNOW_HAS_REDIS
inline constexpr cursor_opener all_cursors = [](std::string_view url) -> std::unique_ptr<cursor_store> {
    return std::make_unique<redis_cursors>(url);
};
inline constexpr bucket_opener all_buckets = [](std::string_view url) -> std::unique_ptr<bucket_store> {
    return std::make_unique<redis_buckets>(url);
};
#else
inline constexpr cursor_opener all_cursors = nullptr;
inline constexpr bucket_opener all_buckets = nullptr;
#endif

}  // namespace winnow::inline v0::cli
