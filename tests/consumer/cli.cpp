// SPDX-License-Identifier: Apache-2.0
#include "winnow/cli/program.hpp"

// No models and no driver: a program that answers --version, and calls anything else a mistake.
int main(int argc, char** argv) { return winnow::cli::run_program({}, argc, argv) == 2 ? 0 : 1; }
