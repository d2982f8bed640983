// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "tracker_cases.hpp"

namespace {

class tracker_postgres : public testing::Test {
protected:
    void SetUp() override {
        if (std::getenv("WINNOW_TEST_POSTGRES") == nullptr)
            GTEST_SKIP() << "WINNOW_TEST_POSTGRES is not set; see tests/support/with_postgres";
        server_ = std::getenv("WINNOW_TEST_POSTGRES");
        if (!std::filesystem::exists(program_path("tracker"))) GTEST_SKIP() << "the examples were not built";
    }
    /// A filled database.
    const tracker_test::store& filled() {
        store_ = std::make_unique<tracker_test::store>(server_);
        if (!store_->ready()) throw std::runtime_error(store_->trouble());
        return *store_;
    }
    std::string server_;
    std::unique_ptr<tracker_test::store> store_;
};

TEST_F(tracker_postgres, models_fit_the_schema) { tracker_test::models_fit_the_schema(filled()); }
TEST_F(tracker_postgres, project_goes_and_nothing_else) { tracker_test::project_goes_and_nothing_else(filled()); }
TEST_F(tracker_postgres, team_goes_and_references_become_null) {
    tracker_test::team_goes_and_references_become_null(filled());
}
TEST_F(tracker_postgres, comment_takes_its_answers) { tracker_test::comment_takes_its_answers(filled()); }
TEST_F(tracker_postgres, text_and_uuid_keys_are_named_on_the_command_line) {
    tracker_test::text_and_uuid_keys_are_named_on_the_command_line(filled());
}
TEST_F(tracker_postgres, legal_hold_forbids) { tracker_test::legal_hold_forbids(filled()); }
TEST_F(tracker_postgres, active_user_is_spared) { tracker_test::active_user_is_spared(filled()); }
TEST_F(tracker_postgres, each_silo_keeps_to_itself) { tracker_test::each_silo_keeps_to_itself(filled()); }
TEST_F(tracker_postgres, demonstration_can_be_repeated) {
    tracker_test::demonstration_can_be_repeated(scratch_database("demo", server_));
}
TEST_F(tracker_postgres, same_seed_makes_the_same_rows) { tracker_test::same_seed_makes_the_same_rows(server_); }

}  // namespace
