// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "winnow/context/context.hpp"
#include "winnow/core/dialect.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/file_turns.hpp"

namespace winnow::inline v0 {

namespace detail {

/// How long others are taken to go on writing after they were seen to.
inline constexpr std::chrono::seconds file_is_shared{10};

/// SQLite's own pauses between two looks at a file that is taken, for somebody who has waited for so long.
[[nodiscard]] constexpr std::chrono::milliseconds longest_look_away(std::chrono::microseconds waited) noexcept {
    using std::chrono::milliseconds;
    return milliseconds(waited < milliseconds(128) ? 25 : waited < milliseconds(228) ? 50 : 100);
}

/// Looks whether another connection has written since the last look.
inline void look_for_other_writers(const context& with, file_turns& turns, bool first) {
    // Changes when another connection has written, and only then.
    const std::int64_t version = with.database.execute("PRAGMA data_version").integer(0, 0);
    const bool others = !first && version != turns.data_version;
    turns.data_version = version;
    turns.unused = others || first ? 0 : turns.unused + 1;
    if (others) turns.shared_until = turns.taken + file_is_shared;
}

}  // namespace detail

/// Says that a piece of work begins to write, or goes on after it paused. An SQLite file that was left alone for a while
/// was free for others; nothing to do on a server.
inline void begin_turn(const context& with) {
    using std::chrono::milliseconds;
    if (with.database.kind() != dialect::sqlite) return;
    file_turns& turns = with.database.turns();
    const std::chrono::microseconds now = with.time.now();
    const bool first = turns.taken.count() == 0 || now < turns.seen;
    if (!first && now - turns.seen < milliseconds(100)) return;
    const bool long_ago = !first && now - turns.seen >= detail::file_is_shared;
    turns.taken = turns.seen = now;
    detail::look_for_other_writers(with, turns, first);
    if (long_ago) turns.unused = 0;
}

/// Leaves an SQLite file to others now and then: shortly and often while they write, else rarely. The file has one
/// writer and keeps no queue: who finds it taken looks again after pauses that grow to 100 ms, and with transactions back to
/// back would find it taken each time, for as long as the work lasts. Called between transactions, after one that wrote.
///
/// While others write: 25 ms after each tenth of a second, and 100 ms each fourth time in a row that nobody used it, so
/// that whoever looks away for so long gets in. Else after 0.1 s and 0.5 s, when nobody knows yet whether there are
/// others, then every two seconds, for as long as one that has waited since the last time may look away.
inline void give_way(const context& with) {
    using std::chrono::milliseconds;
    if (with.database.kind() != dialect::sqlite) return;
    file_turns& turns = with.database.turns();
    const std::chrono::microseconds now = with.time.now();
    turns.seen = now;
    const bool shared = now < turns.shared_until;
    const std::chrono::microseconds held = now - turns.taken;
    if (held < milliseconds(shared || turns.unused == 0 ? 100 : turns.unused == 1 ? 500 : 2'000)) return;
    milliseconds pause = detail::longest_look_away(held);
    if (shared) pause = milliseconds(turns.unused % 4 == 3 ? 100 : 25);
    with.time.sleep(pause);
    turns.taken = turns.seen = with.time.now();
    detail::look_for_other_writers(with, turns, false);
}

}  // namespace winnow::inline v0
