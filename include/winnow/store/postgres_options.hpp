// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include "winnow/core/error.hpp"
#include "winnow/store/url.hpp"

namespace winnow::inline v0 {

/// Settings of a PostgreSQL database.
struct postgres_options {
    std::string url;  ///< `postgresql://user@host/database?…` with any option of the client library
    /// The server ends a session that holds a transaction and says nothing for so long (R12): half a lease.
    std::chrono::milliseconds idle_in_transaction_timeout{60'000};
    /// How often the server looks whether a client that waits for a statement is still there.
    std::chrono::milliseconds connection_check_interval{5'000};
};

/// Takes a `postgresql://…` URL. \throws error(failure::configuration) for one without `//`, which the client
/// library would take for something else and repeat with its password.
[[nodiscard]] inline postgres_options parse_postgres_url(std::string_view url) {
    if (!parse_url(url).rest.starts_with("//")) {
        throw error(failure::configuration, "\"" + redacted(url) + "\": // is missing after the scheme")
            .with_hint("Write postgresql://user@host/database.");
    }
    return {.url = std::string(url)};
}

/// The URL with what winnow wants of every connection and the user has not set: a name in the server's
/// lists, and keepalives, so that a silent network is noticed within a minute.
[[nodiscard]] inline std::string with_connection_defaults(const std::string& url) {
    struct setting {
        std::string_view name;
        std::string_view value;
    };
    static constexpr std::array<setting, 6> defaults{{{"application_name", "winnow"},
                                                      {"connect_timeout", "10"},
                                                      {"keepalives", "1"},
                                                      {"keepalives_idle", "30"},
                                                      {"keepalives_interval", "10"},
                                                      {"keepalives_count", "3"}}};
    const database_url parts = parse_url(url);
    std::string out = url;
    char separator = url.find('?') == std::string::npos ? '?' : '&';
    if (out.back() == '?' || out.back() == '&') out.pop_back();
    if (out.find('?') == std::string::npos) separator = '?';
    for (const setting& each : defaults) {
        if (parts.option(each.name)) continue;
        ((out += separator) += each.name) += '=';
        out += each.value;
        separator = '&';
    }
    return out;
}

}  // namespace winnow::inline v0
