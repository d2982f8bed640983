// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/context/stop.hpp"
#include "winnow/core/error.hpp"
#include "winnow/deletion/chunk.hpp"
#include "winnow/deletion/row_pool.hpp"
#include "winnow/deletion/work.hpp"

namespace winnow::inline v0::detail {

/// One step of a walk; see walk.hpp, whose walk the lanes have.
using walk_step = chunk_end (*)(deletion_work&);

[[noreturn]] inline void rows_keep_moving(const deletion_work& work, std::size_t model) {
    throw error(failure::blocked, std::string(work.plan_of(model).key) + ": rows keep moving while they are looked at.")
        .with_model(work.plan_of(model).key);
}
[[noreturn]] inline void walks_in_circles(const deletion_work& work, std::size_t model) {
    throw error(failure::blocked, std::string(work.plan_of(model).key) + ": a million steps without a row deleted.")
        .with_model(work.plan_of(model).key);
}

/// Connections that work on one deletion beside the one that claimed it, each in a thread of its own (R14). The one that
/// claimed it leads: it hands out the work, looks at brakes, budgets and the lease, and does the rest alone. All member
/// functions are called by the leader's thread.
class lane_team {
public:
    /// Opens the connections, as many as can be had, and starts the threads. Their work begins as a copy of the leader's.
    lane_team(deletion_work& lead, walk_step step) : step_(step) {
        for (std::int64_t number = 1; number < lead.connections; ++number) {
            try {
                lanes_.push_back(std::make_unique<lane>(lead.with.opener->open(), lead, number, stop_));
                lanes_.back()->thread = std::thread([this, own = lanes_.back().get()] { serve(*own); });
                ++alive_;
            } catch (const error& problem) {
                say_fewer(lead, problem.what());
                break;
            } catch (const std::system_error& problem) {
                lanes_.pop_back();
                say_fewer(lead, problem.what());
                break;
            }
        }
    }
    lane_team(const lane_team&) = delete;
    lane_team& operator=(const lane_team&) = delete;
    ~lane_team() { stop(false); }

    /// How many lanes there are, the leader not counted.
    [[nodiscard]] std::size_t size() const noexcept { return lanes_.size(); }
    /// How many can still work.
    [[nodiscard]] std::size_t alive() const {
        const std::lock_guard guard(mutex_);
        return alive_;
    }
    /// Whose turn it is to lock what all share.
    [[nodiscard]] std::mutex& turn() noexcept { return turn_; }

    /// All begin to take rows from a pool.
    /// @param lead stands on the parents of these rows
    /// @param parents references to them, for fetching more; nothing: there are no more
    void begin(const deletion_work& lead, frame found, std::optional<key_set> parents) {
        const std::lock_guard guard(mutex_);
        base_ = lead.stack;
        pool_ = std::make_unique<row_pool>(std::move(found), base_.back(), std::move(parents));
        for (const std::unique_ptr<lane>& one : lanes_) {
            deletion_work& work = one->work;
            work.stack = base_;
            for (frame& level : work.stack) level.marked = true;  // the leader does
            work.shared_levels = base_.size();
            work.shared_turn = &turn_;
            work.rows.assign(lead.rows.size(), 0);
            work.rows_done = 0;
            one->gone.assign(lead.rows.size(), 0);
        }
        busy_ = alive_;
        ++phase_;
        changed_.notify_all();
    }
    /// The leader's own next rows; none when there are none left.
    [[nodiscard]] frame take(deletion_work& lead) { return pool_->take(lead, alive() + 1); }
    /// The leader's levels as they were when the work was begun.
    [[nodiscard]] const std::vector<frame>& base() const noexcept { return base_; }
    [[nodiscard]] const row_pool& pool() const noexcept { return *pool_; }

    /// Waits a little for lanes that are still at it. @return whether none is
    [[nodiscard]] bool wait_until_idle(std::chrono::milliseconds patience) {
        std::unique_lock guard(mutex_);
        return changed_.wait_for(guard, patience, [&] { return busy_ == 0; });
    }

    /// Tells the leader what the lanes have done.
    /// @throws what one of them has thrown; the others are stopped
    void tell(deletion_work& lead) {
        const std::lock_guard guard(mutex_);
        lead.lane_rows.assign(lead.rows.size(), 0);
        for (const std::unique_ptr<lane>& one : lanes_) {
            for (std::size_t model = 0; model < one->gone.size(); ++model) lead.lane_rows[model] += one->gone[model];
            lead.moved = lead.moved || one->moved;
        }
        if (!outrun_.empty()) lead.outrun = std::exchange(outrun_, {});
        if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
    }
    /// Forgets what they have done, which the leader's row counts now.
    void forget(deletion_work& lead) {
        const std::lock_guard guard(mutex_);
        for (const std::unique_ptr<lane>& one : lanes_) one->gone.assign(one->gone.size(), 0);
        lead.lane_rows.clear();
    }

    /// Holds all lanes at the edge of their chunks, or lets them go on.
    void hold(bool held) {
        const std::lock_guard guard(mutex_);
        held_ = held;
        changed_.notify_all();
    }
    /// Ends all threads at the edge of their chunks, for good.
    /// @param at_once the statements that they are at are interrupted
    void stop(bool at_once) noexcept {
        {
            const std::lock_guard guard(mutex_);
            stop_.ask();
            changed_.notify_all();
        }
        for (const std::unique_ptr<lane>& one : lanes_) {
            if (!one->thread.joinable()) continue;
            if (at_once) one->session->interrupt();
            one->thread.join();
        }
    }

private:
    struct lane {
        lane(connection_ptr opened, const deletion_work& lead, std::int64_t number, const stop_request& stop)
            : session(std::move(opened)),
              with(lead.with.on(*session, lead.with.watch, &stop)),
              work{with, lead.request, lead.root, lead.root_key} {
            work.root_identity = lead.root_identity;
            work.facts = lead.facts;
            work.shape = lead.shape;
            work.target = lead.target;
            work.statement_timeout = lead.statement_timeout;
            work.lease_seconds = lead.lease_seconds;
            work.tuning = lead.tuning;
            work.ending = lead.ending;
            work.root_seen = true;
            work.lane = number;
        }

        connection_ptr session;
        context with;
        deletion_work work;
        std::vector<std::int64_t> gone{};  ///< by model, in chunks that are committed; under the mutex
        bool moved = false;                ///< it has removed something; under the mutex
        std::thread thread{};
    };

    static void say_fewer(const deletion_work& lead, std::string_view why) {
        lead.with.watch.log(log_level::warning, "a deletion has fewer connections than it was to have",
                            {{"transaction_id", lead.request.guid}, {"reason", why}});
    }

    void serve(lane& own) {
        std::uint64_t seen = 0;
        bool usable = true;
        while (usable) {
            {
                std::unique_lock guard(mutex_);
                changed_.wait(guard, [&] { return stop_.asked() || phase_ != seen; });
                if (stop_.asked()) return;
                seen = phase_;
            }
            usable = work_on(own);
            const std::lock_guard guard(mutex_);
            --busy_;
            if (!usable) --alive_;
            changed_.notify_all();
        }
    }

    /// Takes rows until none are left. @return whether the lane can go on with other rows
    bool work_on(lane& own) noexcept {
        try {
            bool goes_on = true;
            while (goes_on && may_go_on()) {
                frame set = pool_->take(own.work, alive() + 1);
                if (set.parts[0].rows.empty()) break;
                own.work.stack.push_back(std::move(set));
                goes_on = finish_set(own);
            }
            return true;
        } catch (const error& problem) {
            if (stop_.asked()) return false;
            // What it was at is found by the leader's last look; what it had removed is on its row.
            if (!own.session->usable()) {
                own.with.watch.log(log_level::warning, "a deletion goes on with fewer connections",
                                   {{"transaction_id", own.work.request.guid}, {"reason", problem.what()}});
                return false;
            }
            fail(std::current_exception());
        } catch (...) {
            fail(std::current_exception());
        }
        return false;
    }
    void fail(std::exception_ptr problem) noexcept {
        const std::lock_guard guard(mutex_);
        if (!problem_) problem_ = std::move(problem);
        stop_.ask();
        changed_.notify_all();
    }

    /// @return false when all are to stop
    [[nodiscard]] bool may_go_on() {
        std::unique_lock guard(mutex_);
        changed_.wait(guard, [&] { return stop_.asked() || !held_; });
        return !stop_.asked();
    }

    /// Removes the rows on top and everything below them.
    /// @return false when this lane has to leave the deletion alone; why, the leader's own next chunk tells
    bool finish_set(lane& own) {
        deletion_work& work = own.work;
        int stale = 0;
        std::int64_t fruitless = 0;
        while (work.stack.size() > work.shared_levels) {
            if (!may_go_on()) return false;
            const std::int64_t before = work.rows_done;
            const std::size_t model = work.stack.back().parts[0].model;
            const chunk_end end = step_(work);
            if (end == chunk_end::again) {
                if (++stale > 100 && !stop_.asked()) rows_keep_moving(work, model);
                if (stale > 10) pause_with_jitter(work, 1);
            } else if (end != chunk_end::committed) {
                return false;
            } else if (work.rows_done != before) {
                stale = 0;
                fruitless = 0;
            } else if (++fruitless > 1'000'000) {
                walks_in_circles(work, model);
            }
            const std::lock_guard guard(mutex_);
            own.gone = work.rows;
            own.moved = own.moved || work.rows_done != 0;
            if (work.outrun.empty()) continue;
            outrun_ = std::exchange(work.outrun, {});
            return false;
        }
        return true;
    }

    walk_step step_;
    mutable std::mutex mutex_;
    std::mutex turn_;
    std::condition_variable changed_;
    stop_request stop_;
    std::uint64_t phase_ = 0;
    std::size_t busy_ = 0;
    std::size_t alive_ = 0;
    bool held_ = false;
    std::string outrun_;
    std::exception_ptr problem_;
    std::unique_ptr<row_pool> pool_;
    std::vector<frame> base_;
    std::vector<std::unique_ptr<lane>> lanes_;
};

}  // namespace winnow::inline v0::detail
