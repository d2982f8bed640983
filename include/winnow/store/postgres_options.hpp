// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

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
    /// A session whose server does not answer a statement for so long is given up; zero: never. A statement that has a
    /// time-out of its own gets that, and this or ten seconds more. In a URL: `answer_timeout=SECONDS`.
    std::chrono::milliseconds answer_timeout{300'000};
};

/// Takes a `postgresql://…` URL, with `answer_timeout=SECONDS` beside the options of the client library.
/// \throws error(failure::configuration) for one without `//`, which the client library would take for something else
///         and repeat with its password.
[[nodiscard]] inline postgres_options parse_postgres_url(std::string_view url) {
    if (!parse_url(url).rest.starts_with("//")) {
        throw error(failure::configuration, "\"" + redacted(url) + "\": // is missing after the scheme")
            .with_hint("Write postgresql://user@host/database.");
    }
    postgres_options made{.url = std::string(url)};
    constexpr std::string_view name = "answer_timeout=";
    for (std::size_t at = made.url.find('?'); at != std::string::npos;) {
        const std::size_t begin = at + 1;
        const std::size_t end = made.url.find('&', begin);
        if (made.url.compare(begin, name.size(), name) != 0) {
            at = end;
            continue;
        }
        const std::string text =
            made.url.substr(begin + name.size(), end == std::string::npos ? end : end - begin - name.size());
        int seconds = 0;
        const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), seconds);
        if (fault != std::errc{} || stop != text.data() + text.size() || seconds < 0 || seconds > 1'000'000) {
            throw error(failure::configuration,
                        "\"" + redacted(url) + "\": answer_timeout is no number of seconds up to 1000000")
                .with_hint("Write answer_timeout=300, or 0 to wait for ever.");
        }
        made.answer_timeout = std::chrono::seconds(seconds);
        // The client library does not know it.
        if (end == std::string::npos) made.url.erase(at);
        else made.url.erase(begin, end + 1 - begin);
        if (at >= made.url.size()) break;
    }
    return made;
}

/// The URL with what winnow wants of every connection and the user has not set: a name in the server's
/// lists, and keepalives, so that a silent network is noticed within a minute, whether it waits or sends.
[[nodiscard]] inline std::string with_connection_defaults(const std::string& url) {
    struct setting {
        std::string_view name;
        std::string_view value;
    };
    static constexpr std::array<setting, 7> defaults{{{"application_name", "winnow"},
                                                      {"connect_timeout", "10"},
                                                      {"keepalives", "1"},
                                                      {"keepalives_idle", "30"},
                                                      {"keepalives_interval", "10"},
                                                      {"keepalives_count", "3"},
                                                      {"tcp_user_timeout", "60000"}}};
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
