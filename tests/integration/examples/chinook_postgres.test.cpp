// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "chinook_cases.hpp"

namespace {

class chinook_postgres : public testing::Test {
protected:
    void SetUp() override {
        if (std::getenv("WINNOW_TEST_POSTGRES") == nullptr)
            GTEST_SKIP() << "WINNOW_TEST_POSTGRES is not set; see tests/support/with_postgres";
        if (!std::filesystem::exists(program_path("chinook"))) GTEST_SKIP() << "the examples were not built";
        music_ = std::make_unique<music::store>(std::getenv("WINNOW_TEST_POSTGRES"));
    }
    std::unique_ptr<music::store> music_;
};

TEST_F(chinook_postgres, plan_counts_and_changes_nothing) { music::plan_counts_and_changes_nothing(*music_); }
TEST_F(chinook_postgres, artist_goes_and_nothing_else) { music::artist_goes_and_nothing_else(*music_); }
TEST_F(chinook_postgres, employee_takes_those_who_report) { music::employee_takes_those_who_report(*music_); }
TEST_F(chinook_postgres, strict_employee_is_refused) { music::strict_employee_is_refused(*music_); }
TEST_F(chinook_postgres, strict_employee_without_reports_goes) { music::strict_employee_without_reports_goes(*music_); }
TEST_F(chinook_postgres, used_media_type_is_refused) { music::used_media_type_is_refused(*music_); }
TEST_F(chinook_postgres, genre_goes_and_tracks_stay) { music::genre_goes_and_tracks_stay(*music_); }
TEST_F(chinook_postgres, check_finds_drift) {
    music::check_finds_drift(*music_, music_->full() ? "track_album_id_idx" : "track_album");
}

}  // namespace
