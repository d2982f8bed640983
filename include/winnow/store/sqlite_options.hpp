// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "winnow/core/error.hpp"
#include "winnow/store/url.hpp"

namespace winnow::inline v0 {

/// How a SQLite file is opened.
enum class sqlite_mode : unsigned char {
    read_only,
    read_write,  ///< the file must exist; one that may not be written opens read-only
    create,      ///< the file is made when it does not exist
};

/// Settings of a SQLite database. As a URL: `sqlite:PATH?mode=ro|rw|rwc&busy_timeout=MILLISECONDS&immutable=1`.
struct sqlite_options {
    std::string path;  ///< `:memory:` is a database of its own for every connection
    sqlite_mode mode = sqlite_mode::read_write;
    std::chrono::milliseconds busy_timeout{20'000};  ///< wait for another writer (S2)
    bool immutable = false;                          ///< promise that nobody writes: for files on read-only media
};

/// Reads `sqlite:PATH?…`. \throws error(failure::configuration) for an empty path or an unknown option.
[[nodiscard]] inline sqlite_options parse_sqlite_url(std::string_view url) {
    const database_url parts = parse_url(url);
    sqlite_options out;
    out.path = parts.rest;
    const auto refuse = [&](const std::string& why) {
        return error(failure::configuration, "\"" + std::string(url) + "\": " + why)
            .with_hint("Write sqlite:PATH, with any of ?mode=ro|rw|rwc&busy_timeout=MILLISECONDS&immutable=1.");
    };
    if (out.path.empty()) throw refuse("the path is missing");
    for (const url_option& option : parts.options) {
        if (option.name == "mode" && option.value == "ro") out.mode = sqlite_mode::read_only;
        else if (option.name == "mode" && option.value == "rw") out.mode = sqlite_mode::read_write;
        else if (option.name == "mode" && option.value == "rwc") out.mode = sqlite_mode::create;
        else if (option.name == "immutable") out.immutable = option.value != "0";
        else if (option.name == "busy_timeout") {
            std::int32_t amount = -1;
            const char* end = option.value.data() + option.value.size();
            if (std::from_chars(option.value.data(), end, amount).ptr != end || amount < 0) {
                throw refuse("busy_timeout is no number of milliseconds");
            }
            out.busy_timeout = std::chrono::milliseconds{amount};
        } else {
            throw refuse("unknown option " + option.name + "=" + option.value);
        }
    }
    return out;
}

}  // namespace winnow::inline v0
