// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

#include "winnow/core/error.hpp"
#include "winnow/store/url.hpp"

namespace winnow::inline v0 {

/// Where a Redis server is and how to speak to it.
struct redis_options {
    std::string url;   ///< as it was given, password included; never for logs
    std::string host;  ///< empty: `socket`
    int port = 6379;
    std::string socket;  ///< path of a Unix socket
    int database = 0;
    std::string user;      ///< empty: the default one
    std::string password;  ///< empty: none
    bool tls = false;
    std::string certificates;  ///< file of the certificates that are trusted; empty: the system's
    std::chrono::milliseconds connect_timeout{2'000};
    std::chrono::milliseconds command_timeout{2'000};
};

namespace detail {

[[nodiscard]] inline error bad_redis_url(std::string_view url, std::string_view why) {
    return error(failure::configuration, "\"" + redacted(url) + "\": " + std::string(why))
        .with_hint("Write redis://[[user]:password@]host[:port][/database], rediss://… for TLS, or unix:PATH?db=0.");
}

inline int number_in_redis_url(std::string_view url, std::string_view text, std::string_view what, int most) {
    int number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || end != text.data() + text.size() || number < 0 || number > most)
        throw bad_redis_url(url, std::string(what) + " is no number up to " + std::to_string(most));
    return number;
}

/// Takes `[user][:password]@` from the front of `rest`, if it is there.
inline void take_credentials(std::string_view& rest, redis_options& made) {
    // From the right: a password may hold what nobody encoded.
    const std::size_t at = rest.rfind('@');
    if (at == std::string_view::npos) return;
    const std::string_view who = rest.substr(0, at);
    const std::size_t colon = who.find(':');
    made.user = percent_decoded(who.substr(0, colon));
    if (colon != std::string_view::npos) made.password = percent_decoded(who.substr(colon + 1));
    rest.remove_prefix(at + 1);
}

}  // namespace detail

/// Takes a URL of a Redis server apart: `redis://[[user]:password@]host[:port][/database]`, the same with `rediss://`
/// for TLS (`?cafile=FILE` names trusted certificates), `unix:///path?db=0&password=…`. User and password are
/// percent-decoded.
/// @throws error of kind `configuration`; passwords never appear in its text
[[nodiscard]] inline redis_options parse_redis_url(std::string_view url) {
    const database_url parts = parse_url(url);
    redis_options made;
    made.url = url;
    if (const auto text = parts.option("password")) made.password = *text;
    if (const auto text = parts.option("user")) made.user = *text;
    if (const auto text = parts.option("cafile")) made.certificates = *text;
    if (const auto text = parts.option("db"))
        made.database = detail::number_in_redis_url(url, *text, "the database", 1'000'000);
    for (const url_option& one : parts.options) {
        if (one.name != "password" && one.name != "user" && one.name != "cafile" && one.name != "db")
            throw detail::bad_redis_url(url, "there is no option \"" + one.name + "\"");
    }
    if (parts.scheme == "unix" || parts.scheme == "redis+unix") {
        std::string_view rest = parts.rest;
        if (rest.starts_with("//")) rest.remove_prefix(2);
        detail::take_credentials(rest, made);
        made.socket = detail::percent_decoded(rest);
        if (made.socket.empty()) throw detail::bad_redis_url(url, "the path of the socket is missing");
        return made;
    }
    if (parts.scheme != "redis" && parts.scheme != "rediss")
        throw detail::bad_redis_url(url, "\"" + parts.scheme + ":\" is no scheme of Redis");
    made.tls = parts.scheme == "rediss";
    std::string_view rest = parts.rest;
    if (!rest.starts_with("//")) throw detail::bad_redis_url(parts.scheme + ":…", "// is missing after the scheme");
    rest.remove_prefix(2);
    detail::take_credentials(rest, made);
    const std::size_t slash = rest.find('/');
    if (slash != std::string_view::npos && slash + 1 < rest.size())
        made.database = detail::number_in_redis_url(url, rest.substr(slash + 1), "the database", 1'000'000);
    std::string_view place = rest.substr(0, slash);
    if (place.starts_with('[')) {
        const std::size_t close = place.find(']');
        if (close == std::string_view::npos) throw detail::bad_redis_url(url, "] is missing after the address");
        made.host = place.substr(1, close - 1);
        place.remove_prefix(close + 1);
    } else {
        made.host = place.substr(0, place.find(':'));
        place.remove_prefix(made.host.size());
    }
    if (place.starts_with(':')) made.port = detail::number_in_redis_url(url, place.substr(1), "the port", 65'535);
    if (made.host.empty()) throw detail::bad_redis_url(url, "the host is missing");
    return made;
}

}  // namespace winnow::inline v0
