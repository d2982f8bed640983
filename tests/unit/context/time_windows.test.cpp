// SPDX-License-Identifier: Apache-2.0
#include "winnow/context/time_windows.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace {

using winnow::time_windows;

[[nodiscard]] time_windows parsed(std::string_view text) {
    std::string wrong;
    const time_windows made = time_windows::parse(text, wrong);
    EXPECT_EQ(wrong, "") << text;
    return made;
}
[[nodiscard]] constexpr std::size_t at(std::size_t day, std::size_t hour, std::size_t minute = 0) {
    return day * time_windows::minutes_a_day + hour * 60 + minute;
}
enum : std::size_t { mon, tue, wed, thu, fri, sat, sun };

TEST(time_windows, no_text_is_no_limit) {
    EXPECT_TRUE(parsed("").open_at(0));
    EXPECT_TRUE(parsed("  ").open_at(5'000));
    EXPECT_FALSE(parsed("").minutes_until_change(0).has_value());
}

TEST(time_windows, a_night_belongs_to_the_day_on_which_it_begins) {
    const time_windows nights = parsed("mon-fri 22:00-06:00, sat-sun");
    EXPECT_FALSE(nights.open_at(at(mon, 3))) << "Sunday has no night of its own";
    EXPECT_FALSE(nights.open_at(at(mon, 21, 59)));
    EXPECT_TRUE(nights.open_at(at(mon, 22)));
    EXPECT_TRUE(nights.open_at(at(tue, 5, 59)));
    EXPECT_FALSE(nights.open_at(at(tue, 6)));
    EXPECT_TRUE(nights.open_at(at(fri, 23)));
    EXPECT_TRUE(nights.open_at(at(sat, 12)));
    EXPECT_TRUE(nights.open_at(at(sun, 23, 59)));
}

TEST(time_windows, says_when_it_opens_and_since_when_it_is_closed) {
    const time_windows nights = parsed("mon-fri 22:00-06:00, sat-sun");
    EXPECT_EQ(nights.minutes_until_change(at(tue, 6)), 16 * 60U);
    EXPECT_EQ(nights.minutes_since_change(at(tue, 7)), 60U);
    EXPECT_EQ(nights.minutes_since_change(at(tue, 6)), 0U);
    EXPECT_EQ(nights.minutes_since_change(at(mon, 1)), 60U) << "across the end of the week";
    EXPECT_EQ(parsed("mon 10:00-11:00").minutes_until_change(at(mon, 11)), 7 * 24 * 60U - 60U);
    EXPECT_FALSE(parsed("mon-sun").minutes_until_change(at(mon, 11)).has_value()) << "it never closes";
}

TEST(time_windows, days_wrap_and_times_alone_are_of_every_day) {
    EXPECT_TRUE(parsed("sat-mon").open_at(at(sun, 1)));
    EXPECT_TRUE(parsed("sat-mon").open_at(at(mon, 23)));
    EXPECT_FALSE(parsed("sat-mon").open_at(at(tue, 0)));
    EXPECT_TRUE(parsed("00:00-24:00").open_at(at(thu, 23, 59)));
    EXPECT_TRUE(parsed("sun 23:00-01:00").open_at(at(mon, 0, 30))) << "into the next week";
    EXPECT_TRUE(parsed("  wed   08:30 - 09:00 ,fri").open_at(at(wed, 8, 30)));
}

TEST(time_windows, what_is_no_window_is_refused_by_name) {
    for (const std::string_view text :
         {"always", "mon-", "-fri", "mon_fri", "Mon", "22-06", "22:00", "22:00-", "24:00-01:00", "10:00-10:00",
          "25:00-26:00", "09:60-10:00", "mon 9:00-10:00", "mon,", ",", "mon 09:00-10:00 tue", "mon tue", "mon-fri-sat",
          "1\xcc\x88:00-02:00"}) {
        std::string wrong;
        (void)time_windows::parse(text, wrong);
        EXPECT_NE(wrong, "") << text;
        EXPECT_EQ(wrong.find("is no window"), wrong.find("` ") + 2) << wrong;
    }
    std::string wrong;
    (void)time_windows::parse("sat-sun, nights", wrong);
    EXPECT_NE(wrong.find("`nights`"), std::string::npos) << wrong;
}

}  // namespace
