// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "music_store.hpp"

/// What the two music store programs must do, whatever the database. Each function is one test.
namespace music {

inline const std::string albums_of_90 = "SELECT {album_id} FROM {album} WHERE {artist_id} = 90";
inline const std::string tracks_of_90 = "SELECT {track_id} FROM {track} WHERE {album_id} IN (" + albums_of_90 + ")";

/// For each table the rows that go with artist 90, found without winnow.
inline const std::map<std::string, std::string> goes_with_90 = {
    {"artist", "{artist_id} = 90"},
    {"album", "{artist_id} = 90"},
    {"track", "{album_id} IN (" + albums_of_90 + ") AND {album_id} IS NOT NULL"},
    {"playlist_track", "{track_id} IN (" + tracks_of_90 + ")"},
    {"invoice_line", "{track_id} IN (" + tracks_of_90 + ")"},
};

inline std::int64_t total_that_goes(const store& music) {
    std::int64_t total = 0;
    for (const auto& [table, condition] : goes_with_90) total += music.count("{" + table + "}", condition);
    return total;
}

inline void plan_counts_and_changes_nothing(const store& music) {
    ASSERT_EQ(music.migrated().exit_code, 0) << music.migrated().output;
    const database_dump before = music.dump();
    const std::int64_t total = total_that_goes(music);
    if (music.full()) {
        ASSERT_EQ(total, 891);
    }
    const program_result plan = music.program({"plan", "chinook.Artist", "90"});
    EXPECT_EQ(plan.exit_code, 0) << plan.output;
    EXPECT_TRUE(plan.says(std::to_string(total) + " rows")) << plan.output;
    for (const auto& [table, condition] : goes_with_90) {
        EXPECT_TRUE(plan.says(std::to_string(music.count("{" + table + "}", condition)))) << table << "\n"
                                                                                          << plan.output;
    }
    EXPECT_EQ(music.dump(), before);
}

inline void artist_goes_and_nothing_else(const store& music) {
    const database_dump after = music.dump(goes_with_90);
    ASSERT_NE(music.dump(), after);
    const program_result scheduled = music.program({"schedule", "chinook.Artist", "90", "--in", "0d", "--yes"});
    ASSERT_EQ(scheduled.exit_code, 0) << scheduled.output;
    const program_result run = music.program({"deletions", "run"});
    EXPECT_EQ(run.exit_code, 0) << run.output;
    EXPECT_EQ(music.dump(), after) << run.output;
    const program_result again = music.program({"deletions", "run"});
    EXPECT_EQ(again.exit_code, 0) << again.output;
    EXPECT_EQ(music.dump(), after);
}

inline void employee_takes_those_who_report(const store& music) {
    // Two levels of employees go; the customers stay, without their support representative.
    const std::map<std::string, std::string> goes = {
        {"employee", "{employee_id} BETWEEN 2 AND 5"},
        {"customer", "{support_rep_id} IN (2, 3, 4, 5) AND {support_rep_id} IS NOT NULL"}};
    database_dump after = music.dump(goes);
    const std::int64_t orphaned = music.count("{customer}", goes.at("customer"));
    ASSERT_GT(orphaned, 0);
    {
        const winnow::connection_ptr database = music.open();
        after["customer"] = lines_of(
            *database,
            music.in_sql(
                "SELECT {customer_id}, {first_name}, {last_name}, {company}, {address}, {city}, {state}, {country}, "
                "{postal_code}, {phone}, {fax}, {email}, CASE WHEN {support_rep_id} BETWEEN 2 AND 5 THEN NULL ELSE "
                "{support_rep_id} END FROM {customer} ORDER BY {customer_id}"));
    }
    const program_result scheduled = music.program({"schedule", "chinook.Employee", "2", "--in", "0d", "--yes"});
    ASSERT_EQ(scheduled.exit_code, 0) << scheduled.output;
    const program_result run = music.program({"deletions", "run"});
    EXPECT_EQ(run.exit_code, 0) << run.output;
    EXPECT_EQ(music.dump(), after) << run.output;
}

inline void strict_employee_is_refused(const store& music) {
    const database_dump before = music.dump();
    const std::string reports = std::to_string(music.count("{employee}", "{reports_to} = 2"));
    const program_result scheduled =
        music.program({"schedule", "chinook.Employee", "2", "--in", "0d", "--yes"}, "chinook_strict");
    const program_result run = music.program({"deletions", "run"}, "chinook_strict");
    const program_result shown = music.program({"deletions", "show", "chinook.Employee", "2"}, "chinook_strict");
    const std::string all = scheduled.output + run.output + shown.output;
    EXPECT_TRUE(scheduled.exit_code == 1 || run.exit_code == 1) << all;
    EXPECT_NE(all.find(music.in_sql("{employee}")), std::string::npos) << all;
    EXPECT_NE(all.find(reports + " row"), std::string::npos) << all;
    EXPECT_EQ(music.dump(), before) << all;
}

inline void strict_employee_without_reports_goes(const store& music) {
    std::map<std::string, std::string> goes = {{"employee", "{employee_id} = 4"}};
    ASSERT_EQ(music.count("{employee}", "{reports_to} = 4"), 0);
    database_dump after = music.dump(goes);
    after.erase("customer");
    ASSERT_EQ(music.program({"schedule", "chinook.Employee", "4", "--in", "0d", "--yes"}, "chinook_strict").exit_code,
              0);
    const program_result run = music.program({"deletions", "run"}, "chinook_strict");
    EXPECT_EQ(run.exit_code, 0) << run.output;
    database_dump now = music.dump();
    now.erase("customer");
    EXPECT_EQ(now, after);
    EXPECT_EQ(music.count("{customer}", "{support_rep_id} = 4"), 0);
}

inline void used_media_type_is_refused(const store& music) {
    const database_dump before = music.dump();
    const std::string tracks = std::to_string(music.count("{track}", "{media_type_id} = 1"));
    const program_result scheduled = music.program({"schedule", "chinook.MediaType", "1", "--in", "0d", "--yes"});
    const program_result run = music.program({"deletions", "run"});
    const program_result shown = music.program({"deletions", "show", "chinook.MediaType", "1"});
    const std::string all = scheduled.output + run.output + shown.output;
    EXPECT_TRUE(scheduled.exit_code == 1 || run.exit_code == 1) << all;
    EXPECT_NE(all.find(music.in_sql("{track}")), std::string::npos) << all;
    EXPECT_NE(all.find(tracks + " row"), std::string::npos) << all;
    EXPECT_EQ(music.dump(), before);
}

inline void genre_goes_and_tracks_stay(const store& music) {
    const std::int64_t tracks = music.count("{track}", "1 = 1");
    const std::int64_t without = music.count("{track}", "{genre_id} IS NULL");
    const std::int64_t rock = music.count("{track}", "{genre_id} = 1");
    ASSERT_GT(rock, 0);
    ASSERT_EQ(music.program({"schedule", "chinook.Genre", "1", "--in", "0d", "--yes"}).exit_code, 0);
    const program_result run = music.program({"deletions", "run"});
    EXPECT_EQ(run.exit_code, 0) << run.output;
    EXPECT_EQ(music.count("{track}", "1 = 1"), tracks);
    EXPECT_EQ(music.count("{track}", "{genre_id} IS NULL"), without + rock);
    EXPECT_EQ(music.count("{genre}", "{genre_id} = 1"), 0);
}

/// `index`: the name that the schema at hand gives to the index on track's album column.
inline void check_finds_drift(const store& music, const std::string& index) {
    const program_result clean = music.program({"check"});
    // On SQLite the store's plain integer keys are found to be reusable, which is true; nothing else may be found.
    if (music.kind() == winnow::dialect::postgres) {
        EXPECT_EQ(clean.exit_code, 0) << clean.output;
    }
    EXPECT_FALSE(clean.says("CREATE INDEX")) << clean.output;
    EXPECT_FALSE(clean.says("refers to")) << clean.output;
    EXPECT_FALSE(clean.says("declares")) << clean.output;

    music.execute("DROP INDEX " + index + ";");
    const program_result unindexed = music.program({"check"});
    EXPECT_EQ(unindexed.exit_code, 1) << unindexed.output;
    EXPECT_TRUE(unindexed.says(music.in_sql("{track}.{album_id}"))) << unindexed.output;
    EXPECT_TRUE(unindexed.says(music.in_sql("CREATE INDEX"))) << unindexed.output;
    EXPECT_TRUE(unindexed.says(music.in_sql("ON \"{track}\" (\"{album_id}\")")) ||
                unindexed.says(music.in_sql("ON {track} ({album_id})")))
        << unindexed.output;

    music.execute(
        "CREATE TABLE liner_note (liner_note_id INTEGER NOT NULL PRIMARY KEY, album INTEGER NOT NULL REFERENCES {album} ({album_id}));");
    const program_result undeclared = music.program({"check"});
    EXPECT_EQ(undeclared.exit_code, 1) << undeclared.output;
    EXPECT_TRUE(undeclared.says("liner_note.album")) << undeclared.output;
}

}  // namespace music
