// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "winnow/store/bucket.hpp"
#include "winnow/store/redis.hpp"

namespace winnow::inline v0 {

/// Leaky buckets in a Redis server, one key each, which is gone when its bucket has run dry.
class redis_buckets final : public bucket_store {
public:
    explicit redis_buckets(std::string_view url) : server_(url) {}

    [[nodiscard]] std::string description() const override { return server_.description(); }

    /// The key of a bucket.
    [[nodiscard]] static std::string key_of(std::string_view name) { return "winnow:rate_limit:" + std::string(name); }

    double charge(std::string_view name, std::int64_t amount, std::int64_t rate) override {
        // The server's clock, in microseconds of its own: clocks of workers differ. What is no bucket is begun anew.
        constexpr std::string_view script = R"lua(
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local rate = tonumber(ARGV[2])
local level = 0
local held = redis.pcall('HMGET', KEYS[1], 'level', 'at')
if held.err then
  redis.call('DEL', KEYS[1])
else
  local before, at = tonumber(held[1]), tonumber(held[2])
  if before and at then level = math.max(0, before - rate * math.max(0, now - at)) end
end
level = level + tonumber(ARGV[1])
redis.call('HSET', KEYS[1], 'level', string.format('%.6f', level), 'at', string.format('%.6f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil(level / rate * 1000) + 1000)
return string.format('%.6f', level))lua";
        const redis_answer answer = server_.eval(script, key_of(name), {std::to_string(amount), std::to_string(rate)});
        return std::strtod(answer.text.c_str(), nullptr);
    }

private:
    redis server_;
};

}  // namespace winnow::inline v0
