// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/databases.hpp"

namespace winnow_test {

/// A PostgreSQL server of its own, for a test that brings one down; stopped when the object goes. Not to be started
/// while a database of this process is open.
class private_postgres {
public:
    private_postgres() {
        const char* support = std::getenv("WINNOW_TEST_SUPPORT");
        if (support == nullptr)
            throw std::runtime_error(
                "WINNOW_TEST_SUPPORT is not set; run the tests through tests/support/with_postgres");
        const std::string script = std::string(support) + "/with_postgres";
        int input[2];
        int output[2];
        if (::pipe(input) != 0 || ::pipe(output) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
        id_ = ::fork();
        if (id_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
        if (id_ == 0) {
            // Not 0: what a shell runs in the background may find nothing there.
            const int kept = ::fcntl(input[0], F_DUPFD, 20);
            ::dup2(output[1], 1);
            for (const int each : {input[0], input[1], output[0], output[1]}) ::close(each);
            ::dup2(kept, 3);
            ::close(kept);
            ::unsetenv("WINNOW_TEST_POSTGRES");
            ::execl(script.c_str(), script.c_str(), "sh", "-c", "echo \"$WINNOW_TEST_POSTGRES\"; exec cat <&3",
                    nullptr);
            ::_exit(127);
        }
        ::close(input[0]);
        ::close(output[1]);
        input_ = input[1];
        char c = 0;
        while (::read(output[0], &c, 1) == 1 && c != '\n') url_ += c;
        ::close(output[0]);
        if (url_.empty()) throw std::runtime_error(script + " did not start a server");
    }
    private_postgres(const private_postgres&) = delete;
    private_postgres& operator=(const private_postgres&) = delete;
    ~private_postgres() {
        ::close(input_);
        int status = 0;
        while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {}
    }

    [[nodiscard]] winnow::connection_ptr open() const { return winnow::open_connector(url_, drivers)->open(); }

private:
    std::string url_;
    pid_t id_ = 0;
    int input_ = -1;
};

}  // namespace winnow_test
