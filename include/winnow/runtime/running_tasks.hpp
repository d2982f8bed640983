// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "winnow/runtime/broker.hpp"
#include "winnow/store/connection.hpp"

namespace winnow::inline v0 {

/// What the threads of a worker are at, for the one that says that they live and for the one that stops them.
class running_tasks {
public:
    struct entry {
        std::optional<taken_task> taken;  ///< nothing: taken from the database itself
        connection* session = nullptr;    ///< whose statement may be ended to stop it; null: none
    };

    /// Registers a task while the object lives.
    class mark {
    public:
        mark(running_tasks& all, std::optional<taken_task> taken) : all_(all) {
            const std::lock_guard guard(all_.mutex_);
            at_ = all_.entries_.insert(all_.entries_.end(), entry{std::move(taken), nullptr});
        }
        mark(const mark&) = delete;
        mark& operator=(const mark&) = delete;
        ~mark() {
            const std::lock_guard guard(all_.mutex_);
            all_.entries_.erase(at_);
        }

    private:
        friend class running_tasks;
        running_tasks& all_;
        std::list<entry>::iterator at_;
    };
    /// Lets a session be interrupted while the object lives.
    class interruptible {
    public:
        interruptible(mark& of, connection& session) : of_(of) { set(&session); }
        interruptible(const interruptible&) = delete;
        interruptible& operator=(const interruptible&) = delete;
        ~interruptible() { set(nullptr); }

    private:
        void set(connection* session) {
            const std::lock_guard guard(of_.all_.mutex_);
            of_.at_->session = session;
        }
        mark& of_;
    };

    [[nodiscard]] std::vector<taken_task> taken() const {
        const std::lock_guard guard(mutex_);
        std::vector<taken_task> all;
        for (const entry& one : entries_)
            if (one.taken) all.push_back(*one.taken);
        return all;
    }
    [[nodiscard]] std::size_t count() const {
        const std::lock_guard guard(mutex_);
        return entries_.size();
    }
    /// Ends the statements that run in interruptible sessions.
    void interrupt() {
        const std::lock_guard guard(mutex_);
        for (const entry& one : entries_)
            if (one.session != nullptr) one.session->interrupt();
    }

private:
    mutable std::mutex mutex_;
    std::list<entry> entries_;
};

}  // namespace winnow::inline v0
