// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <winnow/plan/part.hpp>

namespace library {

/// The models of this library, to be handed to a program. No model type is needed for it.
winnow::model_part models();

}  // namespace library
