// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

/// What one run took.
struct figures {
    double wall = 0;     ///< seconds
    double cpu = 0;      ///< seconds, of the client
    double longest = 0;  ///< seconds of the longest transaction
    double memory = 0;   ///< KiB, the client's peak
    double log = 0;      ///< bytes of write-ahead log, PostgreSQL only
    double statements = 0;
    double transactions = 0;
    double rows = 0;
    double partly = 0;
};
inline constexpr std::array<std::pair<std::string_view, double figures::*>, 9> fields{{
    {"wall", &figures::wall},
    {"cpu", &figures::cpu},
    {"longest", &figures::longest},
    {"memory", &figures::memory},
    {"log", &figures::log},
    {"statements", &figures::statements},
    {"transactions", &figures::transactions},
    {"rows", &figures::rows},
    {"partly", &figures::partly},
}};

/// All rounds of one variant.
struct result {
    std::string on;
    std::string work;
    std::string scale;
    std::string name;
    std::vector<figures> rounds;

    /// Median over the rounds.
    [[nodiscard]] double of(double figures::* field) const {
        std::vector<double> all;
        for (const figures& one : rounds) all.push_back(one.*field);
        std::sort(all.begin(), all.end());
        const std::size_t half = all.size() / 2;
        return all.size() % 2 != 0 ? all[half] : (all[half - 1] + all[half]) / 2;
    }
    /// Rows a second.
    [[nodiscard]] double rate() const { return of(&figures::rows) / of(&figures::wall); }
};

}  // namespace bench
