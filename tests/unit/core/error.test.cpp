// SPDX-License-Identifier: Apache-2.0
#include "winnow/core/error.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

using winnow::availability_error;
using winnow::error;
using winnow::failure;

TEST(Error, StartsWithoutProperties) {
    const error e(failure::statement, "tracker.Event: the database said no");
    EXPECT_EQ(e.kind(), failure::statement);
    EXPECT_STREQ(e.what(), "tracker.Event: the database said no");
    EXPECT_FALSE(e.may_retry());
    EXPECT_FALSE(e.in_doubt());
    EXPECT_TRUE(e.model().empty());
    EXPECT_TRUE(e.hint().empty());
}

TEST(Error, KeepsEveryPropertyApart) {
    error e(failure::statement, "what");
    e.with_model("tracker.Event")
        .with_table("tracker_event")
        .with_constraint("event_project_fk")
        .with_statement("DELETE")
        .with_sqlstate("40P01")
        .with_retry(true)
        .with_doubt(true)
        .with_hint("try again");
    EXPECT_EQ(e.model(), "tracker.Event");
    EXPECT_EQ(e.table(), "tracker_event");
    EXPECT_EQ(e.constraint(), "event_project_fk");
    EXPECT_EQ(e.statement(), "DELETE");
    EXPECT_EQ(e.sqlstate(), "40P01");
    EXPECT_EQ(e.hint(), "try again");
    EXPECT_TRUE(e.may_retry());
    EXPECT_TRUE(e.in_doubt());
}

TEST(Error, AvailabilityIsCaughtAsAnyError) {
    try {
        throw availability_error("tracker.User lives in control, this process serves cell");
    } catch (const error& e) {
        EXPECT_EQ(e.kind(), failure::availability);
        EXPECT_FALSE(e.may_retry());
        return;
    }
    FAIL() << "availability_error is not a winnow::error";
}

TEST(Error, IsAStandardRuntimeError) { EXPECT_THROW(throw error(failure::hook, "x"), std::runtime_error); }
