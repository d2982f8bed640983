// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/store/redis.hpp"

namespace winnow::inline v0 {

/// One entry of a queue that a consumer has taken.
struct stream_entry {
    std::string queue;
    std::string id;  ///< of the stream
    std::string text;
};

/// Queues of texts in Redis 7, shared by any number of consumers: a stream with a consumer group for what may be taken,
/// and a sorted set for what may be taken later. Times are the server's. Nothing here has to last: a server that is
/// emptied gets its group again at the next call.
///
/// Of queue Q the keys are `winnow:{Q}:tasks` and `winnow:{Q}:later`; the braces keep both on one node of a cluster, whose
/// other nodes are not followed.
class redis_stream {
public:
    /// @param queues those that are taken from
    /// @param consumer a name that no other consumer has at the same time
    /// @param lease_milliseconds for how long a silent consumer keeps an entry
    redis_stream(redis_options server, std::vector<std::string> queues, std::string consumer,
                 std::int64_t lease_milliseconds)
        : server_(std::move(server)),
          queues_(std::move(queues)),
          consumer_(std::move(consumer)),
          lease_(std::max<std::int64_t>(lease_milliseconds, 1)) {}
    redis_stream(const redis_stream&) = delete;
    redis_stream& operator=(const redis_stream&) = delete;
    /// Takes the consumer's name off the group, unless it has entries.
    ~redis_stream() {
        if (!greeted_) return;
        try {
            for (const std::string& queue : queues_)
                (void)server_.eval(forget_script, {tasks(queue)}, {group, consumer_, "0"});
        } catch (const error&) {
            // Whoever comes later takes it off.
        }
    }

    [[nodiscard]] std::string description() const { return "Redis at " + server_.description(); }

    void push(const std::string& queue, const std::string& text, double delay_seconds) {
        (void)server_.eval(push_script, {tasks(queue), later(queue)},
                           {most_entries, text, milliseconds(delay_seconds)});
    }

    /// The next entry: one whose consumer fell silent, or the oldest; waits for it. What becomes due meanwhile is seen
    /// when the wait ends.
    [[nodiscard]] std::optional<stream_entry> take(std::chrono::milliseconds patience) {
        if (queues_.empty()) return std::nullopt;
        for (const std::string& queue : queues_)
            (void)server_.eval(ripen_script, {tasks(queue), later(queue)}, {most_entries});
        if (std::optional<stream_entry> found = take_abandoned()) return found;
        std::vector<std::string> keys;
        for (const std::string& queue : queues_) keys.push_back(tasks(queue));
        // Who reads several streams reads the first one first: they take turns.
        std::rotate(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(turn_++ % keys.size()), keys.end());
        const std::string wait = std::to_string(std::clamp<std::int64_t>(patience.count(), 1, longest_wait));
        std::vector<std::string_view> words{"XREADGROUP", "GROUP", group, consumer_, "COUNT", "1"};
        if (patience.count() > 0) words.insert(words.end(), {"BLOCK", wait});
        words.emplace_back("STREAMS");
        words.insert(words.end(), keys.begin(), keys.end());
        words.insert(words.end(), keys.size(), ">");
        const redis_answer answer = with_group([&] { return server_.command(words); });
        greeted_ = true;
        if (answer.items.empty()) return std::nullopt;
        const redis_answer& stream = answer.items[0];
        if (stream.items.size() < 2 || stream.items[1].items.empty()) return std::nullopt;
        const std::string& key = stream.items[0].text;
        return entry_of(key.substr(8, key.size() - 8 - 7), stream.items[1].items[0]);
    }

    /// @param consumer who took it
    /// @return false when another consumer has it by now, or nobody
    bool done(const std::string& queue, const std::string& id, const std::string& consumer) {
        return server_.eval(done_script, {tasks(queue)}, {group, id, consumer}).integer == 1;
    }
    /// Puts a text in its place, to be taken later. @return as `done`
    bool replace(const std::string& queue, const std::string& id, const std::string& consumer, const std::string& text,
                 double delay_seconds) {
        return server_
                   .eval(replace_script, {tasks(queue), later(queue)},
                         {group, id, consumer, text, milliseconds(delay_seconds)})
                   .integer == 1;
    }
    /// The lease begins anew. @return as `done`
    bool extend(const std::string& queue, const std::string& id, const std::string& consumer) {
        return server_.eval(extend_script, {tasks(queue)}, {group, id, consumer}).integer == 1;
    }

    /// Entries of all queues that are taken from: in the streams, those of them that are taken, and later ones.
    struct sizes {
        std::int64_t entries = 0;
        std::int64_t taken = 0;
        std::int64_t later = 0;
    };
    [[nodiscard]] sizes measure() {
        sizes all;
        for (const std::string& queue : queues_) {
            const redis_answer found = server_.eval(measure_script, {tasks(queue), later(queue)}, {group});
            if (found.items.size() < 3) continue;
            all.entries += found.items[0].integer;
            all.taken += found.items[1].integer;
            all.later += found.items[2].integer;
        }
        return all;
    }

private:
    static constexpr std::string_view group = "workers";
    /// Streams are cut to about so many entries: what is lost then is handed over again.
    static constexpr std::string_view most_entries = "100000";
    static constexpr std::int64_t longest_wait = 1'000;  // below the time-out of a command

    static constexpr std::string_view push_script = R"lua(
if tonumber(ARGV[3]) <= 0 then
    redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 'task', ARGV[2])
else
    local t = redis.call('TIME')
    local due = t[1] * 1000 + math.floor(t[2] / 1000) + ARGV[3]
    redis.call('ZADD', KEYS[2], string.format('%.0f', due), redis.call('INCR', KEYS[2] .. ':last') .. ' ' .. ARGV[2])
end
return 1)lua";
    static constexpr std::string_view ripen_script = R"lua(
local t = redis.call('TIME')
local now = string.format('%.0f', t[1] * 1000 + math.floor(t[2] / 1000))
local ripe = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 100)
for _, member in ipairs(ripe) do
    local text = string.sub(member, string.find(member, ' ', 1, true) + 1)
    redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 'task', text)
    redis.call('ZREM', KEYS[2], member)
end
return #ripe)lua";
    // An entry is its consumer's while it is in the group's list of pending ones under that name. A server that was emptied
    // has no group, and answers with an error.
    static constexpr std::string_view done_script = R"lua(
local held = redis.pcall('XPENDING', KEYS[1], ARGV[1], ARGV[2], ARGV[2], 1)
if held.err or #held == 0 or held[1][2] ~= ARGV[3] then return 0 end
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
redis.call('XDEL', KEYS[1], ARGV[2])
return 1)lua";
    static constexpr std::string_view replace_script = R"lua(
local held = redis.pcall('XPENDING', KEYS[1], ARGV[1], ARGV[2], ARGV[2], 1)
if held.err or #held == 0 or held[1][2] ~= ARGV[3] then return 0 end
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
redis.call('XDEL', KEYS[1], ARGV[2])
local t = redis.call('TIME')
local due = t[1] * 1000 + math.floor(t[2] / 1000) + ARGV[5]
redis.call('ZADD', KEYS[2], string.format('%.0f', due), redis.call('INCR', KEYS[2] .. ':last') .. ' ' .. ARGV[4])
return 1)lua";
    static constexpr std::string_view extend_script = R"lua(
local held = redis.pcall('XPENDING', KEYS[1], ARGV[1], ARGV[2], ARGV[2], 1)
if held.err or #held == 0 or held[1][2] ~= ARGV[3] then return 0 end
redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[3], 0, ARGV[2], 'JUSTID')
return 1)lua";
    static constexpr std::string_view measure_script = R"lua(
local taken = 0
if redis.call('EXISTS', KEYS[1]) == 1 then
    for _, one in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
        for at = 1, #one, 2 do
            if one[at] == 'pending' then taken = taken + one[at + 1] end
        end
    end
end
return {redis.call('XLEN', KEYS[1]), taken, redis.call('ZCARD', KEYS[2])})lua";
    // Takes one consumer off the group, or with an empty name all that have been idle for so many milliseconds.
    static constexpr std::string_view forget_script = R"lua(
local consumers = redis.pcall('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])
if consumers.err then return 0 end
for _, one in ipairs(consumers) do
    local about = {}
    for at = 1, #one, 2 do about[one[at]] = one[at + 1] end
    if about.pending == 0 and about.idle >= tonumber(ARGV[3]) and (ARGV[2] == '' or ARGV[2] == about.name) then
        redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], about.name)
    end
end
return 1)lua";

    [[nodiscard]] static std::string tasks(const std::string& queue) { return "winnow:{" + queue + "}:tasks"; }
    [[nodiscard]] static std::string later(const std::string& queue) { return "winnow:{" + queue + "}:later"; }
    [[nodiscard]] static std::string milliseconds(double seconds) {
        return std::to_string(static_cast<std::int64_t>(seconds * 1000));
    }

    /// Entries whose consumer has been silent for a lease; looked for a few times per lease.
    [[nodiscard]] std::optional<stream_entry> take_abandoned() {
        const auto now = std::chrono::steady_clock::now();
        if (now < next_look_) return std::nullopt;
        const std::string lease = std::to_string(lease_);
        for (const std::string& queue : queues_) {
            const std::string key = tasks(queue);
            const redis_answer answer = with_group(
                [&] { return server_.command({"XAUTOCLAIM", key, group, consumer_, lease, "0", "COUNT", "1"}); });
            // An entry that was cut off the stream meanwhile has no text.
            if (answer.items.size() > 1 && !answer.items[1].items.empty())
                if (std::optional<stream_entry> found = entry_of(queue, answer.items[1].items[0])) return found;
        }
        next_look_ = now + std::chrono::milliseconds(std::clamp<std::int64_t>(lease_ / 4, 100, 15'000));
        if (now >= next_tidying_) {
            for (const std::string& queue : queues_)
                (void)server_.eval(forget_script, {tasks(queue)}, {group, "", "3600000"});
            next_tidying_ = now + std::chrono::minutes(10);
        }
        return std::nullopt;
    }

    [[nodiscard]] static std::optional<stream_entry> entry_of(std::string queue, const redis_answer& entry) {
        if (entry.items.size() < 2 || entry.items[1].items.size() < 2) return std::nullopt;
        return stream_entry{std::move(queue), entry.items[0].text, entry.items[1].items[1].text};
    }

    /// Makes the groups when they are missing, as in a server that was emptied.
    template <class Call>
    redis_answer with_group(const Call& call) {
        for (int tries = 1;; ++tries) {
            try {
                return call();
            } catch (const error& problem) {
                // UNBLOCKED: it was emptied while this consumer waited.
                const std::string_view why = problem.what();
                const bool emptied =
                    why.find("NOGROUP") != std::string_view::npos || why.find("UNBLOCKED") != std::string_view::npos;
                if (!emptied || tries == 10) throw;
            }
            make_groups();
        }
    }
    void make_groups() {
        for (const std::string& queue : queues_) {
            try {
                (void)server_.command({"XGROUP", "CREATE", tasks(queue), group, "0", "MKSTREAM"});
            } catch (const error& problem) {
                if (std::string_view(problem.what()).find("BUSYGROUP") == std::string_view::npos) throw;
            }
        }
    }

    redis server_;
    std::vector<std::string> queues_;
    std::string consumer_;
    std::int64_t lease_;
    bool greeted_ = false;
    std::size_t turn_ = 0;
    std::chrono::steady_clock::time_point next_look_{};
    std::chrono::steady_clock::time_point next_tidying_ = std::chrono::steady_clock::now() + std::chrono::minutes(1);
};

}  // namespace winnow::inline v0
