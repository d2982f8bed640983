// SPDX-License-Identifier: Apache-2.0
#include <winnow/plugin/export.hpp>

#include "project_notes.hpp"
#include "schema.hpp"

WINNOW_PLUGIN(project_notes::Models, .name = "project_notes", .version = "1.0.0",
              .description = "Notes that hang below the projects of the tracker",
              .migrations = project_notes::migrations)
