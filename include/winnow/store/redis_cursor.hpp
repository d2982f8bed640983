// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "winnow/core/error.hpp"
#include "winnow/store/cursor.hpp"
#include "winnow/store/redis.hpp"

namespace winnow::inline v0 {

/// Why keys of a Redis server may vanish by themselves: its eviction policy, which counts for the whole server and every
/// database of it; or that nobody was allowed to look. Empty: they stay.
/// @throws error of kind `connection`
[[nodiscard]] inline std::string eviction_risk(redis& server) {
    const auto asked = [&](auto&& ask) -> std::optional<std::string> {
        try {
            return ask();
        } catch (const error& problem) {
            if (problem.kind() != failure::statement) throw;
            return std::nullopt;  // the command is forbidden there
        }
    };
    std::optional<std::string> policy = asked([&] { return server.config("maxmemory-policy"); });
    if (!policy) policy = asked([&] { return server.info("memory", "maxmemory_policy"); });
    if (!policy)
        return "whether Redis at " + server.description() +
               " evicts keys could not be checked: CONFIG and INFO are forbidden there; its maxmemory-policy has to be noeviction";
    if (*policy == "noeviction") return {};
    return "Redis at " + server.description() + " evicts keys when its memory is full (maxmemory-policy " + *policy +
           "); set it to noeviction";
}

/// Refuses a Redis server that may lose keys, for state that is nowhere else.
/// @throws error of kind `configuration` that says the policy, or that it could not be checked
inline void require_lasting(redis& server, std::string_view what) {
    const std::string risk = eviction_risk(server);
    if (risk.empty()) return;
    throw error(failure::configuration, std::string(what) + " would be lost: " + risk + ".")
        .with_hint("`CONFIG SET maxmemory-policy noeviction` on the server, or another server.");
}

/// Cursors in a Redis server, under the keys and in the form that readers of the reference system expect.
class redis_cursors final : public cursor_store {
public:
    explicit redis_cursors(std::string_view url) : server_(url) {}

    [[nodiscard]] std::string description() const override { return server_.description(); }
    [[nodiscard]] std::string risk() override { return eviction_risk(server_); }

    [[nodiscard]] std::optional<std::string> read(std::string_view key) override {
        constexpr std::string_view script = R"lua(
local held = redis.pcall('GET', KEYS[1])
if type(held) == 'table' then return 'no text' end
return held)lua";
        return redis::text_of(server_.eval(script, key, {}));
    }

    advanced advance(std::string_view key, const cursor_position& to) override {
        // Numbers are compared as digits: the script's own are exact up to 2^53 only.
        constexpr std::string_view script = R"lua(
local function less(a, b)
  local minus = a:sub(1, 1) == '-'
  if minus ~= (b:sub(1, 1) == '-') then return minus end
  if minus then a, b = b:sub(2), a:sub(2) end
  if #a ~= #b then return #a < #b end
  return a < b
end
local held = redis.pcall('GET', KEYS[1])
if type(held) == 'table' then held = 'no text' end
if held then
  local lower, version = held:match('^%s*%[%s*(-?%d+)%s*,%s*(-?%d+)%s*%]%s*$')
  if lower then
    local further = less(version, ARGV[2]) or (version == ARGV[2] and less(lower, ARGV[1]))
    if not further then return {0, held} end
  end
end
redis.call('SET', KEYS[1], ARGV[3])
return {1, held})lua";
        const redis_answer answer =
            server_.eval(script, key, {std::to_string(to.lower), std::to_string(to.version), cursor_text(to)});
        advanced done;
        if (!answer.items.empty()) done.written = answer.items[0].integer == 1;
        if (answer.items.size() > 1) done.before = redis::text_of(answer.items[1]);
        return done;
    }

    bool replace(std::string_view key, const std::optional<std::string>& seen, const cursor_position& to) override {
        constexpr std::string_view script = R"lua(
local held = redis.pcall('GET', KEYS[1])
if type(held) == 'table' then held = 'no text' end
if ARGV[1] == '1' then
  if held ~= ARGV[2] then return 0 end
elseif held then
  return 0
end
redis.call('SET', KEYS[1], ARGV[3])
return 1)lua";
        const std::string_view known = seen ? std::string_view(*seen) : std::string_view();
        return server_.eval(script, key, {seen ? "1" : "0", known, cursor_text(to)}).integer == 1;
    }

private:
    redis server_;
};

}  // namespace winnow::inline v0
