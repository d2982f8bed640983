// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "support/databases.hpp"

namespace winnow_test {

/// A PostgreSQL and a Redis server of one test alone, which may break them.
class servers {
public:
    servers() { run("start"); }
    ~servers() {
        try {
            run("stop");
        } catch (const std::exception& problem) {
            ADD_FAILURE() << problem.what();
        }
    }
    servers(const servers&) = delete;
    servers& operator=(const servers&) = delete;

    void restart() const { run("restart"); }
    [[nodiscard]] std::string database() const { return "postgresql://postgres@/postgres?host=" + folder_.string(); }
    [[nodiscard]] std::string redis() const { return "unix:" + (folder_ / "redis.sock").string(); }
    [[nodiscard]] std::filesystem::path folder() const { return folder_; }

private:
    void run(const std::string& what) const {
        const char* support = std::getenv("WINNOW_TEST_SUPPORT");
        if (support == nullptr) throw std::runtime_error("run the tests through tests/support/with_postgres");
        const std::string line = std::string(support) + "/chaos_servers " + what + " " + folder_.string();
        if (std::system(line.c_str()) != 0) throw std::runtime_error(line + " failed");
    }
    std::filesystem::path folder_ = std::filesystem::temp_directory_path() / unused_name();
};

}  // namespace winnow_test
