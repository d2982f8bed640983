// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "winnow/store/redis.hpp"

namespace winnow_test {

/// The URL of the server that tests/support/with_redis has started. A test fails without it; it is never skipped.
[[nodiscard]] inline std::string redis_url(const char* name = "WINNOW_TEST_REDIS") {
    const char* url = std::getenv(name);
    if (url == nullptr || *url == '\0')
        throw std::runtime_error(std::string(name) + " is not set; run the tests through tests/support/with_redis");
    return url;
}

/// The server, emptied, and as it was again afterwards.
class fresh_redis {
public:
    fresh_redis() : server_(redis_url()) { clean(); }
    ~fresh_redis() {
        try {
            clean();
        } catch (const std::exception&) {
            // A test that broke the server has said so.
        }
    }
    fresh_redis(const fresh_redis&) = delete;
    fresh_redis& operator=(const fresh_redis&) = delete;

    [[nodiscard]] std::string url() const { return redis_url(); }
    [[nodiscard]] winnow::redis& server() { return server_; }
    winnow::redis_answer command(std::initializer_list<std::string_view> words) { return server_.command(words); }
    /// What a key holds; `(nothing)` when it is not there.
    [[nodiscard]] std::string at(std::string_view key) { return server_.get(key).value_or("(nothing)"); }

private:
    void clean() {
        (void)server_.command({"FLUSHALL"});
        (void)server_.command({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
        for (const char* user : {"closed", "half", "secret"}) (void)server_.command({"ACL", "DELUSER", user});
    }

    winnow::redis server_;
};

}  // namespace winnow_test
