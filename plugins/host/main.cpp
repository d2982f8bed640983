// SPDX-License-Identifier: Apache-2.0
// The program `winnow`: the command line without a model of its own. All models come from plugins.
//
//   winnow --plugin notes.so models
//   winnow --plugin notes.so --database sqlite:notes.db migrate
#include <winnow/cli/main.hpp>
#include <winnow/registry/registry.hpp>

int main(int argc, char** argv) { return winnow::cli::run<winnow::registry<>>(argc, argv, {.name = "winnow"}); }
