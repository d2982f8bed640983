// SPDX-License-Identifier: Apache-2.0
#include <winnow/plugin/export.hpp>

#include "notes.hpp"
#include "schema.hpp"

WINNOW_PLUGIN(notes::Models, .name = "notes", .version = "1.0.0",
              .description = "Notebooks, notes and their files, copied to the control silo",
              .migrations = notes::migrations, .options = notes::options)
