// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <gtest/gtest.h>
#include <unistd.h>

#include "winnow/core/dialect.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/open.hpp"
#include "winnow/store/postgres.hpp"
#include "winnow/store/sqlite.hpp"

namespace winnow_test {

using winnow::dialect;

/// Drivers of both databases, for `open_connector`.
inline constexpr std::array<winnow::driver, 2> drivers{winnow::sqlite_driver, winnow::postgres_driver};

/// An empty database of its own, gone when the object goes.
class fresh_database {
public:
    virtual ~fresh_database() = default;
    fresh_database(const fresh_database&) = delete;
    fresh_database& operator=(const fresh_database&) = delete;

    [[nodiscard]] dialect kind() const { return kind_; }
    [[nodiscard]] const std::string& url() const { return url_; }
    [[nodiscard]] winnow::connector_ptr connector() const { return winnow::open_connector(url_, drivers); }
    [[nodiscard]] winnow::connection_ptr open() const { return connector()->open(); }
    /// Runs statements on a connection of their own.
    void run(std::string_view script) const { open()->execute_script(script); }
    /// Runs the statements of this database's dialect.
    void run(const winnow::dialect_text& script) const { run(script[kind_]); }
    /// One number, read on a connection of its own.
    [[nodiscard]] std::int64_t number(std::string_view query) const {
        return open()->execute_once(query, {}).integer(0, 0);
    }

protected:
    fresh_database(dialect kind, std::string url) : kind_(kind), url_(std::move(url)) {}

    dialect kind_;
    std::string url_;
};

/// A name that no other test of any process uses at the moment.
[[nodiscard]] inline std::string unused_name() {
    static thread_local std::mt19937_64 random{std::random_device{}()};
    return "winnow_" + std::to_string(::getpid()) + "_" + std::to_string(random() % 1'000'000'000'000);
}

class fresh_sqlite final : public fresh_database {
public:
    fresh_sqlite() : fresh_sqlite(std::filesystem::temp_directory_path() / unused_name()) {}
    ~fresh_sqlite() override {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    [[nodiscard]] std::filesystem::path file() const { return folder_ / "test.db"; }

private:
    explicit fresh_sqlite(const std::filesystem::path& folder)
        : fresh_database(dialect::sqlite, "sqlite:" + (folder / "test.db").string() + "?mode=rwc"), folder_(folder) {
        std::filesystem::create_directory(folder);
    }

    std::filesystem::path folder_;
};

/// A database on the server that WINNOW_TEST_POSTGRES names. A test fails without it; it is never skipped.
class fresh_postgres final : public fresh_database {
public:
    fresh_postgres() : fresh_postgres(unused_name()) {}
    ~fresh_postgres() override {
        try {
            server()->execute_script("DROP DATABASE IF EXISTS " + name_ + " WITH (FORCE)");
        } catch (const std::exception& problem) {
            ADD_FAILURE() << "cannot drop the test's database: " << problem.what();
        }
    }
    [[nodiscard]] const std::string& name() const { return name_; }
    /// The URL for another role, or with more options: `user` replaces the one of the server's URL.
    [[nodiscard]] std::string url_as(const std::string& user) const { return url_ + "&user=" + user; }

private:
    explicit fresh_postgres(const std::string& name) : fresh_database(dialect::postgres, url_of(name)), name_(name) {
        server()->execute_script("CREATE DATABASE " + name);
    }
    [[nodiscard]] static std::string server_url() {
        const char* url = std::getenv("WINNOW_TEST_POSTGRES");
        if (url == nullptr || *url == '\0') {
            throw std::runtime_error(
                "WINNOW_TEST_POSTGRES is not set; run the tests through tests/support/with_postgres");
        }
        return url;
    }
    [[nodiscard]] static winnow::connection_ptr server() {
        return winnow::open_connector(server_url(), drivers)->open();
    }
    [[nodiscard]] static std::string url_of(const std::string& name) {
        const std::string url = server_url();
        return url + (url.find('?') == std::string::npos ? "?" : "&") + "dbname=" + name;
    }

    std::string name_;
};

[[nodiscard]] inline std::unique_ptr<fresh_database> make_database(dialect kind) {
    if (kind == dialect::sqlite) return std::make_unique<fresh_sqlite>();
    return std::make_unique<fresh_postgres>();
}

/// Values of a test that runs on both databases:
/// `INSTANTIATE_TEST_SUITE_P(databases, my_test, all_databases(), name_of_database);`
[[nodiscard]] inline auto all_databases() { return testing::Values(dialect::sqlite, dialect::postgres); }

[[nodiscard]] inline std::string name_of_database(const testing::TestParamInfo<dialect>& info) {
    return std::string(winnow::name_of(info.param));
}

/// A test that gets an empty database of the kind it is instantiated with.
class on_every_database : public testing::TestWithParam<dialect> {
protected:
    void SetUp() override { database_ = make_database(GetParam()); }
    [[nodiscard]] fresh_database& database() const { return *database_; }

private:
    std::unique_ptr<fresh_database> database_;
};

/// A set of one-column keys.
[[nodiscard]] inline winnow::key_set keys(std::initializer_list<winnow::value> values) {
    winnow::key_set out(1);
    for (const winnow::value& each : values) out.push_back({&each, 1});
    return out;
}

/// Runs `work` and hands back the error that it throws; the test fails when it throws none.
template <class Work> [[nodiscard]] winnow::error error_of(Work&& work) {
    try {
        work();
    } catch (const winnow::error& problem) {
        return problem;
    }
    ADD_FAILURE() << "no error was thrown";
    return winnow::error(winnow::failure::usage, "no error was thrown");
}

}  // namespace winnow_test
