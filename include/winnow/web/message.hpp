// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/core/letters.hpp"

namespace winnow::inline v0::web {

/// One request, as the server has read it.
struct request {
    std::string method;  ///< GET, HEAD or POST
    std::string path;    ///< without the query
    std::vector<std::pair<std::string, std::string>> query{};
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string body{};
    std::string peer{};  ///< address that it came from, for the log

    /// Text of the first header of a name, whatever its case; empty when there is none.
    [[nodiscard]] std::string_view header(std::string_view name) const {
        for (const auto& [held, text] : headers)
            if (same_name(held, name)) return text;
        return {};
    }
    [[nodiscard]] bool has_header(std::string_view name) const { return times(name) != 0; }
    [[nodiscard]] int times(std::string_view name) const {
        int found = 0;
        for (const auto& [held, text] : headers)
            if (same_name(held, name)) ++found;
        return found;
    }
    /// Whether it asks for a change.
    [[nodiscard]] bool changes() const { return method != "GET" && method != "HEAD"; }

private:
    static bool same_name(std::string_view a, std::string_view b) {
        if (a.size() != b.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (winnow::detail::lower(a[i]) != winnow::detail::lower(b[i])) return false;
        return true;
    }
};

/// What is answered.
struct response {
    int status = 200;
    std::string type = "application/json";
    std::string body{};
    std::vector<std::pair<std::string, std::string>> headers{};  ///< besides those that every answer has
};

}  // namespace winnow::inline v0::web
