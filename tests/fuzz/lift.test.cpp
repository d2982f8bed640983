// SPDX-License-Identifier: Apache-2.0
// Entries of plugins with random faults in everything that can be checked: sizes, counts, numbers, indices, texts, null for
// a pointer. The same faults in each run. Built with the address sanitizer, whatever the preset.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "golden/copied_models.hpp"
#include "golden/models.hpp"
#include "support/entry_copy.hpp"
#include "support/plugin_entry.hpp"
#include "winnow/core/error.hpp"
#include "winnow/derive/plans_of.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/explain.hpp"
#include "winnow/plugin/lift.hpp"
#include "winnow/plugin/lower.hpp"

namespace {

using winnow_test::entry_copy;
using winnow_test::entry_of;

/// One random fault after the other.
class spoiler {
public:
    spoiler(entry_copy& of, std::uint32_t seed) : of_(of), random_(seed) {}

    void spoil() {
        switch (random_() % 6) {
            case 0: spoil(*any(of_.texts)); return;
            case 1: {
                std::size_t& count = *any(of_.counts);
                count = size(count);
                return;
            }
            case 2: *any(of_.item_sizes) = some_size(); return;
            case 3: spoil(*any(of_.numbers)); return;
            case 4:
                *any(of_.indices) = static_cast<std::uint16_t>(random_() % 2 == 0 ? random_() : random_() % 9);
                return;
            default: *any(of_.pointers) = nullptr; return;
        }
    }

private:
    template <class Field>
    Field* any(const std::vector<Field*>& all) {
        return all[random_() % all.size()];
    }
    /// Smaller than it is, or so large that it must be refused unread. What lies between cannot be checked.
    std::size_t size(std::size_t now) {
        constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
        switch (random_() % 6) {
            case 0: return 0;
            case 1: return most;
            case 2: return most / 2 + 1;
            case 3: return (std::size_t{1} << 20) + 1 + random_();
            default: return now == 0 || now > (std::size_t{1} << 20) ? now : random_() % now;
        }
    }
    std::size_t some_size() { return random_() % 3 == 0 ? size(1) : random_() % 512; }
    void spoil(winnow_text& text) {
        if (text.size == 0) return;
        switch (random_() % 4) {
            case 0: text.data = nullptr; return;
            case 1: text.size = size(text.size); return;
            default: const_cast<char&>(text.data[random_() % text.size]) = static_cast<char>(random_()); return;
        }
    }
    void spoil(std::uint32_t& number) {
        switch (random_() % 6) {
            case 0: number = 0; return;
            case 1: ++number; return;
            case 2: --number; return;
            case 3: number = std::uint32_t{1} << random_() % 32; return;
            case 4: number = std::numeric_limits<std::uint32_t>::max(); return;
            default: number = static_cast<std::uint32_t>(random_()); return;
        }
    }

    entry_copy& of_;
    std::mt19937 random_;
};

class fuzz : public testing::TestWithParam<const winnow_plugin_entry*> {};

TEST_P(fuzz, lift_takes_or_refuses_and_never_crashes) {
    constexpr std::uint32_t rounds = 1000;
    std::uint32_t refused = 0;
    for (std::uint32_t seed = 1; seed <= rounds; ++seed) {
        entry_copy made(*GetParam());
        spoiler with(made, seed);
        for (std::uint32_t faults = seed % 4;; --faults) {
            with.spoil();
            if (faults == 0) break;
        }
        std::vector<std::string> wrong;
        const auto lifted = winnow::lift(made.entry, "fuzzed.so", wrong);
        ASSERT_EQ(lifted == nullptr, !wrong.empty()) << "seed " << seed;
        for (const std::string& line : wrong) {
            EXPECT_EQ(line.back(), '.') << "seed " << seed << ": " << line;
            EXPECT_TRUE(winnow::detail::is_plain_text(line)) << "seed " << seed << ": " << line;
        }
        if (lifted == nullptr) {
            ++refused;
            continue;
        }
        // What was taken can be worked with.
        std::size_t size = 0;
        for (const winnow::plan& one : lifted->part().plans)
            size += explain(one).size() + explain_statements(one, winnow::dialect::sqlite).size();
        EXPECT_GT(size, 0U);
        try {
            const winnow::catalog models({lifted->part()});
            EXPECT_EQ(models.size(), lifted->part().plans.size());
        } catch (const winnow::error& problem) {
            EXPECT_EQ(problem.kind(), winnow::failure::configuration) << "seed " << seed;
        }
    }
    // Neither all nor none: both ways are walked.
    EXPECT_GT(refused, rounds / 4);
    EXPECT_LT(refused, rounds);
}
INSTANTIATE_TEST_SUITE_P(each, fuzz, testing::Values(&entry_of<shop::models>, &entry_of<depot::models>));

}  // namespace
