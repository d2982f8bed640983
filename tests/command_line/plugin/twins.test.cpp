// SPDX-License-Identifier: Apache-2.0
// A model says the same, byte for byte, whether it is compiled into a program or comes from a plugin.
#include <string>
#include <vector>

#include "plugin_programs.hpp"

namespace {

using namespace winnow_test;

/// A program with models of its own, and the stock program with the same models from plugins.
struct pair_of_programs {
    std::string name;
    std::string compiled;
    std::vector<std::string> plugins;
};

/// Runs both with the same words.
void expect_same(const pair_of_programs& twins, const std::vector<std::string>& arguments) {
    const program_result wanted = run_program(twins.compiled, {}, arguments);
    const program_result found = run_program("winnow", twins.plugins, arguments);
    std::string line;
    for (const std::string& word : arguments) line += word + " ";
    EXPECT_EQ(found.code, wanted.code) << line << found.all();
    EXPECT_GT(wanted.out.size(), 100U) << line << wanted.all();
    EXPECT_EQ(found.out, wanted.out) << line;
}

const pair_of_programs own{"own", "plugin_twin", {plugin_file("notes"), plugin_file("access_log")}};
const pair_of_programs tracker{"tracker", "tracker", {plugin_file("tracker_models")}};

class twins : public on_every_database {
protected:
    void expect_same_words(const pair_of_programs& programs, const std::string& key) const {
        for (const std::vector<std::string>& words :
             std::vector<std::vector<std::string>>{{"models"},
                                                   {"models", "--json"},
                                                   {"graph"},
                                                   {"graph", "--format", "dot"},
                                                   {"ddl", "--triggers", "--dialect", "sqlite"},
                                                   {"ddl", "--triggers", "--dialect", "postgresql"},
                                                   {"ddl", "--dialect", "sqlite"},
                                                   {"lock"}})
            expect_same(programs, words);
        const std::string url = url_of(database());
        for (const std::vector<std::string>& words :
             std::vector<std::vector<std::string>>{{"--database", url, "plan", key, "1"},
                                                   {"--database", url, "plan", key, "1", "--json"},
                                                   {"--database", url, "check", "--json"},
                                                   {"--database", url, "backfill", "status", "--json"}})
            expect_same(programs, words);
    }
};

TEST_P(twins, of_two_plugins_say_the_same) {
    ASSERT_EQ(run_program("plugin_twin", {}, {"--database", url_of(database()), "migrate"}).code, 0);
    fill_notebooks(database());
    expect_same_words(own, "notes.Notebook");
}

TEST_P(twins, of_all_models_of_the_tracker_say_the_same) {
    if (!std::filesystem::exists(program_file("tracker"))) GTEST_SKIP() << "the examples were not built";
    const scratch_folder files;
    const std::string url = url_of(database());
    const program_result made = run_program(
        "tracker", {}, {"--database", url, "generate", "--scale", "0.01", "--files", files.path().string()});
    ASSERT_EQ(made.code, 0) << made.all();
    ASSERT_EQ(run_program("tracker", {}, {"--database", url, "migrate"}).code, 0);
    expect_same_words(tracker, "tracker.Organization");
}

/// All 41 models of a program through the contract, worked by a program that never saw them.
TEST_P(twins, the_stock_program_deletes_an_organization_of_the_tracker) {
    if (!std::filesystem::exists(program_file("tracker"))) GTEST_SKIP() << "the examples were not built";
    const scratch_folder files;
    const std::string url = url_of(database());
    ASSERT_EQ(
        run_program("tracker", {}, {"--database", url, "generate", "--scale", "0.01", "--files", files.path().string()})
            .code,
        0);
    ASSERT_EQ(run_program("tracker", {}, {"--database", url, "migrate"}).code, 0);
    const auto stock = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"--database", url});
        return run_program("winnow", tracker.plugins, words, {"TRACKER_FILES=" + files.path().string()});
    };
    const auto files_left = [&] {
        return std::distance(std::filesystem::directory_iterator(files.path()), std::filesystem::directory_iterator());
    };
    const auto before = files_left();
    const std::int64_t attachments = count(database(), "tracker_attachment",
                                           "project_id IN (SELECT id FROM tracker_project WHERE organization_id = 2)");
    ASSERT_GT(attachments, 0);
    const program_result scheduled = stock({"schedule", "tracker.Organization", "2", "--in", "0d", "--yes"});
    ASSERT_EQ(scheduled.code, 0) << scheduled.all();
    const program_result run = stock({"deletions", "run"});
    EXPECT_EQ(run.code, 0) << run.all();
    EXPECT_TRUE(run.says("is about to go")) << "the hook of the organization: " << run.all();
    EXPECT_EQ(count(database(), "tracker_organization", "id = 2"), 0);
    EXPECT_EQ(before - files_left(), attachments);
    const program_result orphans = stock({"deletions", "orphans"});
    EXPECT_TRUE(orphans.says("0 orphans")) << orphans.all();
}

INSTANTIATE_TEST_SUITE_P(databases, twins, all_databases(), name_of_database);

}  // namespace
