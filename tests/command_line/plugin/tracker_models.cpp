// SPDX-License-Identifier: Apache-2.0
// The models of the tracker, as they stand in its headers, as a plugin.
#include <winnow/plugin/export.hpp>

#include "examples/tracker/registry.hpp"

WINNOW_PLUGIN(tracker::Models, .name = "tracker", .version = "1.0.0")
