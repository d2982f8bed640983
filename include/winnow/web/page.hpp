// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "winnow/web/message.hpp"
#include "winnow/web/page_html.hpp"
#include "winnow/web/page_script.hpp"
#include "winnow/web/page_style.hpp"
#include "winnow/web/page_views.hpp"

namespace winnow::inline v0::web {

/// A file of the page, if a path names one.
[[nodiscard]] inline std::optional<response> page_file(std::string_view path) {
    const auto file = [](std::string_view type, std::string_view text) {
        return response{.type = std::string(type), .body = std::string(text)};
    };
    if (path == "/") return file("text/html; charset=utf-8", page_html);
    if (path == "/page.js") return file("text/javascript; charset=utf-8", page_script);
    if (path == "/views.js") return file("text/javascript; charset=utf-8", page_views);
    if (path == "/page.css") return file("text/css; charset=utf-8", page_style);
    if (path == "/icon.svg") return file("image/svg+xml", page_icon);
    return std::nullopt;
}

}  // namespace winnow::inline v0::web
