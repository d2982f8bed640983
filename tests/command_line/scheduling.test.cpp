// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "library_program.hpp"

namespace {

using namespace winnow_test;

class scheduling : public library_program {
protected:
    void SetUp() override {
        library_program::SetUp();
        migrate();
    }
    [[nodiscard]] std::int64_t scheduled(const std::string& condition = "1 = 1") const {
        return count("winnow_cell_scheduled_deletion", condition);
    }
};

TEST_P(scheduling, says_what_it_does) {
    const program_result result = run({"schedule", "library.Branch", "1"});
    EXPECT_EQ(result.code, 0) << result.all();
    EXPECT_TRUE(result.says("library.Branch 1 is to be deleted in 30 days")) << result.all();
    EXPECT_TRUE(result.says("11 rows would go")) << result.all();
    EXPECT_EQ(scheduled("app_label = 'library' AND model_name = 'Branch' AND object_id = '1' AND data IS NOT NULL"), 1);
    EXPECT_EQ(count("library_branch", "id = 1 AND status = 2"), 1) << "the branch is marked as pending";
    EXPECT_EQ(count("library_branch", "id = 2 AND status = 0"), 1);
    EXPECT_EQ(count("winnow_audit", "action = 'scheduled' AND actor = 'tester' AND model = 'library.Branch'"), 1);
}

TEST_P(scheduling, hands_on_time_data_actor_and_batch) {
    const nlohmann::json done = document({"schedule", "library.Branch", "2", "--in", "1d12h", "--data",
                                          R"([{"why": "left"}])", "--actor-id", "42", "--batch", "b1", "--yes"});
    EXPECT_EQ(done["batch"], "b1");
    EXPECT_EQ(done["rows"], 32);
    EXPECT_EQ(done["complete"], true);
    ASSERT_EQ(done["scheduled"].size(), 1U);
    EXPECT_EQ(done["scheduled"][0]["guid"].get<std::string>().size(), 32U);
    const nlohmann::json shown = document({"deletions", "show", "library.Branch", "2"})["deletion"];
    EXPECT_EQ(shown["data"], nlohmann::json::parse(R"([{"why": "left"}])"));
    EXPECT_EQ(shown["actor_id"], 42);
    EXPECT_EQ(shown["batch"], "b1");
    EXPECT_EQ(shown["confirmed"], true);
    EXPECT_GT(shown["seconds_until_due"].get<double>(), 35.9 * 3600);
    EXPECT_LE(shown["seconds_until_due"].get<double>(), 36.0 * 3600);
}

TEST_P(scheduling, again_moves_the_date) {
    const nlohmann::json first = document({"schedule", "library.Branch", "1", "--in", "0d"});
    const nlohmann::json second = document({"schedule", "library.Branch", "1", "--in", "5d"});
    EXPECT_EQ(first["scheduled"][0]["guid"], second["scheduled"][0]["guid"]);
    EXPECT_NE(first["scheduled"][0]["date_scheduled"], second["scheduled"][0]["date_scheduled"]);
    EXPECT_EQ(scheduled(), 1);
}

TEST_P(scheduling, an_object_that_is_named_twice_counts_once) {
    const nlohmann::json done = document({"schedule", "library.Branch", "1", "01"});
    ASSERT_EQ(done["scheduled"].size(), 1U);
    EXPECT_EQ(done["rows"], 11);
    EXPECT_TRUE(done["batch"].is_null()) << "one object is no batch";
}

TEST_P(scheduling, several_objects_become_one_batch) {
    const nlohmann::json done = document({"schedule", "library.Seat", "1,1", "1,2", "--in", "12h"});
    const std::string batch = done["batch"];
    EXPECT_FALSE(batch.empty());
    EXPECT_EQ(done["scheduled"].size(), 2U);
    EXPECT_EQ(done["rows"], 2);
    EXPECT_EQ(scheduled("batch_id = '" + batch + "'"), 2);

    const nlohmann::json cancelled = document({"cancel", "--batch", batch});
    EXPECT_EQ(cancelled["cancelled"].size(), 2U);
    EXPECT_EQ(cancelled["cancelled"][0]["answer"], "cancelled before start");
    EXPECT_EQ(scheduled(), 0);
    EXPECT_EQ(run({"cancel", "--batch", batch}).code, 1);
}

TEST_P(scheduling, more_objects_than_allowed_are_refused) {
    set_option("deletion.max_objects", "1");
    const program_result result = run({"schedule", "library.Seat", "1,1", "1,2"});
    EXPECT_EQ(result.code, 1) << result.all();
    EXPECT_TRUE(result.complains("deletion.max_objects")) << result.all();
    EXPECT_EQ(scheduled(), 0);
}

TEST_P(scheduling, above_the_row_cap_it_wants_a_confirmation) {
    set_option("deletion.max_rows", "10");
    const std::string before = dump();
    const program_result refused = run({"schedule", "library.Branch", "1", "--in", "0d"});
    EXPECT_EQ(refused.code, 1) << refused.all();
    EXPECT_TRUE(refused.complains("More than 10 rows")) << refused.all();
    EXPECT_TRUE(refused.complains("--yes")) << refused.all();
    EXPECT_EQ(dump(), before);

    set_option("deletion.max_rows", "11");
    EXPECT_EQ(run({"schedule", "library.Branch", "1", "--in", "0d"}).code, 0);
    set_option("deletion.max_rows", "10");
    EXPECT_EQ(run({"schedule", "library.Branch", "1", "--in", "0d", "--yes"}).code, 0);
    EXPECT_EQ(run({"deletions", "run"}).code, 0);
    EXPECT_EQ(count("library_branch"), 1);
}

TEST_P(scheduling, a_refusal_that_is_foreseen_is_said) {
    const program_result result = run({"schedule", "library.Reader", "1", "--in", "0d"});
    EXPECT_EQ(result.code, 0) << result.all();
    EXPECT_TRUE(result.says("would be refused")) << result.all();
    EXPECT_TRUE(result.says("4 rows of library.Loan")) << result.all();
}

TEST_P(scheduling, text_keys_are_taken_as_they_are) {
    database().run(
        "INSERT INTO library_book VALUES ('[a,b]', 1), ('--yes', 1), ('it''s', 1), ('\xc3\xa9t\xc3\xa9', 1);");
    const nlohmann::json done = document({"schedule", "library.Book", "[a,b]", "it's", "\xc3\xa9t\xc3\xa9"});
    EXPECT_EQ(done["scheduled"].size(), 3U) << done;
    EXPECT_EQ(scheduled("object_id = '[a,b]'"), 1);
    EXPECT_EQ(run({"schedule", "library.Book", "--", "--yes"}).code, 0);
    EXPECT_EQ(scheduled("object_id = '--yes'"), 1);
}

TEST_P(scheduling, cancel_gives_four_answers) {
    const program_result none = run({"cancel", "library.Branch", "1"});
    EXPECT_EQ(none.code, 1) << none.all();
    EXPECT_TRUE(none.says("not scheduled")) << none.all();

    ASSERT_EQ(run({"schedule", "library.Branch", "1", "--in", "0d"}).code, 0);
    const program_result before = run({"cancel", "library.Branch", "1"});
    EXPECT_EQ(before.code, 0) << before.all();
    EXPECT_TRUE(before.says("cancelled before start")) << before.all();
    EXPECT_EQ(count("library_branch", "status = 0"), 2) << "the branch is active again";

    set_option("deletion.pass_rows", "5");
    ASSERT_EQ(run({"schedule", "library.Branch", "2", "--in", "0d"}).code, 0);
    ASSERT_EQ(run({"deletions", "run", "--passes", "1"}).code, 0);
    const std::int64_t left = count("library_book", "shelf_id = 3");
    ASSERT_LT(left, 30);
    ASSERT_GT(left, 0);
    const nlohmann::json stopped = document({"cancel", "library.Branch", "2"});
    EXPECT_EQ(stopped["answer"], "stopped");
    EXPECT_EQ(stopped["rows_done"], 30 - left);
    EXPECT_EQ(stopped["rows_by_model"]["library.Book"], 30 - left);
    EXPECT_EQ(scheduled(), 0);

    set_option("deletion.pass_rows", "0");
    ASSERT_EQ(run({"schedule", "library.Branch", "1", "--in", "0d"}).code, 0);
    ASSERT_EQ(run({"deletions", "run"}).code, 0);
    const program_result after = run({"cancel", "library.Branch", "1"});
    EXPECT_EQ(after.code, 1) << after.all();
    EXPECT_TRUE(after.says("already done")) << after.all();
}

INSTANTIATE_TEST_SUITE_P(databases, scheduling, all_databases(), name_of_database);

}  // namespace
