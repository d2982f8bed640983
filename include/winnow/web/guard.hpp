// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/web/address.hpp"
#include "winnow/web/message.hpp"

namespace winnow::inline v0::web {

/// Shortest token that is accepted.
inline constexpr std::size_t shortest_token = 16;

/// Who may do what.
struct guard_settings {
    std::string token{};                    ///< for changes; empty: none are made
    std::vector<std::string> host_names{};  ///< under which it may be reached besides `localhost` and IP addresses
};

/// Why a request is not answered.
struct refusal {
    int status;
    std::string message;
    std::string hint{};
};

/// Compares in a time that says nothing about where the texts differ.
[[nodiscard]] inline bool same_secret(std::string_view given, std::string_view secret) noexcept {
    volatile unsigned char different = given.size() == secret.size() ? 0 : 1;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const char wanted = secret.empty() ? '\0' : secret[i % secret.size()];
        different = static_cast<unsigned char>(
            different | (static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(wanted)));
    }
    return different == 0 && !secret.empty();
}

/// A token as it stands in a file or a variable: without the line end.
/// @throws error of kind `configuration` for one that is too short, or that no header can carry
[[nodiscard]] inline std::string checked_token(std::string token, std::string_view from) {
    while (!token.empty() && (token.back() == '\n' || token.back() == '\r' || token.back() == ' ')) token.pop_back();
    const bool plain = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; });
    if (token.size() >= shortest_token && plain) return token;
    throw error(failure::configuration,
                "The token in " + std::string(from) + (plain ? " is too short." : " is no word."))
        .with_hint("Use at least 16 letters and digits, as `openssl rand -hex 24` makes them.");
}

namespace detail {

/// A name that only this machine's resolver, or nobody's, decides about.
[[nodiscard]] inline bool is_own_host(const guard_settings& rules, const std::string& host) {
    return host == "localhost" || is_ip_address(host) ||
           std::find(rules.host_names.begin(), rules.host_names.end(), host) != rules.host_names.end();
}

/// Whether an `Origin` is the page that the `Host` header is about.
[[nodiscard]] inline bool same_origin(std::string_view origin, std::string_view host) {
    const std::size_t scheme = origin.find("://");
    if (scheme == std::string_view::npos) return false;
    const bool secure = origin.substr(0, scheme) == "https";
    if (!secure && origin.substr(0, scheme) != "http") return false;
    const host_and_port a = split_host(origin.substr(scheme + 3));
    const host_and_port b = split_host(host);
    const auto port = [&](const std::string& given) { return !given.empty() ? given : secure ? "443" : "80"; };
    return a.host == b.host && port(a.port) == port(b.port);
}

[[nodiscard]] inline std::optional<refusal> refuse_change(const guard_settings& rules, const request& asked) {
    const std::string_view site = asked.header("Sec-Fetch-Site");
    const std::string_view origin = asked.header("Origin");
    if ((!site.empty() && site != "same-origin") || (!origin.empty() && !same_origin(origin, asked.header("Host"))))
        return refusal{403, "The request comes from a page of another site.", "Use the page that this server has."};
    const std::string_view type = asked.header("Content-Type");
    if (type.substr(0, type.find(';')) != "application/json")
        return refusal{415, "A change is asked for in JSON.", "Send Content-Type: application/json."};
    if (asked.header("X-Winnow-Request") != "1")
        return refusal{403, "The header X-Winnow-Request is missing.",
                       "Send X-Winnow-Request: 1; pages of other sites cannot."};
    if (rules.token.empty())
        return refusal{
            403, "Changes are not allowed: this server has no token.",
            "Start it with --token-file FILE, or with WINNOW_TOKEN set; the token has at least 16 characters."};
    constexpr std::string_view scheme = "Bearer ";
    std::string_view given = asked.header("Authorization");
    if (!given.starts_with(scheme) || asked.times("Authorization") != 1)
        return refusal{401, "A change needs the token.", "Send Authorization: Bearer TOKEN."};
    given.remove_prefix(scheme.size());
    if (!same_secret(given, rules.token)) return refusal{401, "The token is wrong."};
    return std::nullopt;
}

}  // namespace detail

/// Whether a request is answered at all: it has to name this server (a name that was bound anew to this address is
/// another site's), other sites' pages read nothing, and a change needs the token besides.
[[nodiscard]] inline std::optional<refusal> refuse(const guard_settings& rules, const request& asked) {
    if (asked.times("Host") != 1 || !detail::is_own_host(rules, split_host(asked.header("Host")).host))
        return refusal{421, "This server is not known under that name.",
                       "Use its IP address or localhost, or start it with --host-name NAME."};
    if (asked.changes()) return detail::refuse_change(rules, asked);
    const bool is_page = asked.header("Sec-Fetch-Mode") == "navigate" && asked.header("Sec-Fetch-Dest") == "document";
    if (asked.header("Sec-Fetch-Site") == "cross-site" && !is_page)
        return refusal{403, "The request comes from a page of another site."};
    return std::nullopt;
}

}  // namespace winnow::inline v0::web
