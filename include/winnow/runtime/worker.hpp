// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "winnow/runtime/broker.hpp"
#include "winnow/runtime/outages.hpp"
#include "winnow/runtime/readiness.hpp"
#include "winnow/runtime/running_tasks.hpp"
#include "winnow/runtime/scheduler.hpp"
#include "winnow/runtime/task_runner.hpp"
#include "winnow/runtime/wakeup.hpp"
#include "winnow/runtime/worker_lane.hpp"
#include "winnow/runtime/worker_site.hpp"

namespace winnow::inline v0 {

/// Does what is due, by itself and for as long as it is wanted: threads that take tasks from brokers, one that hands
/// out tasks where this process is the leader, and one that says that the others live.
///
/// What is to be done is in the databases. A broker that is away or was emptied loses nothing: tasks are handed over again,
/// and while it is away each thread takes what is due from the database itself. A database that is away is tried again
/// with growing pauses; work at other sites goes on.
class worker {
public:
    /// @param threads that do tasks; at least 1
    worker(worker_parts parts, int threads)
        : parts_(std::move(parts)), threads_(std::max(threads, 1)), trouble_(parts_.watch) {}

    /// Works until it is told to stop by `worker_parts::stop`. Then every deletion is put down at its next edge, its lease
    /// given back; after half a second, statements that still run are ended.
    void run() {
        std::vector<std::thread> all;
        all.emplace_back([this] { repeat("schedule", [this] { schedule(); }); });
        all.emplace_back([this] { repeat("keep", [this] { keep(); }); });
        for (int number = 1; number <= threads_; ++number)
            all.emplace_back([this, number] {
                const std::string name = "work-" + std::to_string(number);
                repeat(name, [this, name] { work(name); });
            });
        parts_.watch.log(log_level::info, "worker started",
                         {{"worker", parts_.owner}, {"threads", std::to_string(threads_)}});
        while (!parts_.stop.asked()) (void)changed_.wait(changed_.now(), look_for_stop);
        parts_.watch.log(log_level::info, "worker stops", {{"tasks", std::to_string(running_.count())}});
        changed_.notify();
        // Not too often: what is interrupted has to write down that it was.
        auto next = std::chrono::steady_clock::now() + grace;
        while (ended_.load() != all.size()) {
            (void)changed_.wait(changed_.now(), std::chrono::milliseconds(50));
            if (std::chrono::steady_clock::now() < next) continue;
            running_.interrupt();
            next += std::chrono::milliseconds(300);
        }
        for (std::thread& one : all) one.join();
        parts_.watch.log(log_level::info, "worker stopped", {{"worker", parts_.owner}});
    }

    /// One round in this thread: every job once, and what is due until nothing is.
    void run_once() {
        worker_lane lane(parts_, trouble_, "once");
        task_runner runner(parts_, lane, running_);
        scheduler due(parts_, lane);
        for (std::size_t site = 0; site < parts_.sites.size(); ++site)
            for (const silo where : parts_.sites[site].silos())
                for (const periodic_job& job : periodic_jobs)
                    if (job.runs_in(where)) (void)lane.push(runner.task_of(site, where, job.name, "now"));
        for (bool looked = false; !parts_.stop.asked();) {
            if (const std::optional<taken_task> taken = take(lane, std::chrono::milliseconds(0))) {
                runner.run(*taken);
                looked = false;
                continue;
            }
            if (looked) return;
            due.tick(true);
            looked = true;
        }
    }

    /// Whether everything that it works with can be reached. From any thread.
    [[nodiscard]] readiness ready() const {
        if (parts_.models.size() == 0) return {false, "No model is loaded."};
        if (parts_.stop.asked()) return {false, "The worker stops."};
        const std::string why = trouble_.why();
        return {why.empty() && looked_.load(), why.empty() && !looked_.load() ? "The worker starts." : why};
    }
    /// How many tasks are being done.
    [[nodiscard]] std::size_t running() const { return running_.count(); }
    /// Wakes all that wait, so that they see at once that it is to stop.
    void nudge() noexcept { changed_.notify(); }

private:
    static constexpr std::chrono::milliseconds look_for_stop{250};
    static constexpr std::chrono::milliseconds longest_wait{500};
    static constexpr std::chrono::milliseconds between_ticks{1'000};
    static constexpr std::chrono::milliseconds grace{500};

    /// A thread: never ends by an error.
    template <class Work>
    void repeat(const std::string& name, const Work& work) {
#ifdef __linux__
        (void)::prctl(PR_SET_NAME, ("winnow-" + name).substr(0, 15).c_str(), 0, 0, 0);
#endif
        while (!parts_.stop.asked()) {
            try {
                work();
            } catch (const std::exception& problem) {
                parts_.watch.log(log_level::error, "a thread of the worker failed and begins again",
                                 {{"thread", name}, {"problem", problem.what()}});
                (void)changed_.wait(changed_.now(), between_ticks);
            }
        }
        ended_.fetch_add(1);
        changed_.notify();
    }

    void schedule() {
        worker_lane lane(parts_, trouble_, "schedule");
        scheduler due(parts_, lane);
        while (!parts_.stop.asked()) {
            const std::uint64_t seen = changed_.now();
            due.tick();
            looked_.store(true);
            (void)changed_.wait(seen, between_ticks);
        }
        due.resign_all();
    }

    /// Says of the tasks of this process that they are being done. What they do holds leases of its own in the database.
    void keep() {
        worker_lane lane(parts_, trouble_, "keep");
        const std::chrono::milliseconds pause(
            std::max<std::int64_t>(50, static_cast<std::int64_t>(parts_.task_seconds * 1000 / 3)));
        auto next = std::chrono::steady_clock::now() + pause;
        while (!parts_.stop.asked()) {
            (void)changed_.wait(changed_.now(), std::min(pause, longest_wait));
            if (std::chrono::steady_clock::now() < next) continue;
            next = std::chrono::steady_clock::now() + pause;
            for (const taken_task& one : running_.taken())
                (void)lane.guarded(std::string_view(one.queue), [&](broker& of) { return of.extend(one); });
        }
    }

    void work(const std::string& name) {
        worker_lane lane(parts_, trouble_, name);
        task_runner runner(parts_, lane, running_);
        while (!parts_.stop.asked()) {
            const std::uint64_t seen = changed_.now();
            const auto begun = std::chrono::steady_clock::now();
            if (const std::optional<taken_task> taken = take(lane, longest_wait)) {
                runner.run(*taken);
                continue;
            }
            bool any = false;
            for (std::size_t site = 0; site < parts_.sites.size() && !parts_.stop.asked(); ++site) {
                bool reached = true;
                for (const std::string& queue : parts_.sites[site].queues()) reached = reached && lane.can_push(queue);
                if (!reached) any = runner.run_directly(site) || any;
            }
            if (!any && std::chrono::steady_clock::now() - begun < longest_wait)
                (void)changed_.wait(seen, longest_wait);
        }
    }

    /// The next task of any broker. Waits only where there is a single one.
    [[nodiscard]] std::optional<taken_task> take(worker_lane& lane, std::chrono::milliseconds patience) {
        if (lane.brokers() > 1) patience = std::chrono::milliseconds(0);
        const std::size_t first = lane.random()() % std::max<std::size_t>(lane.brokers(), 1);
        for (std::size_t i = 0; i < lane.brokers(); ++i) {
            auto taken = lane.guarded((first + i) % lane.brokers(), [&](broker& from) { return from.take(patience); });
            if (taken && *taken) return std::move(*taken);
        }
        return std::nullopt;
    }

    worker_parts parts_;
    int threads_;
    outages trouble_;
    running_tasks running_;
    wakeup changed_;
    std::atomic<std::size_t> ended_{0};
    std::atomic<bool> looked_{false};
};

}  // namespace winnow::inline v0
