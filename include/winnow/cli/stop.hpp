// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <sys/select.h>
#include <unistd.h>

#include "winnow/cli/output.hpp"
#include "winnow/context/stop.hpp"

namespace winnow::inline v0::cli {

/// While it lives, SIGINT and SIGTERM ask the work to stop at its next edge instead of ending the process. The process
/// is gone two seconds later whatever still runs, and at once when it is told again; leases of what it could not put down
/// run out by themselves. What was asked stays asked, for all that comes later in the process.
class stop_on_signal {
public:
    /// @param at_once called when it is asked; may be empty
    /// @param late    called when something still runs half a second later, as to end its statement; may be
    ///                empty. Both from a thread of their own.
    explicit stop_on_signal(std::function<void()> at_once = {}, std::function<void()> late = {})
        : at_once_(std::move(at_once)), late_(std::move(late)) {
        if (::pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0)
            throw std::system_error(errno, std::generic_category(), "pipe");
        shared().to.store(pipe_[1]);
        watch_ = std::thread([this] { watch(); });
        struct sigaction how{};
        how.sa_handler = on_signal;
        sigemptyset(&how.sa_mask);
        (void)::sigaction(SIGINT, &how, &before_interrupt_);
        (void)::sigaction(SIGTERM, &how, &before_terminate_);
    }
    stop_on_signal(const stop_on_signal&) = delete;
    stop_on_signal& operator=(const stop_on_signal&) = delete;
    ~stop_on_signal() {
        (void)::sigaction(SIGINT, &before_interrupt_, nullptr);
        (void)::sigaction(SIGTERM, &before_terminate_, nullptr);
        shared().to.store(-1);
        const char end = 'e';
        (void)!::write(pipe_[1], &end, 1);
        watch_.join();
        (void)::close(pipe_[0]);
        (void)::close(pipe_[1]);
    }

    [[nodiscard]] static const stop_request& request() noexcept { return shared().stop; }
    [[nodiscard]] static bool asked() noexcept { return shared().stop.asked(); }
    /// What the process ends with: 130 or 143, as if the signal had ended it, or `otherwise` when there was none.
    [[nodiscard]] static int exit_code(int otherwise) noexcept {
        return asked() ? 128 + shared().signal.load() : otherwise;
    }

private:
    struct state {
        stop_request stop;
        std::atomic<int> signal{0};
        std::atomic<int> to{-1};
    };
    /// Of the process, as signals are.
    [[nodiscard]] static state& shared() noexcept {
        static state one;
        return one;
    }

    static void on_signal(int signal) {
        const int kept = errno;
        state& all = shared();
        if (all.stop.asked()) ::_exit(128 + signal);
        all.signal.store(signal);
        all.stop.ask();
        const char told = 's';
        if (const int to = all.to.load(); to >= 0) (void)!::write(to, &told, 1);
        errno = kept;
    }

    /// Waits for a byte. @return it, or 0 when none came in time
    [[nodiscard]] char next(const std::chrono::milliseconds* at_most) const {
        for (;;) {
            fd_set some;
            FD_ZERO(&some);
            FD_SET(pipe_[0], &some);
            timeval span{};
            if (at_most != nullptr) span = {at_most->count() / 1000, (at_most->count() % 1000) * 1000};
            const int found = ::select(pipe_[0] + 1, &some, nullptr, nullptr, at_most == nullptr ? nullptr : &span);
            if (found == 0) return 0;
            char told = 0;
            if (found > 0 && ::read(pipe_[0], &told, 1) == 1) return told;
        }
    }
    void watch() const {
        if (next(nullptr) == 'e') return;
        if (at_once_) at_once_();
        constexpr std::chrono::milliseconds to_late{500};
        constexpr std::chrono::milliseconds to_end{1'350};
        if (next(&to_late) == 'e') return;
        if (late_) late_();
        if (next(&to_end) == 'e') return;
        write_to(stderr, "winnow: something still runs and is left; its lease runs out by itself\n");
        ::_exit(exit_code(1));
    }

    std::function<void()> at_once_;
    std::function<void()> late_;
    int pipe_[2] = {-1, -1};
    struct sigaction before_interrupt_{};
    struct sigaction before_terminate_{};
    std::thread watch_;
};

}  // namespace winnow::inline v0::cli
