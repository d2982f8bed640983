// SPDX-License-Identifier: Apache-2.0
// Plans go through the plugin contract and come back as they were.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/copied_models.hpp"
#include "golden/models.hpp"
#include "support/plugin_entry.hpp"
#include "support/same_plans.hpp"
#include "winnow/derive/plans_of.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/explain.hpp"
#include "winnow/plugin/lift.hpp"
#include "winnow/plugin/lower.hpp"

#include "../../../examples/tracker/registry.hpp"

// The tracker's own code, which is not called here.
namespace tracker {
bool remove_attachment_files(const std::vector<std::int64_t>&, int) { return false; }
void count_released_bytes(std::int64_t) {}
void count_deleted_release() {}
void announce_deletion(std::string_view, const winnow::hook_context&) {}
}  // namespace tracker

namespace {

using winnow::plan;
using winnow_test::entry_of;

template <class Models>
class round_trip : public testing::Test {};
using all_models = testing::Types<shop::models, depot::models, tracker::Models>;
TYPED_TEST_SUITE(round_trip, all_models);

TYPED_TEST(round_trip, gives_the_same_plans) {
    constexpr std::span<const plan> plans{winnow::plans_of<TypeParam>};
    std::vector<std::string> wrong;
    const std::unique_ptr<winnow::lifted_plugin> lifted = winnow::lift(entry_of<TypeParam>, "somewhere.so", wrong);
    for (const std::string& line : wrong) ADD_FAILURE() << line;
    ASSERT_NE(lifted, nullptr);
    EXPECT_EQ(lifted->part().name, "round-trip");
    EXPECT_EQ(lifted->part().version, "1.2.3");
    EXPECT_EQ(lifted->part().origin, "somewhere.so");
    EXPECT_EQ(lifted->description(), "Comes back");
    ASSERT_EQ(lifted->part().plans.size(), plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const plan& back = lifted->part().plans[i];
        winnow_test::expect_same(back, plans[i], std::string(plans[i].key));
        EXPECT_EQ(explain(back), explain(plans[i]));
        for (const winnow::dialect which : {winnow::dialect::postgres, winnow::dialect::sqlite})
            EXPECT_EQ(explain_statements(back, which), explain_statements(plans[i], which));
    }
}

TYPED_TEST(round_trip, makes_a_catalog_that_knows_where_its_models_come_from) {
    std::vector<std::string> wrong;
    const auto lifted = winnow::lift(entry_of<TypeParam>, "somewhere.so", wrong);
    ASSERT_NE(lifted, nullptr);
    const winnow::catalog models({lifted->part()});
    EXPECT_EQ(models.size(), lifted->part().plans.size());
    EXPECT_EQ(models.part_of(0).name, "round-trip");
}

}  // namespace
