// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "winnow/store/cursor.hpp"
#include "winnow/store/redis_options.hpp"

namespace {

using testing::HasSubstr;
using testing::Not;
using winnow::parse_redis_url;

TEST(redis_url, in_its_parts) {
    const winnow::redis_options all = parse_redis_url("redis://me:s%40cret@example.org:7000/5");
    EXPECT_EQ(all.host, "example.org");
    EXPECT_EQ(all.port, 7000);
    EXPECT_EQ(all.database, 5);
    EXPECT_EQ(all.user, "me");
    EXPECT_EQ(all.password, "s@cret");
    EXPECT_FALSE(all.tls);
    const winnow::redis_options few = parse_redis_url("rediss://:pw@localhost?cafile=/etc/ca.pem");
    EXPECT_EQ(few.host, "localhost");
    EXPECT_EQ(few.port, 6379);
    EXPECT_EQ(few.user, "");
    EXPECT_EQ(few.password, "pw");
    EXPECT_EQ(few.certificates, "/etc/ca.pem");
    EXPECT_TRUE(few.tls);
    EXPECT_EQ(parse_redis_url("redis://[::1]:7/").host, "::1");
    EXPECT_EQ(parse_redis_url("redis://[::1]:7/").port, 7);
    const winnow::redis_options socket = parse_redis_url("unix:///run/redis.sock?db=2&password=x");
    EXPECT_EQ(socket.socket, "/run/redis.sock");
    EXPECT_EQ(socket.host, "");
    EXPECT_EQ(socket.database, 2);
    EXPECT_EQ(socket.password, "x");
    EXPECT_EQ(parse_redis_url("unix:/run/redis.sock").socket, "/run/redis.sock");
    EXPECT_EQ(parse_redis_url("unix://:pw@/run/redis.sock").password, "pw");
}

TEST(redis_url, refuses_what_it_cannot_read_without_the_password) {
    for (const char* url : {"redis://:hunter2@host:port", "redis://:hunter2@host:70000", "redis://:hunter2@host/x",
                            "redis:hunter2@host", "redis://:hunter2@", "http://:hunter2@host",
                            "redis://:hunter2@host?pasword=x", "unix:?password=hunter2", "redis://:hunter2@[::1"}) {
        SCOPED_TRACE(url);
        try {
            (void)parse_redis_url(url);
            ADD_FAILURE() << "it was taken";
        } catch (const winnow::error& problem) {
            EXPECT_EQ(problem.kind(), winnow::failure::configuration);
            EXPECT_THAT(problem.what(), Not(HasSubstr("hunter2")));
            EXPECT_THAT(problem.hint(), HasSubstr("redis://"));
        }
    }
}

TEST(cursor, is_spelled_and_read_as_the_reference_does) {
    EXPECT_EQ(winnow::cursor_key("sentry_organization"), "outbox_backfill.sentry_organization");
    EXPECT_EQ(winnow::cursor_text({}), "[0, 1]");
    EXPECT_EQ(winnow::cursor_text({10'001, 0}), "[0, 10001]");
    EXPECT_EQ(winnow::parse_cursor("[7, 2]"), (winnow::cursor_position{2, 7}));
    EXPECT_EQ(winnow::parse_cursor(" [ -7,2 ] "), (winnow::cursor_position{2, -7}));
    for (const char* text : {"", "[", "[]", "[1]", "[1,]", "[1, 2", "[1, 2] x", "[1, 2, 3]", "[1.0, 2]", "null", "7"})
        EXPECT_EQ(winnow::parse_cursor(text), std::nullopt) << text;
    EXPECT_LT((winnow::cursor_position{2, 900}), (winnow::cursor_position{3, 0}));
}

}  // namespace
