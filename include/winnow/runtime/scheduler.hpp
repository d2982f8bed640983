// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/core/error.hpp"
#include "winnow/runtime/due_deletions.hpp"
#include "winnow/runtime/job_state.hpp"
#include "winnow/runtime/jobs.hpp"
#include "winnow/runtime/leader.hpp"
#include "winnow/runtime/worker_lane.hpp"
#include "winnow/runtime/worker_site.hpp"

namespace winnow::inline v0 {

/// Hands due work to the brokers, at those sites where this process is the leader. In one thread.
class scheduler {
public:
    scheduler(const worker_parts& parts, worker_lane& lane) : parts_(parts), lane_(lane), sites_(parts.sites.size()) {}

    /// One look at every site. Never throws.
    /// @param alone nobody else is asked: for one round in one process
    void tick(bool alone = false) {
        for (std::size_t site = 0; site < sites_.size(); ++site) {
            if (parts_.stop.asked()) return;
            if (lane_.session(site) == nullptr) {
                sites_[site].leads = false;
                continue;
            }
            try {
                if (alone || leads(site)) look(site);
            } catch (const error& problem) {
                const site_session* open = lane_.session(site);
                if (open == nullptr || problem.kind() == failure::connection) lane_.lose(site, problem.what());
                else parts_.watch.log(log_level::error, "the scheduler failed", {{"problem", problem.what()}});
            }
        }
    }

    /// Lets others lead at once.
    void resign_all() {
        for (std::size_t site = 0; site < sites_.size(); ++site) {
            if (!std::exchange(sites_[site].leads, false) || lane_.session(site) == nullptr) continue;
            try {
                resign(*lane_.session(site)->database, parts_.owner);
            } catch (const error&) {
                // The lease runs out by itself.
            }
        }
    }

private:
    using moment = std::chrono::steady_clock::time_point;

    struct led_site {
        bool leads = false;
        moment next{};                         ///< when to ask for the lease again
        std::map<std::string, moment> handed;  ///< deletions that were handed over a moment ago
    };

    [[nodiscard]] bool leads(std::size_t site) {
        led_site& held = sites_[site];
        const moment now = std::chrono::steady_clock::now();
        if (now < held.next) return held.leads;
        connection& database = *lane_.session(site)->database;
        const context with = lane_.with(site, parts_.sites[site].silos().front());
        const auto lease =
            static_cast<double>(std::max<std::int64_t>(1, with.options().integer("worker.leader_seconds")));
        const bool before = held.leads;
        held.leads = lead(database, parts_.owner, lease);
        held.next = now + std::chrono::milliseconds(static_cast<std::int64_t>(lease * 1000 / (held.leads ? 3 : 5)));
        if (held.leads != before)
            parts_.watch.log(log_level::info,
                             held.leads ? "this process schedules now" : "another process schedules now",
                             {{"silo", parts_.sites[site].title()}, {"worker", parts_.owner}});
        return held.leads;
    }

    void look(std::size_t site) {
        for (const silo where : parts_.sites[site].silos()) {
            const context with = lane_.with(site, where);
            const auto settings = read_job_settings(with);
            for (const auto& [job, of] : due_jobs(with, settings, parts_.hand_over_again()))
                if (lane_.push(task_for(site, of, periodic_jobs[job].name, {})))
                    note_enqueued(with, periodic_jobs[job], of);
            if (settings[static_cast<std::size_t>(job_kind::run_scheduled_deletions)].enabled)
                hand_over_deletions(site, where, with);
        }
    }

    void hand_over_deletions(std::size_t site, silo where, const context& with) {
        constexpr std::int64_t most = 200;
        const std::vector<std::string> due = due_deletions(with, where, most);
        if (due.empty()) return;
        std::map<std::string, moment>& handed = sites_[site].handed;
        const moment now = std::chrono::steady_clock::now();
        // What was handed over is in a long queue still; in a short one it is not, whatever became of it.
        const auto stock = lane_.guarded(std::string_view(queue_of(where, parts_.sites[site].cell_name)),
                                         [](broker& of) { return of.statistics(); });
        if (!stock) return;
        const double again_after = stock->waiting <= 10 ? parts_.hand_over_again() : 600;
        const auto keep = std::chrono::milliseconds(static_cast<std::int64_t>(again_after * 1000));
        std::erase_if(handed, [&](const auto& one) { return now - one.second >= keep; });
        for (const std::string& guid : due) {
            if (handed.count(guid) != 0) continue;
            if (!lane_.push(task_for(site, where, run_deletion_task, guid))) return;
            handed[guid] = now;
        }
    }

    [[nodiscard]] task task_for(std::size_t site, silo where, std::string_view kind, std::string argument) const {
        return {std::string(kind),   where, where == silo::control ? std::string() : parts_.sites[site].cell_name,
                std::move(argument), 1,     0};
    }

    const worker_parts& parts_;
    worker_lane& lane_;
    std::vector<led_site> sites_;
};

}  // namespace winnow::inline v0
