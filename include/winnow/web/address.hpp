// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include <arpa/inet.h>

#include "winnow/core/error.hpp"

namespace winnow::inline v0::web {

/// Where a server listens.
struct address {
    std::string host;  ///< an IP address, without brackets
    int port = 0;      ///< 0: any that is free

    [[nodiscard]] bool is_loopback() const { return host == "::1" || host.starts_with("127."); }
    /// As it stands in a URL.
    [[nodiscard]] std::string text() const {
        const std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
        return shown + ":" + std::to_string(port);
    }
};

/// Whether a text is an IP address, as a browser's Host header never has it after a name was bound anew.
[[nodiscard]] inline bool is_ip_address(const std::string& text) {
    unsigned char ignored[sizeof(in6_addr)];
    return ::inet_pton(AF_INET, text.c_str(), ignored) == 1 || ::inet_pton(AF_INET6, text.c_str(), ignored) == 1;
}

/// Host and port of a `Host` header or the part of an origin behind `://`.
struct host_and_port {
    std::string host;  ///< without brackets, in lower case
    std::string port;  ///< empty: not given
};

[[nodiscard]] inline host_and_port split_host(std::string_view text) {
    host_and_port found;
    std::size_t end = text.find(':');
    if (text.starts_with('[')) {
        end = text.find(']');
        if (end == std::string_view::npos) return found;
        found.host = text.substr(1, end - 1);
        ++end;
        if (end != text.size() && text[end] != ':') return {};
    } else {
        found.host = text.substr(0, end);
    }
    for (char& c : found.host)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (end < text.size()) found.port = text.substr(end + 1);
    return found;
}

/// Reads `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`.
/// @throws error of kind `usage` for anything else: what it is bound to has to be said in full
[[nodiscard]] inline address parse_address(std::string_view text) {
    const host_and_port parts = split_host(text);
    address found{parts.host == "localhost" ? "127.0.0.1" : parts.host, -1};
    const char* const end = parts.port.data() + parts.port.size();
    const auto [stopped, fault] = std::from_chars(parts.port.data(), end, found.port);
    if (fault != std::errc{} || stopped != end || found.port < 0 || found.port > 65'535 || !is_ip_address(found.host)) {
        throw error(failure::usage, "--bind takes an address and a port, not `" + std::string(text) + "`.")
            .with_hint("Write 127.0.0.1:8080, [::1]:8080, or 0.0.0.0:8080 to be reached from everywhere.");
    }
    return found;
}

}  // namespace winnow::inline v0::web
