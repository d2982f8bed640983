// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "chinook_cases.hpp"

namespace {

class chinook_sqlite : public testing::Test {
protected:
    void SetUp() override {
        if (!std::filesystem::exists(program_path("chinook"))) GTEST_SKIP() << "the examples were not built";
        music_ = std::make_unique<music::store>();
    }
    std::unique_ptr<music::store> music_;
};

TEST_F(chinook_sqlite, plan_counts_and_changes_nothing) { music::plan_counts_and_changes_nothing(*music_); }
TEST_F(chinook_sqlite, artist_goes_and_nothing_else) { music::artist_goes_and_nothing_else(*music_); }
TEST_F(chinook_sqlite, employee_takes_those_who_report) { music::employee_takes_those_who_report(*music_); }
TEST_F(chinook_sqlite, strict_employee_is_refused) { music::strict_employee_is_refused(*music_); }
TEST_F(chinook_sqlite, strict_employee_without_reports_goes) { music::strict_employee_without_reports_goes(*music_); }
TEST_F(chinook_sqlite, used_media_type_is_refused) { music::used_media_type_is_refused(*music_); }
TEST_F(chinook_sqlite, genre_goes_and_tracks_stay) { music::genre_goes_and_tracks_stay(*music_); }
TEST_F(chinook_sqlite, check_finds_drift) {
    music::check_finds_drift(*music_, music_->full() ? "[IFK_TrackAlbumId]" : "track_album");
}

}  // namespace
