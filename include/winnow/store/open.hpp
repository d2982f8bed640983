// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "winnow/core/error.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/url.hpp"

namespace winnow::inline v0 {

using connector_ptr = std::unique_ptr<connector>;

/// One kind of database that a program can speak to. A program lists the drivers that it links:
/// `sqlite_driver` of store/sqlite.hpp, `postgres_driver` of store/postgres.hpp.
struct driver {
    /// Schemes of its URLs; unused places are empty.
    std::array<std::string_view, 2> schemes;
    /// Makes a connector for a URL of one of these schemes. Checks the URL, does not connect.
    connector_ptr (*make)(std::string_view url) = nullptr;
};

/// Finds the driver of a URL and makes its connector. Nothing is opened yet: the first `open()` is what
/// says that a database cannot be reached.
/// \throws error(failure::configuration) for a URL without or with an unknown scheme, or one that the
///         driver does not accept; passwords never appear in the text.
[[nodiscard]] inline connector_ptr open_connector(std::string_view url, std::span<const driver> drivers) {
    const std::string scheme = parse_url(url).scheme;
    std::string known;
    for (const driver& candidate : drivers) {
        for (const std::string_view offered : candidate.schemes) {
            if (offered.empty()) continue;
            if (offered == scheme) return candidate.make(url);
            known.append(known.empty() ? "" : ", ").append(offered).append(":");
        }
    }
    const bool linked_elsewhere = scheme == "sqlite" || scheme == "postgresql" || scheme == "postgres";
    throw error(failure::configuration, "no driver for \"" + scheme + ":\" in \"" + redacted(url) + "\"" +
                                            (linked_elsewhere ? ": this program was built without it" : ""))
        .with_hint(known.empty() ? "This program was built without any database driver."
                                 : "This program opens URLs that begin with " + known + ".");
}

}  // namespace winnow::inline v0
