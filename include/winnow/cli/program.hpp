// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "winnow/cli/program_description.hpp"
#ifndef WINNOW_SEPARATE_COMPILATION
#include "winnow/cli/run_program.hpp"
#endif
