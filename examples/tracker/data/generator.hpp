// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include <winnow/store/connection.hpp>

namespace tracker {

/// How much data to make.
struct generator_settings {
    /// 1 is about 20 000 rows in each organization.
    double scale = 1;
    /// The same seed gives the same rows in an empty database.
    std::uint64_t seed = 1;
    /// Also write a file for each attachment.
    bool write_files = true;
};

/// One organization that was made, and how many rows of each table belong to it.
struct generated_organization {
    std::int64_t id = 0;
    std::string slug;
    std::map<std::string, std::int64_t> rows;
    std::int64_t total = 0;
    std::int64_t files = 0;
};

/// Three organizations side by side, their rows interleaved. The middle one is there to be deleted.
struct generated_data {
    std::array<generated_organization, 3> organizations;

    [[nodiscard]] const generated_organization& doomed() const { return organizations[1]; }
};

/// Creates the tracker's tables unless they are there.
void create_schema(winnow::connection& database);

/// Adds three organizations to what is there already. A transaction per table.
[[nodiscard]] generated_data generate(winnow::connection& database, const generator_settings& settings);

}  // namespace tracker
