// SPDX-License-Identifier: Apache-2.0
#pragma once

/// For one source file of a program that is built with WINNOW_SEPARATE_COMPILATION. What it makes is the same for every
/// registry, so a static library of it serves any number of programs.
#include "winnow/cli/run_complete_program.hpp"
