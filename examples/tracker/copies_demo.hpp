// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace tracker {

/// Shows copies between silos on three SQLite files in `folder`: a change arrives, rows that were there before are
/// backfilled behind a gate, a version is raised, and a person who goes takes what refers to them along.
/// @return how many things were wrong
int demonstrate_copies(const std::filesystem::path& folder, std::uint64_t seed);

}  // namespace tracker
