// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <winnow/store/connection.hpp>

namespace tracker {

struct demo_settings {
    std::string database;  ///< URL; empty: a temporary SQLite file
    double scale = 1;
    std::uint64_t seed = 1;
    bool keep = false;  ///< leave the temporary folder where it is
};

/// Makes three organizations, deletes one of them in the background way, and looks whether exactly that
/// one is gone. Returns the program's exit code.
[[nodiscard]] int run_demo(const demo_settings& settings);

struct generate_settings {
    std::string database;
    std::string files;  ///< folder of the attachments; empty: see attachment_folder()
    double scale = 1;
    std::uint64_t seed = 1;
};

/// Creates the tables unless they are there and adds three organizations. Returns the program's exit code.
[[nodiscard]] int run_generate(const generate_settings& settings);

/// Opens a database by its URL; a SQLite file is made when there is none.
[[nodiscard]] winnow::connection_ptr open_or_create(const std::string& url);

}  // namespace tracker
