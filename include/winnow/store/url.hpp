// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/core/letters.hpp"

namespace winnow::inline v0 {

/// One `name=value` of a URL's query part, percent-decoded.
struct url_option {
    std::string name;
    std::string value;
};

/// A database URL in its parts: `sqlite:PATH?mode=ro`, `postgresql://user:password@host/name?sslmode=require`.
struct database_url {
    std::string scheme;               ///< what stands before the first colon, in lower case
    std::string rest;                 ///< what stands after it, up to the query part, as given
    std::vector<url_option> options;  ///< the query part

    /// Value of the last option of that name.
    [[nodiscard]] std::optional<std::string_view> option(std::string_view name) const noexcept {
        for (auto found = options.rbegin(); found != options.rend(); ++found) {
            if (found->name == name) return found->value;
        }
        return std::nullopt;
    }
};

namespace detail {

[[nodiscard]] inline int hexadecimal_digit(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

[[nodiscard]] inline std::string percent_decoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size() && hexadecimal_digit(text[i + 1]) >= 0 &&
            hexadecimal_digit(text[i + 2]) >= 0) {
            out += static_cast<char>(hexadecimal_digit(text[i + 1]) * 16 + hexadecimal_digit(text[i + 2]));
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

}  // namespace detail

/// A URL without its password: the one before `@`, and every `password=`-like option. Fit for logs.
/// Takes any text; what is no URL comes back as it is.
[[nodiscard]] inline std::string redacted(std::string_view url) {
    std::string out(url);
    if (out.find(':') == std::string::npos) {
        // `host=… password=…`, which libpq takes and winnow does not; people try it.
        const std::size_t word = out.find("password");
        const std::size_t equals = out.find('=', std::min(word, out.size()));
        return equals == std::string::npos ? out : out.replace(equals + 1, out.npos, "***");
    }
    const std::size_t query = std::min(out.find('?'), out.size());
    std::size_t from = query;
    while ((from = out.find_first_of("?&", from)) != std::string::npos) {
        const std::size_t equals = out.find('=', ++from);
        if (equals == std::string::npos) break;
        const std::string name = out.substr(from, equals - from);
        if (name != "password" && name != "sslpassword" && name != "passfile") continue;
        const std::size_t end = std::min(out.find('&', equals), out.size());
        out.replace(equals + 1, end - equals - 1, "***");
    }
    const std::size_t scheme = out.find(':');
    if (scheme == std::string::npos || scheme > query) return out;
    // A password may hold '/', '?' or '@' that nobody encoded: better too much is hidden than too little.
    const std::size_t at = out.rfind('@');
    const std::size_t colon = out.find(':', scheme + 1);
    if (at == std::string::npos || colon == std::string::npos || colon > at) return out;
    return out.replace(colon + 1, at - colon - 1, "***");
}

/// Takes a database URL apart.
/// \throws error(failure::configuration) when there is no scheme; the text shows both known forms.
[[nodiscard]] inline database_url parse_url(std::string_view url) {
    const std::size_t colon = url.find(':');
    if (url.find('\0') != std::string_view::npos) {
        throw error(failure::configuration, "a database URL holds a NUL character")
            .with_hint("Drivers would read it up to there only; look at where it comes from.");
    }
    if (colon == std::string_view::npos || colon == 0) {
        throw error(failure::configuration, "\"" + redacted(url) + "\" is not a database URL")
            .with_hint("Write sqlite:PATH or postgresql://user@host/database.");
    }
    database_url out;
    for (const char c : url.substr(0, colon)) out.scheme += detail::lower(c);
    url.remove_prefix(colon + 1);
    const std::size_t question = url.find('?');
    out.rest = url.substr(0, question);
    if (question == std::string_view::npos) return out;
    url.remove_prefix(question + 1);
    while (!url.empty()) {
        const std::string_view pair = url.substr(0, url.find('&'));
        url.remove_prefix(std::min(pair.size() + 1, url.size()));
        const std::size_t equals = std::min(pair.find('='), pair.size());
        if (pair.empty()) continue;
        out.options.push_back({detail::percent_decoded(pair.substr(0, equals)),
                               detail::percent_decoded(pair.substr(std::min(equals + 1, pair.size())))});
    }
    return out;
}

}  // namespace winnow::inline v0
