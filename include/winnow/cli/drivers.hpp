// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "winnow/cli/environment.hpp"
#include "winnow/store/open.hpp"
#include "winnow/store/postgres.hpp"
#include "winnow/store/sqlite.hpp"
#ifdef WINNOW_HAS_REDIS
#include "winnow/runtime/stream_broker.hpp"
#include "winnow/store/redis_bucket.hpp"
#include "winnow/store/redis_cursor.hpp"
#include "winnow/store/redis_stream.hpp"
#endif

namespace winnow::inline v0::cli {

/// The databases that a program can open unless it says otherwise: all that winnow has a driver for.
inline constexpr std::array<driver, 2> all_drivers{sqlite_driver, postgres_driver};

/// Opens what `--redis` names; null when this program was built without hiredis.
#ifdef WINNOW_HAS_REDIS
inline constexpr cursor_opener all_cursors = [](std::string_view url) -> std::unique_ptr<cursor_store> {
    return std::make_unique<redis_cursors>(url);
};
/// The same for what carries tasks.
inline constexpr broker_opener all_brokers = [](std::string_view url,
                                                const broker_options& options) -> std::unique_ptr<broker> {
    auto stream = std::make_unique<redis_stream>(parse_redis_url(url), options.queues, options.owner,
                                                 static_cast<std::int64_t>(options.lease_seconds * 1000));
    return std::make_unique<stream_broker<redis_stream>>(std::move(stream), options);
};
/// The same for rate limits.
inline constexpr bucket_opener all_buckets = [](std::string_view url) -> std::unique_ptr<bucket_store> {
    return std::make_unique<redis_buckets>(url);
};
#else
inline constexpr cursor_opener all_cursors = nullptr;
inline constexpr broker_opener all_brokers = nullptr;
inline constexpr bucket_opener all_buckets = nullptr;
#endif

}  // namespace winnow::inline v0::cli
