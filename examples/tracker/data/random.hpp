// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>

namespace tracker {

/// Random numbers and texts that are the same on every machine for the same seed; the standard
/// distributions are not.
class random_source {
public:
    explicit random_source(std::uint64_t seed) : engine_(seed) {}

    /// Below `bound`, which is above 0.
    [[nodiscard]] std::size_t below(std::size_t bound) { return static_cast<std::size_t>(engine_() % bound); }
    [[nodiscard]] bool one_in(std::size_t n) { return below(n) == 0; }

    template <class Choices> [[nodiscard]] const auto& pick(const Choices& choices) {
        return choices[below(std::size(choices))];
    }

    /// So many hexadecimal digits.
    [[nodiscard]] std::string hex(std::size_t digits) {
        std::string text;
        while (text.size() < digits) {
            char buffer[17];
            std::snprintf(buffer, sizeof buffer, "%016llx", static_cast<unsigned long long>(engine_()));
            text += buffer;
        }
        text.resize(digits);
        return text;
    }

    /// A random (version 4) UUID.
    [[nodiscard]] std::string uuid() {
        std::string text = hex(32);
        text[12] = '4';
        text[16] = "89ab"[below(4)];
        for (const std::size_t at : {8u, 13u, 18u, 23u}) text.insert(at, 1, '-');
        return text;
    }

    /// A moment in the first half of 2026, to the second.
    [[nodiscard]] std::string moment() {
        using namespace std::chrono;
        const sys_seconds at = sys_days(2026y / January / 1) + seconds(below(180 * 24 * 3600));
        const sys_days day = floor<days>(at);
        const year_month_day date(day);
        const hh_mm_ss time(at - day);
        char buffer[64];
        std::snprintf(buffer, sizeof buffer, "%04d-%02u-%02u %02d:%02d:%02d", static_cast<int>(date.year()),
                      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                      static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                      static_cast<int>(time.seconds().count()));
        return buffer;
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace tracker
