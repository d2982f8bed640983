// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/open.hpp"

namespace winnow::inline v0 {

class connection_pool;

/// A connection lent by a pool: given back when the lease ends, with any open transaction rolled back.
/// Must not outlive its pool.
class connection_lease {
public:
    connection_lease(connection_lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), held_(std::move(other.held_)) {}
    connection_lease& operator=(connection_lease&& other) noexcept {
        if (this != &other) {
            give_back();
            pool_ = std::exchange(other.pool_, nullptr);
            held_ = std::move(other.held_);
        }
        return *this;
    }
    ~connection_lease() { give_back(); }

    [[nodiscard]] connection& operator*() const noexcept { return *held_; }
    [[nodiscard]] connection* operator->() const noexcept { return held_.get(); }

    /// Ends the lease early.
    inline void give_back() noexcept;

private:
    friend class connection_pool;
    connection_lease(connection_pool& pool, connection_ptr held) noexcept : pool_(&pool), held_(std::move(held)) {}

    connection_pool* pool_;
    connection_ptr held_;
};

/// A bounded number of connections to one database, shared by threads.
///
/// Connections are opened when they are first needed. One that was lost is not lent again: a new one takes
/// its place, opened through the same connector and so with the same checks.
class connection_pool {
public:
    /// \param source     opens the connections
    /// \param at_most    how many may be open at once; at least 1
    explicit connection_pool(connector_ptr source, std::size_t at_most = 4)
        : source_(std::move(source)), at_most_(std::max<std::size_t>(at_most, 1)) {
        idle_.reserve(at_most_);
    }
    connection_pool(const connection_pool&) = delete;
    connection_pool& operator=(const connection_pool&) = delete;
    ~connection_pool() = default;

    [[nodiscard]] dialect kind() const noexcept { return source_->kind(); }
    [[nodiscard]] std::string description() const { return source_->description(); }
    [[nodiscard]] std::size_t capacity() const noexcept { return at_most_; }

    /// Lends a connection; waits while all are lent.
    /// \param patience  how long to wait
    /// \throws error(failure::connection), which may be retried, when none came back in time or a new one
    ///         cannot be opened.
    [[nodiscard]] connection_lease acquire(std::chrono::milliseconds patience = std::chrono::seconds{30}) {
        std::unique_lock guard(mutex_);
        if (!returned_.wait_for(guard, patience, [&] { return lent_ < at_most_; })) {
            throw error(failure::connection,
                        description() + ": all " + std::to_string(at_most_) + " connections are in use")
                .with_retry(true)
                .with_hint("Allow more connections, or fewer deletions at once.");
        }
        ++lent_;
        while (!idle_.empty()) {
            connection_ptr candidate = std::move(idle_.back());
            idle_.pop_back();
            if (candidate->usable()) return {*this, std::move(candidate)};
        }
        guard.unlock();  // opening may take seconds; nobody waits for it
        try {
            return {*this, source_->open()};
        } catch (...) {
            guard.lock();
            --lent_;
            returned_.notify_one();
            throw;
        }
    }

    /// How many connections are lent at this moment.
    [[nodiscard]] std::size_t lent() const {
        const std::lock_guard guard(mutex_);
        return lent_;
    }

    /// Closes the connections that nobody uses.
    void close_idle() {
        std::vector<connection_ptr> closing;
        const std::lock_guard guard(mutex_);
        closing.swap(idle_);
        idle_.reserve(at_most_);
    }

private:
    friend class connection_lease;

    void take_back(connection_ptr returned) noexcept {
        if (returned->in_transaction()) returned->rollback();
        const std::lock_guard guard(mutex_);
        --lent_;
        if (returned->usable()) idle_.push_back(std::move(returned));
        returned_.notify_one();
    }

    connector_ptr source_;
    std::size_t at_most_;
    mutable std::mutex mutex_;
    std::condition_variable returned_;
    std::vector<connection_ptr> idle_;
    std::size_t lent_ = 0;
};

inline void connection_lease::give_back() noexcept {
    if (pool_ != nullptr) std::exchange(pool_, nullptr)->take_back(std::move(held_));
}

}  // namespace winnow::inline v0
