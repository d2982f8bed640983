// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "figures.hpp"

namespace bench {

/// Tables in Markdown, one for each work, database and scale. Beside the rates stand their ratios to the variants that
/// a reader compares with, each in a column that names it.
[[nodiscard]] std::string tables_of(std::span<const result> results);
[[nodiscard]] std::string json_of(std::span<const result> results);

}  // namespace bench
