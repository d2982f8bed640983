// SPDX-License-Identifier: Apache-2.0
// Who may ask for what: tokens, other sites' pages, names that were bound anew.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/web/address.hpp"
#include "winnow/web/guard.hpp"
#include "winnow/web/message.hpp"

namespace {

using namespace winnow::web;

const guard_settings rules{"0123456789abcdef", {"winnow.example"}};

/// A change as the page asks for it, with some headers replaced; an empty text takes one away.
std::optional<refusal> change(const std::vector<std::pair<std::string, std::string>>& other = {},
                              const guard_settings& with = rules) {
    request asked{"POST", "/api/v1/deletions/pause"};
    asked.headers = {{"Host", "127.0.0.1:8080"},        {"Origin", "http://127.0.0.1:8080"},
                     {"Sec-Fetch-Site", "same-origin"}, {"Content-Type", "application/json"},
                     {"X-Winnow-Request", "1"},         {"Authorization", "Bearer 0123456789abcdef"}};
    for (const auto& [name, text] : other) {
        std::erase_if(asked.headers, [&](const auto& held) { return held.first == name; });
        if (!text.empty()) asked.headers.emplace_back(name, text);
    }
    return refuse(with, asked);
}
int status_of(const std::optional<refusal>& why) { return why ? why->status : 200; }

std::optional<refusal> read(std::vector<std::pair<std::string, std::string>> headers) {
    return refuse(rules, {"GET", "/api/v1/deletions", {}, std::move(headers)});
}

TEST(guard, lets_the_page_and_a_script_with_the_token_through) {
    EXPECT_EQ(status_of(change()), 200);
    EXPECT_EQ(status_of(change({{"Origin", ""}, {"Sec-Fetch-Site", ""}})), 200) << "curl";
    EXPECT_EQ(status_of(change({{"Content-Type", "application/json; charset=utf-8"}})), 200);
    EXPECT_EQ(status_of(change({{"Host", "winnow.example"}, {"Origin", "https://winnow.example"}})), 200) << "a proxy";
    EXPECT_EQ(status_of(change({{"Host", "WINNOW.example:80"}, {"Origin", "http://winnow.example"}})), 200);
}

TEST(guard, wants_the_token) {
    EXPECT_EQ(status_of(change({{"Authorization", ""}})), 401);
    for (const char* wrong :
         {"Bearer", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0", "bearer 0123456789abcdef",
          "Basic 0123456789abcdef", "Bearer 0123456789abcdeF", "Bearer 0123456789abcdef0123456789abcdef"})
        EXPECT_EQ(status_of(change({{"Authorization", wrong}})), 401) << wrong;
    const std::optional<refusal> without = change({}, {"", {}});
    EXPECT_EQ(status_of(without), 403);
    EXPECT_NE(without->hint.find("--token-file"), std::string::npos) << "it says how to set one up";
    EXPECT_EQ(status_of(change({{"Authorization", "Bearer "}}, {"", {}})), 403) << "no token is not the empty token";
}

TEST(guard, refuses_changes_from_other_sites_even_with_the_token) {
    for (const char* origin : {"http://evil.example", "null", "http://127.0.0.1:9090", "http://127.0.0.1", "file://",
                               "http://127.0.0.1:8080.evil.example", "http://localhost:8080", "127.0.0.1:8080"})
        EXPECT_EQ(status_of(change({{"Origin", origin}})), 403) << origin;
    for (const char* site : {"cross-site", "same-site", "none"})
        EXPECT_EQ(status_of(change({{"Sec-Fetch-Site", site}})), 403) << site;
    for (const char* type :
         {"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx"})
        EXPECT_EQ(status_of(change({{"Content-Type", type}})), 415) << type << ": what a form can send";
    EXPECT_EQ(status_of(change({{"X-Winnow-Request", ""}})), 403);
}

TEST(guard, answers_under_its_own_names_only) {
    for (const char* host :
         {"127.0.0.1:8080", "localhost", "LOCALHOST:8080", "[::1]:8080", "10.1.2.3", "winnow.example:443"})
        EXPECT_EQ(status_of(read({{"Host", host}})), 200) << host;
    for (const char* host : {"evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "winnow.example.evil",
                             "", "[::1", "[::1]evil", "0x7f.1", "127.1"})
        EXPECT_EQ(status_of(read({{"Host", host}})), 421) << host;
    EXPECT_EQ(status_of(read({})), 421);
    EXPECT_EQ(status_of(read({{"Host", "localhost"}, {"host", "evil.example"}})), 421);
}

TEST(guard, lets_other_sites_lead_to_the_page_and_read_nothing) {
    EXPECT_EQ(status_of(read({{"Host", "localhost"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "no-cors"}})),
              403);
    EXPECT_EQ(status_of(read({{"Host", "localhost"},
                              {"Sec-Fetch-Site", "cross-site"},
                              {"Sec-Fetch-Mode", "navigate"},
                              {"Sec-Fetch-Dest", "iframe"}})),
              403);
    EXPECT_EQ(status_of(read({{"Host", "localhost"},
                              {"Sec-Fetch-Site", "cross-site"},
                              {"Sec-Fetch-Mode", "navigate"},
                              {"Sec-Fetch-Dest", "document"}})),
              200);
}

TEST(token, is_long_and_plain) {
    EXPECT_EQ(checked_token("0123456789abcdef\n", "a file"), "0123456789abcdef");
    EXPECT_THROW((void)checked_token("0123456789abcde\n", "a file"), winnow::error);
    EXPECT_THROW((void)checked_token("0123456789 abcdef", "a file"), winnow::error);
    EXPECT_THROW((void)checked_token("", "a file"), winnow::error);
    EXPECT_FALSE(same_secret("", ""));
}

TEST(address, is_said_in_full) {
    EXPECT_TRUE(parse_address("127.0.0.1:8080").is_loopback());
    EXPECT_TRUE(parse_address("localhost:0").is_loopback());
    EXPECT_TRUE(parse_address("[::1]:80").is_loopback());
    EXPECT_FALSE(parse_address("0.0.0.0:80").is_loopback());
    EXPECT_EQ(parse_address("[::]:80").text(), "[::]:80");
    for (const char* wrong : {"", ":", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
                              "127.0.0.1:8x", "example.com:80", "*:80", "[::1]80"})
        EXPECT_THROW((void)parse_address(wrong), winnow::error) << wrong;
}

}  // namespace
