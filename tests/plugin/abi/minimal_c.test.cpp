// SPDX-License-Identifier: Apache-2.0
// The plugin in plain C, which is linked here: what is written in it by hand is what winnow derives from the same models.
#include <gtest/gtest.h>
#include <winnow/winnow.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/same_plans.hpp"
#include "winnow/abi/entry.h"
#include "winnow/core/error.hpp"
#include "winnow/derive/plans_of.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plugin/lift.hpp"

namespace {

struct stamp {
    std::int64_t id;
    std::int64_t project_id;
    std::optional<std::string> text;
};
WINNOW_DESCRIBE(stamp, id, project_id, text)

struct visit {
    std::int64_t id;
    std::int64_t project_id;
    std::optional<std::string> text;
};
WINNOW_DESCRIBE(visit, id, project_id, text)

}  // namespace

template <> struct winnow::model<stamp> {
    static constexpr winnow::text key = "minimal.Stamp";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto parents = winnow::parents(belongs_to<"tracker.Project", &stamp::project_id>);
};
template <> struct winnow::model<visit> {
    static constexpr winnow::text key = "minimal.Visit";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto parents = winnow::parents(belongs_to<"tracker.Project", &visit::project_id>);
    static void before_delete(const visit&) {}
};

namespace {

using models = winnow::registry<stamp, visit>;

std::unique_ptr<winnow::lifted_plugin> lifted() {
    std::vector<std::string> wrong;
    auto made = winnow::lift(winnow_plugin, "minimal_c.so", wrong);
    for (const std::string& line : wrong) ADD_FAILURE() << line;
    return made;
}

TEST(minimal_c, says_what_winnow_derives) {
    const auto plugin = lifted();
    ASSERT_NE(plugin, nullptr);
    EXPECT_EQ(plugin->part().name, "minimal_c");
    ASSERT_EQ(plugin->part().plans.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        winnow::plan derived = winnow::plans_of<models>[i];
        const winnow::plan& by_hand = plugin->part().plans[i];
        EXPECT_FALSE(by_hand.strategy_reason.empty());
        derived.strategy_reason = by_hand.strategy_reason;  // in its own words
        winnow_test::expect_same(by_hand, derived, std::string(derived.key));
    }
}

TEST(minimal_c, brings_its_tables) {
    const auto plugin = lifted();
    ASSERT_NE(plugin, nullptr);
    ASSERT_EQ(plugin->part().migrations.size(), 1U);
    const winnow::migration& step = plugin->part().migrations[0];
    EXPECT_EQ(step.silo, winnow::silo::cell);
    for (const std::string_view table : {"minimal_stamp", "minimal_visit"}) {
        EXPECT_NE(step.script.postgres.find(table), std::string_view::npos);
        EXPECT_NE(step.script.sqlite.find(table), std::string_view::npos);
    }
    EXPECT_TRUE(plugin->part().options.empty());
}

TEST(minimal_c, needs_the_model_that_it_attaches_itself_to) {
    const auto plugin = lifted();
    ASSERT_NE(plugin, nullptr);
    try {
        const winnow::catalog alone({plugin->part()});
        FAIL() << "tracker.Project is not there";
    } catch (const winnow::error& problem) {
        EXPECT_NE(std::string(problem.what()).find("attaches itself to tracker.Project"), std::string::npos);
    }
}

TEST(minimal_c, keeps_a_visit_that_is_marked) {
    const auto plugin = lifted();
    ASSERT_NE(plugin, nullptr);
    const winnow::row_action& before = plugin->part().plans[1].hooks.before_delete;
    const winnow::hook_context about{"minimal.Visit", "0123456789abcdef0123456789abcdef", std::nullopt, "{}"};
    const auto row = [](winnow::value text) {
        return std::vector<winnow::value>{std::int64_t{1}, std::int64_t{2}, std::move(text)};
    };
    before(row(winnow::null_value{}), about);
    before(row(std::string("keeper")), about);
    before(row(std::string("kept")), about);
    try {
        before(row(std::string("keep")), about);
        FAIL() << "it is marked";
    } catch (const winnow::error& problem) {
        EXPECT_EQ(problem.kind(), winnow::failure::hook);
        EXPECT_EQ(std::string(problem.what()),
                  "plugin minimal_c: this visit is marked \"keep\"; change its text first");
    }
}

}  // namespace
