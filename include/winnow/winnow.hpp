// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything to declare models and to prove them, in reading order. What runs them is included beside it:
/// `winnow/derive/plans_of.hpp` (plans as plain data), `winnow/session.hpp` (typed calls), a driver of `winnow/store/`,
/// or `winnow/cli/main.hpp` (a whole program).

// What models are made of. Refusals come first: the fewer files lie between them and the user's, the earlier
// their sentence stands among the compiler's lines.
#include "winnow/core/version.hpp"
#include "winnow/model/violations.hpp"
#include "winnow/registry/violations.hpp"

// 1. Declare a model.
#include "winnow/model/traits.hpp"
#include "winnow/model/describe.hpp"
#include "winnow/model/column.hpp"
#include "winnow/model/table.hpp"
#include "winnow/model/relation.hpp"
#include "winnow/model/status.hpp"
#include "winnow/plan/hooks.hpp"

// 2. Collect models and prove them.
#include "winnow/registry/registry.hpp"
