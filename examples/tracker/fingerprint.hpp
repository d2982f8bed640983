// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <winnow/plan/plan.hpp>
#include <winnow/store/connection.hpp>

namespace tracker {

/// A hash of each row of each table, sorted. Two of them tell which rows went, and that the others are
/// what they were to the last byte.
using fingerprint = std::map<std::string, std::vector<std::uint64_t>>;

[[nodiscard]] fingerprint take_fingerprint(winnow::connection& database, std::span<const winnow::plan> models);

/// What became of a database between two fingerprints.
struct difference {
    std::map<std::string, std::int64_t> gone;  ///< rows by table
    std::int64_t total_gone = 0;
    std::int64_t unchanged = 0;
    std::int64_t changed_or_new = 0;  ///< rows that were not there before, bit by bit
};

[[nodiscard]] difference compare(const fingerprint& before, const fingerprint& after);

/// One number for all rows.
[[nodiscard]] std::uint64_t checksum(const fingerprint& rows);

}  // namespace tracker
