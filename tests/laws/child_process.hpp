// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>
#include <utility>

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace winnow_test {

/// A process of its own that does one piece of work and ends; killed at the latest with this object.
/// The parent must have no database open and no second thread when it starts one: neither survives a fork.
class child_process {
public:
    /// How the child ended.
    struct ending {
        bool killed = false;  ///< by SIGKILL, its own or ours
        int code = 0;         ///< of the exit; 0: the work ended without an exception
    };

    template <class Work>
    explicit child_process(Work&& work) {
        std::fflush(nullptr);
        id_ = ::fork();
        if (id_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
        if (id_ != 0) return;
        int code = 0;
        try {
            work();
        } catch (const std::exception& problem) {
            std::fprintf(stderr, "child process: %s\n", problem.what());
            code = 1;
        }
        ::_exit(code);
    }
    child_process(const child_process&) = delete;
    child_process& operator=(const child_process&) = delete;
    ~child_process() {
        if (id_ <= 0) return;
        ::kill(id_, SIGKILL);
        (void)wait();
    }

    void signal(int which) const { ::kill(id_, which); }
    void kill() const { signal(SIGKILL); }

    /// Waits until it has ended.
    ending wait() {
        const int status = wait_for(0);
        id_ = 0;
        if (WIFSIGNALED(status)) return {WTERMSIG(status) == SIGKILL, 128 + WTERMSIG(status)};
        return {false, WEXITSTATUS(status)};
    }
    /// Waits until it has stopped itself by SIGSTOP. @return false when it ended instead
    [[nodiscard]] bool wait_until_stopped() {
        const int status = wait_for(WUNTRACED);
        if (WIFSTOPPED(status)) return true;
        id_ = 0;
        return false;
    }

private:
    int wait_for(int flags) const {
        int status = 0;
        while (::waitpid(id_, &status, flags) < 0) {
            if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
        }
        return status;
    }

    pid_t id_ = 0;
};

}  // namespace winnow_test
