// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "winnow/core/error.hpp"
#include "winnow/store/postgres_options.hpp"
#include "winnow/store/sqlite_options.hpp"
#include "winnow/store/url.hpp"

namespace {

TEST(url, comes_apart) {
    const winnow::database_url url = winnow::parse_url("SQLite:/a b/c.db?mode=ro&x=a%20b&&empty&mode=rw");
    EXPECT_EQ(url.scheme, "sqlite");
    EXPECT_EQ(url.rest, "/a b/c.db");
    EXPECT_EQ(url.option("x"), "a b");
    EXPECT_EQ(url.option("empty"), "");
    EXPECT_EQ(url.option("mode"), "rw") << "the last one counts";
    EXPECT_FALSE(url.option("none").has_value());
}

TEST(url, needs_a_scheme) {
    EXPECT_THROW((void)winnow::parse_url("file.db"), winnow::error);
    EXPECT_THROW((void)winnow::parse_url(":memory:"), winnow::error);
    EXPECT_THROW((void)winnow::parse_url(""), winnow::error);
}

TEST(url, passwords_never_show) {
    const auto hidden = [](const std::string& url) {
        return winnow::redacted(url).find("secret") == std::string::npos;
    };
    EXPECT_EQ(winnow::redacted("postgresql://me:secret@host/db"), "postgresql://me:***@host/db");
    EXPECT_EQ(winnow::redacted("postgresql://host/db?password=secret&sslmode=require"),
              "postgresql://host/db?password=***&sslmode=require");
    EXPECT_TRUE(hidden("postgresql://me:se@cret:secret@host/db"));
    EXPECT_TRUE(hidden("postgresql://me:sec?ret/secret@host/db"));
    EXPECT_TRUE(hidden("postgresql://host/db?user=a&password=secret"));
    EXPECT_EQ(winnow::redacted("postgresql://host:5432/db"), "postgresql://host:5432/db");
    EXPECT_EQ(winnow::redacted("postgresql://me@/db?host=/tmp"), "postgresql://me@/db?host=/tmp");
    EXPECT_EQ(winnow::redacted("sqlite:a.db?mode=ro"), "sqlite:a.db?mode=ro");
}

TEST(url, sqlite_options_are_read_or_refused) {
    const winnow::sqlite_options options =
        winnow::parse_sqlite_url("sqlite:/x.db?mode=rwc&busy_timeout=50&immutable=1");
    EXPECT_EQ(options.path, "/x.db");
    EXPECT_EQ(options.mode, winnow::sqlite_mode::create);
    EXPECT_EQ(options.busy_timeout.count(), 50);
    EXPECT_TRUE(options.immutable);
    EXPECT_EQ(winnow::parse_sqlite_url("sqlite:x").mode, winnow::sqlite_mode::read_write);
    EXPECT_EQ(winnow::parse_sqlite_url("sqlite::memory:").path, ":memory:");
    for (const char* wrong : {"sqlite:", "sqlite:x?mode=write", "sqlite:x?busy_timeout=soon",
                              "sqlite:x?busy_timeout=-1", "sqlite:x?colour=red"}) {
        EXPECT_THROW((void)winnow::parse_sqlite_url(wrong), winnow::error) << wrong;
    }
}

TEST(url, a_server_needs_two_slashes) {
    EXPECT_EQ(winnow::parse_postgres_url("postgresql://host/db").url, "postgresql://host/db");
    try {
        (void)winnow::parse_postgres_url("postgresql:me:secret@host/db");
        FAIL() << "it was taken";
    } catch (const winnow::error& problem) {
        EXPECT_EQ(problem.kind(), winnow::failure::configuration);
        EXPECT_EQ(std::string(problem.what()).find("secret"), std::string::npos) << problem.what();
    }
}

TEST(url, connections_get_what_the_user_left_out) {
    const std::string url = winnow::with_connection_defaults("postgresql://host/db");
    EXPECT_NE(url.find("/db?application_name=winnow&"), std::string::npos) << url;
    EXPECT_NE(url.find("&keepalives_idle="), std::string::npos);
    const std::string kept =
        winnow::with_connection_defaults("postgresql://host/db?application_name=mine&keepalives=0");
    EXPECT_NE(kept.find("application_name=mine"), std::string::npos);
    EXPECT_EQ(kept.find("application_name=winnow"), std::string::npos);
    EXPECT_EQ(kept.find("keepalives=1"), std::string::npos);
    EXPECT_NE(winnow::with_connection_defaults("postgresql://host/db?").find("/db?application_name"),
              std::string::npos);
}

}  // namespace
