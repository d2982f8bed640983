// SPDX-License-Identifier: Apache-2.0
#include <winnow/plugin/export.hpp>

#include "access_log.hpp"
#include "schema.hpp"

WINNOW_PLUGIN(access_log::Models, .name = "access_log", .version = "1.0.0", .description = "Who opened which notebook",
              .migrations = access_log::migrations)
