// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <winnow/store/connection.hpp>

#include "metered.hpp"

namespace bench {

/// Where one run of one variant does its work.
struct place {
    std::string url;         ///< of the database
    std::string target_url;  ///< of the second one, where there is one
    winnow::connection& database;
    winnow::connection* target = nullptr;
    meter& counted;
    std::string scratch;           ///< folder for files, writable by the server
    std::int64_t rows_by_row = 0;  ///< a variant that goes row by row stops after so many; 0: it does them all
};

/// What a run of a variant came to.
struct done_work {
    std::int64_t rows = 0;
    bool partly = false;  ///< it stopped early: only its rate counts
    double seconds = 0;   ///< where another process did it, without its start; 0: the whole call counts
};

/// One way to do a piece of work.
struct variant {
    std::string_view name;
    std::string_view work;  ///< `deletion`, `backfill` or `drain`
    bool postgres = true;
    bool sqlite = true;
    bool cascading_keys = false;  ///< wants foreign keys that cascade
    bool held_snapshot = false;   ///< somebody reads an old state meanwhile
    bool object_mapper = false;   ///< needs Django
    done_work (*run)(const place&) = nullptr;
};

/// Whether variants that need it can be run here.
[[nodiscard]] bool has_object_mapper();

[[nodiscard]] std::span<const variant> deletion_variants() noexcept;
[[nodiscard]] std::span<const variant> copy_variants() noexcept;

}  // namespace bench
