// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "winnow/core/config.hpp"
#include "winnow/core/fixed_string.hpp"

namespace winnow::inline v0 {

/// Always false. Named after what a compiler prints beside it: the names that a refusal speaks of.
template <fixed_string... Names>
inline constexpr bool refused = false;

/// The verdict on a declaration that has nothing wrong.
struct accepted {};

}  // namespace winnow::inline v0
