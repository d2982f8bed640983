// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace winnow::inline v0 {

/// Hours of the week during which some work may be done, as `mon-fri 22:00-06:00, sat-sun`.
///
/// Items are separated by commas. An item is a day or a range of days (`sat`, `mon-fri`, `sat-mon`), a range of times
/// (`22:00-06:00`, every day), or both. A range of times that ends before it begins ends on the next day; `24:00` is the
/// end of a day.
class time_windows {
public:
    static constexpr std::size_t minutes_a_day = 1440;
    static constexpr std::size_t minutes_a_week = 7 * minutes_a_day;

    /// @param[out] wrong what is wrong with the text, for people; empty: nothing
    [[nodiscard]] static time_windows parse(std::string_view text, std::string& wrong) {
        time_windows made;
        wrong.clear();
        if (trimmed(text).empty()) return made;
        made.limited_ = true;
        for (;;) {
            const std::size_t comma = text.find(',');
            const std::string_view item = trimmed(text.substr(0, comma));
            if (!made.add(item)) {
                wrong = "`" + std::string(item) +
                        "` is no window; write days, times or both, as in `mon-fri 22:00-06:00, sat-sun`";
                return {};
            }
            if (comma == std::string_view::npos) return made;
            text.remove_prefix(comma + 1);
        }
    }

    /// @param minute of the week, from Monday 00:00
    [[nodiscard]] bool open_at(std::size_t minute) const noexcept {
        return !limited_ || open_[minute % minutes_a_week];
    }
    /// Whole minutes from the beginning of a minute until it opens, or closes; nothing: never.
    [[nodiscard]] std::optional<std::size_t> minutes_until_change(std::size_t minute) const noexcept {
        for (std::size_t ahead = 1; ahead <= minutes_a_week; ++ahead)
            if (open_at(minute + ahead) != open_at(minute)) return ahead;
        return std::nullopt;
    }
    /// Whole minutes from when it opened, or closed, to the beginning of a minute; nothing: never.
    [[nodiscard]] std::optional<std::size_t> minutes_since_change(std::size_t minute) const noexcept {
        for (std::size_t back = 1; back <= minutes_a_week; ++back)
            if (open_at(minute + minutes_a_week - back) != open_at(minute)) return back - 1;
        return std::nullopt;
    }

private:
    [[nodiscard]] static std::string_view trimmed(std::string_view text) noexcept {
        while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
        while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
        return text;
    }
    [[nodiscard]] static std::optional<std::size_t> day_of(std::string_view text) noexcept {
        constexpr std::array<std::string_view, 7> names{"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
        for (std::size_t day = 0; day < names.size(); ++day)
            if (text == names[day]) return day;
        return std::nullopt;
    }
    /// Minutes of a day, from `HH:MM`.
    [[nodiscard]] static std::optional<std::size_t> time_of(std::string_view text) noexcept {
        if (text.size() != 5 || text[2] != ':') return std::nullopt;
        std::array<std::size_t, 5> digits{};
        for (const std::size_t at : std::initializer_list<std::size_t>{0, 1, 3, 4}) {
            if (text[at] < '0' || text[at] > '9') return std::nullopt;
            digits[at] = static_cast<std::size_t>(text[at] - '0');
        }
        const std::size_t minute = digits[3] * 10 + digits[4];
        const std::size_t all = (digits[0] * 10 + digits[1]) * 60 + minute;
        if (minute > 59 || all > minutes_a_day) return std::nullopt;
        return all;
    }
    [[nodiscard]] bool add(std::string_view item) {
        std::size_t first_day = 0;
        std::size_t days = 7;
        std::size_t begin = 0;
        std::size_t length = minutes_a_day;
        const std::size_t blank = item.find(' ');
        std::string_view day_part = item.substr(0, blank);
        std::string_view time_part = blank == std::string_view::npos ? std::string_view() : trimmed(item.substr(blank));
        if (blank == std::string_view::npos && item.find(':') != std::string_view::npos) {
            time_part = item;
            day_part = {};
        } else if (blank != std::string_view::npos && time_part.empty()) {
            return false;
        }
        if (!day_part.empty()) {
            const std::size_t dash = day_part.find('-');
            const auto first = day_of(day_part.substr(0, dash));
            const auto last = dash == std::string_view::npos ? first : day_of(day_part.substr(dash + 1));
            if (!first || !last) return false;
            first_day = *first;
            days = (*last + 7 - *first) % 7 + 1;
        } else if (time_part.empty()) {
            return false;
        }
        if (!time_part.empty()) {
            const std::size_t dash = time_part.find('-');
            if (dash == std::string_view::npos) return false;
            const auto from = time_of(trimmed(time_part.substr(0, dash)));
            const auto to = time_of(trimmed(time_part.substr(dash + 1)));
            if (!from || !to || *from == *to || *from == minutes_a_day) return false;
            begin = *from;
            length = *to > *from ? *to - *from : minutes_a_day - *from + *to;
        }
        for (std::size_t day = 0; day < days; ++day)
            for (std::size_t minute = 0; minute < length; ++minute)
                open_.set(((first_day + day) * minutes_a_day + begin + minute) % minutes_a_week);
        return true;
    }

    bool limited_ = false;  ///< no text: no limit
    std::bitset<minutes_a_week> open_;
};

}  // namespace winnow::inline v0
