// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace winnow::inline v0 {

/// Ends a session whose server says nothing for too long.
///
/// A client library waits for an answer without any end. Keepalives notice a machine or a network that is gone, and not a
/// server that was stopped, or something between that swallows answers while its kernel acknowledges every byte. So a
/// thread of the session's own shuts the socket down when an answer is overdue; the library then sees the end of the
/// connection. A statement costs two looks at a clock.
class silence_watch {
public:
    using time = std::chrono::steady_clock;

    /// @param socket of the session; a second descriptor of it is kept, so that none is shut down that is another's now
    /// @param most   longest silence that is a thing of the session's own; wakes up so many times less often
    silence_watch(int socket, std::chrono::milliseconds most)
        : socket_(::fcntl(socket, F_DUPFD_CLOEXEC, 0)), nap_(most / 8 + std::chrono::milliseconds(1)) {
        if (socket_ >= 0) thread_ = std::thread([this] { run(); });
    }
    silence_watch(const silence_watch&) = delete;
    silence_watch& operator=(const silence_watch&) = delete;
    ~silence_watch() {
        if (socket_ < 0) return;
        {
            const std::lock_guard guard(mutex_);
            stop_ = true;
        }
        stopped_.notify_one();
        thread_.join();
        ::close(socket_);
    }

    /// A statement goes out; its answer is due within `bound`.
    void begin(std::chrono::milliseconds bound) noexcept { due_.store(moment(time::now() + bound)); }
    /// The answer came, or an error. @return whether the session was ended for its silence
    [[nodiscard]] bool end() noexcept { return due_.exchange(idle) == cut; }

private:
    static constexpr std::int64_t idle = 0;
    static constexpr std::int64_t cut = -1;

    [[nodiscard]] static std::int64_t moment(time::time_point at) noexcept {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
    }
    void run() {
        std::unique_lock guard(mutex_);
        while (!stopped_.wait_for(guard, nap_, [this] { return stop_; })) {
            std::int64_t due = due_.load();
            if (due <= idle || moment(time::now()) < due) continue;
            // Whoever gets the moment first: an answer that came just now is no silence.
            if (due_.compare_exchange_strong(due, cut)) ::shutdown(socket_, SHUT_RDWR);
        }
    }

    const int socket_;
    const time::duration nap_;
    std::atomic<std::int64_t> due_{idle};
    std::mutex mutex_;
    std::condition_variable stopped_;
    bool stop_ = false;
    std::thread thread_;
};

/// How long one session waits for answers, and whether that was in vain.
class answer_bound {
public:
    /// @param most longest silence; zero: no bound, and nothing is watched
    void watch(int socket, std::chrono::milliseconds most) {
        most_ = most;
        if (most.count() > 0) watch_ = std::make_unique<silence_watch>(socket, most);
    }
    /// The time-out that the server itself has for the statements that follow; zero: none.
    void expect(std::chrono::milliseconds statement_timeout) noexcept { statement_timeout_ = statement_timeout; }

    void begin() noexcept {
        if (watch_) watch_->begin(patience());
    }
    /// @return whether the session was given up, now or before
    [[nodiscard]] bool end() noexcept {
        if (watch_ && watch_->end()) broken_ = true;
        return broken_;
    }
    [[nodiscard]] bool broken() const noexcept { return broken_; }
    /// What happened, for people.
    [[nodiscard]] std::string text() const {
        return "the server said nothing for more than " + std::to_string((patience().count() + 999) / 1'000) +
               " s, and the session was given up";
    }
    /// What to do about a session that is lost.
    [[nodiscard]] std::string_view hint() const noexcept {
        return broken_
                   ? "Look whether the server was stopped. If a statement may take longer, put answer_timeout=SECONDS "
                     "into the URL."
                   : "The transaction is rolled back by the server; open a new connection.";
    }
    /// The session is lost; nothing of it may stay open.
    void forget() noexcept { watch_.reset(); }

private:
    [[nodiscard]] std::chrono::milliseconds patience() const noexcept {
        constexpr std::chrono::milliseconds grace{10'000};
        return statement_timeout_.count() > 0 ? statement_timeout_ + std::min(grace, most_) : most_;
    }

    std::unique_ptr<silence_watch> watch_;
    std::chrono::milliseconds most_{0};
    std::chrono::milliseconds statement_timeout_{0};
    bool broken_ = false;
};

}  // namespace winnow::inline v0
