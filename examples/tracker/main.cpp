// SPDX-License-Identifier: Apache-2.0
// An error tracker of realistic size: models in two silos, data to fill them, and winnow's command line.
//
//   tracker demo [--scale N]                                   fill, delete, verify; nothing to install
//   tracker --database sqlite:t.db generate --files attachments
//   tracker --database sqlite:t.db migrate
//   tracker --database sqlite:t.db plan tracker.Organization 2
#include <charconv>
#include <cstdint>
#include <string>

#include <winnow/cli/main.hpp>
#include <winnow/core/error.hpp>
#include <winnow/winnow.hpp>

#include "demo.hpp"
#include "registry.hpp"

namespace {

using winnow::cli::environment;
using winnow::cli::given;

double scale_of(const given& arguments) {
    const std::string text = arguments.text("--scale", "1");
    double scale = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), scale);
    if (fault != std::errc{} || end != text.data() + text.size() || !(scale > 0 && scale <= 10000)) {
        throw winnow::error(winnow::failure::usage,
                            "--scale takes a number above 0 and up to 10000, not `" + text + "`.");
    }
    return scale;
}

std::uint64_t seed_of(const given& arguments) {
    return static_cast<std::uint64_t>(arguments.number("--seed", 0).value_or(1));
}

int demo(environment& in, const given& arguments) {
    return tracker::run_demo(
        {in.configured().database, scale_of(arguments), seed_of(arguments), arguments.has("--keep")});
}

int generate(environment& in, const given& arguments) {
    if (in.configured().database.empty()) {
        throw winnow::error(winnow::failure::configuration, "No database is named.")
            .with_hint("Give --database sqlite:PATH or --database postgresql://user@host/name.");
    }
    return tracker::run_generate(
        {in.configured().database, arguments.text("--files"), scale_of(arguments), seed_of(arguments)});
}

}  // namespace

int main(int argc, char** argv) {
    const winnow::cli::argument scale =
        winnow::cli::option("--scale", "N", "1 (the default) is about 20 000 rows in each organization");
    const winnow::cli::argument seed =
        winnow::cli::option("--seed", "N", "the same seed makes the same rows in an empty database; 1 by default");
    return winnow::cli::run<tracker::Models>(
        argc, argv,
        {.commands = {
             {.name = "demo",
              .description = "make three organizations, delete one in the background way, verify",
              .arguments = {scale, seed, winnow::cli::flag("--keep", "leave the temporary folder where it is")},
              .run = demo},
             {.name = "generate",
              .description = "create the tracker's tables and fill them with three organizations",
              .arguments = {scale, seed,
                            winnow::cli::option("--files", "FOLDER",
                                                "where attachment files go; TRACKER_FILES by default")},
              .run = generate}}});
}
