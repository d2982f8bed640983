// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace winnow::inline v0::web {

/// The page. Everything in it is put there by its script, as text.
inline constexpr std::string_view page_html = R"page(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>winnow</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<div class="bar">
<a class="brand" href="#/deletions"><img src="/icon.svg" alt="" width="22" height="22">winnow</a>
<nav id="nav" aria-label="Views"></nav>
<div class="tools">
<label id="silo-label" hidden>Silo <select id="silo"></select></label>
<button id="unlock" type="button" data-act="unlock">Read only</button>
</div>
</div>
</header>
<div id="notice" role="status" aria-live="polite" hidden></div>
<div id="trouble" role="alert" hidden></div>
<main id="main" tabindex="-1"><p class="quiet">Reading …</p></main>
<footer><span id="about"></span><span id="fresh"></span></footer>
<dialog id="ask" aria-labelledby="ask-title">
<form method="dialog">
<h2 id="ask-title"></h2>
<p id="ask-text"></p>
<p id="ask-field" hidden><label><span id="ask-label"></span><input id="ask-input" autocomplete="off" spellcheck="false"></label></p>
<div class="choices">
<button id="ask-no" type="button">Leave it</button>
<button id="ask-yes" value="yes">Do it</button>
</div>
</form>
</dialog>
<noscript><p class="empty">This page needs JavaScript; <code>/api/v1/deletions</code> does not.</p></noscript>
</body>
</html>
)page";

inline constexpr std::string_view page_icon =
    R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f6f54"/><g fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round"><path d="M6 13c3 9 17 9 20 0"/><path d="M5 13h22"/></g><g fill="#f3c969"><circle cx="11" cy="8" r="1.8"/><circle cx="16" cy="5.6" r="1.8"/><circle cx="21" cy="8" r="1.8"/></g><path d="M12 25h8" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/></svg>
)svg";

}  // namespace winnow::inline v0::web
