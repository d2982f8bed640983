// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "winnow/store/open.hpp"
#include "winnow/store/postgres.hpp"
#include "winnow/store/sqlite.hpp"

[[nodiscard]] inline winnow::connection_ptr open_database(std::string_view url) {
    static constexpr std::array drivers = {winnow::sqlite_driver, winnow::postgres_driver};
    return winnow::open_connector(url, drivers)->open();
}

/// An empty database of its own for one test, gone afterwards.
class scratch_database {
public:
    /// `server` is the URL of a PostgreSQL server; empty: a SQLite file.
    explicit scratch_database(std::string_view name, const std::string& server = {}) : server_(server) {
        const std::string own = "winnow_" + std::string(name) + "_" + std::to_string(::getpid());
        folder_ = std::filesystem::temp_directory_path() / own;
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
        if (server_.empty()) {
            url_ = "sqlite:" + (folder_ / "data.db").string();
            (void)open_database(url_ + "?mode=rwc");
            return;
        }
        database_ = own;
        open_database(server_)->execute_script("CREATE DATABASE " + own + ";");
        // scheme://authority/DATABASE?options
        const std::size_t slash = server_.find('/', server_.find("://") + 3);
        const std::size_t end = server_.find('?', slash);
        url_ = server_.substr(0, slash + 1) + own + (end == std::string::npos ? "" : server_.substr(end));
    }
    scratch_database(const scratch_database&) = delete;
    scratch_database& operator=(const scratch_database&) = delete;
    ~scratch_database() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
        if (database_.empty()) return;
        try {
            open_database(server_)->execute_script("DROP DATABASE " + database_ + " WITH (FORCE);");
        } catch (const winnow::error&) {  // The server goes with the test run.
        }
    }

    [[nodiscard]] const std::string& url() const { return url_; }
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    [[nodiscard]] winnow::connection_ptr open() const { return open_database(url_); }

private:
    std::string server_;
    std::string database_;
    std::string url_;
    std::filesystem::path folder_;
};
