// SPDX-License-Identifier: Apache-2.0
// A program with models of its own, and plugins beside them.
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "library_program.hpp"

namespace {

using namespace winnow_test;

std::string module_file(std::string_view name) {
    return std::string(WINNOW_TEST_MODULES) + "/" + std::string(name) + ".so";
}

/// The library with topics, which one plugin brings, and notes about them, which another brings with their table.
class parts : public library_program {
protected:
    void SetUp() override {
        library_program::SetUp();
        migrate();
        database().run(
            "CREATE TABLE topic (id bigint PRIMARY KEY, topic_id bigint); INSERT INTO topic (id) VALUES (1), (2);");
    }
    [[nodiscard]] program_result with_plugins(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"--plugin", module_file("topic"), "--plugin", module_file("note")});
        return run(std::move(arguments));
    }
    [[nodiscard]] program_result with_topic(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"--plugin", module_file("topic")});
        return run(std::move(arguments));
    }
};
INSTANTIATE_TEST_SUITE_P(databases, parts, all_databases(), name_of_database);

TEST_P(parts, are_listed_with_where_they_come_from) {
    const program_result text = with_plugins({"plugins", "list"});
    EXPECT_EQ(text.code, 0) << text.all();
    EXPECT_TRUE(text.says("(this program)") && text.says(module_file("note"))) << text.all();
    const nlohmann::json all = with_plugins({"plugins", "list", "--json"}).document().at("parts");
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].at("kind"), "program");
    EXPECT_EQ(all[1].at("name"), "topic");
    EXPECT_EQ(all[2].at("models").at(0).at("key"), "note.Note");
    EXPECT_EQ(all[2].at("migrations").at(0).at("name"), "note");
}

TEST_P(parts, are_named_on_the_line_in_the_environment_or_in_the_file) {
    const auto names = [](const program_result& result) {
        std::string text;
        const nlohmann::json all = result.document();
        for (const nlohmann::json& one : all.at("parts"))
            text += one.at("name").is_null() ? "-" : one.at("name").get<std::string>();
        return text;
    };
    const std::string folder = WINNOW_TEST_MODULES;
    EXPECT_EQ(names(run_library({"plugins", "list", "--json"},
                                "WINNOW_PLUGINS=" + module_file("topic") + ":" + module_file("note"))),
              "-topicnote");
    EXPECT_EQ(
        names(run_library({"--plugin", "topic", "plugins", "list", "--json"}, "WINNOW_PLUGIN_PATH=/nowhere:" + folder)),
        "-topic");
    const scratch_folder scratch;
    const std::string file = (scratch / "winnow.json").string();
    std::ofstream(file) << nlohmann::json{{"plugins", nlohmann::json::array({"topic"})},
                                          {"plugin_folders", nlohmann::json::array({folder})}};
    EXPECT_EQ(names(run_library({"--config", file, "plugins", "list", "--json"})), "-topic");
    EXPECT_EQ(
        names(run_library({"--config", file, "--plugin", "remark", "--plugin", "topic", "plugins", "list", "--json"})),
        "-remarktopic")
        << "the line decides";
    std::filesystem::copy_file(module_file("topic"), scratch / "topic.so");
    const program_result outside =
        run_library({"--config", file, "--plugin", (scratch / "topic.so").string(), "models"});
    EXPECT_EQ(outside.code, 1) << outside.all();
    EXPECT_TRUE(outside.complains("is not in a folder that plugins may come from")) << outside.all();
}

TEST_P(parts, A45_a_model_that_is_listed_and_absent_is_reported_at_the_start) {
    const scratch_folder scratch;
    const std::string file = (scratch / "winnow.json").string();
    std::ofstream(file) << nlohmann::json{{"required_models", {"library.Branch", "app.Topic"}}};
    const program_result absent = run({"--config", file, "models"});
    EXPECT_EQ(absent.code, 2) << absent.all();
    EXPECT_TRUE(absent.complains("The models app.Topic are required (required_models) and are not there"))
        << absent.all();
    EXPECT_TRUE(absent.complains("of this program: library.Loan")) << absent.all();
    EXPECT_EQ(with_topic({"--config", file, "models"}).code, 0);
}

TEST_P(parts, keep_tables_that_migrate_makes) {
    const program_result before = with_plugins({"deletions", "list"});
    EXPECT_EQ(before.code, 1) << before.all();
    EXPECT_TRUE(before.complains("step `note` is missing") && before.complains("Run `migrate`.")) << before.all();
    const program_result pending = with_plugins({"check"});
    EXPECT_EQ(pending.code, 1) << pending.all();
    EXPECT_TRUE(pending.says("[pending_step]")) << pending.all();
    const program_result script = with_plugins({"ddl"});
    EXPECT_TRUE(script.says("CREATE TABLE note (") && script.says("INSERT INTO winnow_plugin_step")) << script.all();
    const program_result done = with_plugins({"migrate"});
    EXPECT_TRUE(done.says("1 step of plugins applied.")) << done.all();
    EXPECT_EQ(with_plugins({"migrate", "--json"}).document().at("plugin_steps"), 0);
    EXPECT_EQ(with_plugins({"deletions", "list"}).code, 0);
    const program_result without = with_topic({"check"});
    EXPECT_EQ(without.code, 1) << without.all();
    EXPECT_TRUE(without.says("The tables of plugin note are in this database and it is not loaded: give --plugin"))
        << without.all();
}

TEST_P(parts, a_deletion_whose_plugin_is_absent_is_shown_and_runs_when_it_is_back) {
    ASSERT_EQ(with_plugins({"migrate"}).code, 0);
    database().run("INSERT INTO note VALUES (1, 1), (2, 1), (3, 2);");
    ASSERT_EQ(with_plugins({"schedule", "app.Topic", "1", "--in", "0d", "--yes"}).code, 0);
    const auto expect_visible = [&] {
        const program_result list = run({"deletions", "list"});
        EXPECT_TRUE(list.says("no loaded model has the key app.Topic; load the plugin")) << list.all();
        const program_result show = run({"deletions", "show", "app.Topic", "1"});
        EXPECT_EQ(show.code, 0) << show.all();
        EXPECT_TRUE(show.says("app.Topic 1 waits: no loaded model has the key app.Topic; load the plugin"))
            << show.all();
    };
    expect_visible();
    const program_result idle = run({"deletions", "run"});
    EXPECT_EQ(idle.code, 0) << idle.all();
    expect_visible();
    const program_result done = with_plugins({"deletions", "run"});
    EXPECT_TRUE(done.says("app.Topic 1: deleted")) << done.all();
    EXPECT_EQ(database().number("SELECT count(*) FROM note"), 1);
    const program_result mistake = run({"deletions", "show", "app.Topc", "1"});
    EXPECT_EQ(mistake.code, 1) << mistake.all();
}

TEST_P(parts, bring_options_that_are_listed_with_their_origin) {
    ASSERT_EQ(with_plugins({"migrate"}).code, 0);
    nlohmann::json color;
    const nlohmann::json all = with_plugins({"options", "list", "--json"}).document();
    for (const nlohmann::json& one : all.at("options"))
        if (one.at("name") == "note.color") color = one;
    EXPECT_EQ(color.value("value", ""), "blue");
    EXPECT_EQ(color.value("origin", ""), "plugin note (" + module_file("note") + ")");
    EXPECT_EQ(with_plugins({"options", "set", "note.color", "red"}).code, 0);
    EXPECT_TRUE(with_plugins({"options", "get", "note.color"}).says("red"));
}

TEST_P(parts, a_broken_plugin_is_a_sentence_and_never_a_crash) {
    const program_result refused = run({"--plugin", module_file("newer_abi"), "models"});
    EXPECT_EQ(refused.code, 1) << refused.all();
    EXPECT_TRUE(refused.complains(module_file("newer_abi") + ": winnow_plugin.abi_version is 2")) << refused.all();
    const program_result both =
        run({"--plugin", module_file("no_symbol"), "--plugin", module_file("text"), "models", "--json"});
    EXPECT_EQ(both.code, 1) << both.all();
    EXPECT_EQ(both.document().at("error").at("kind"), "configuration");
    EXPECT_TRUE(both.complains(module_file("no_symbol")) && both.complains(module_file("text"))) << both.all();
}

TEST_P(parts, inspect_explains_one_file) {
    // Not even a plugin that is named and broken keeps it from that.
    const program_result good = run({"--plugin", "/nowhere.so", "plugins", "inspect", module_file("note")});
    EXPECT_EQ(good.code, 0) << good.all();
    EXPECT_TRUE(good.says("note 1.0.0, notes about topics") && good.says("attaches itself to app.Topic") &&
                good.says("It can be loaded."))
        << good.all();
    const program_result bad = run({"plugins", "inspect", module_file("null_strings")});
    EXPECT_EQ(bad.code, 1) << bad.all();
    EXPECT_TRUE(bad.says("refused: " + module_file("null_strings"))) << bad.all();
    const nlohmann::json report = run({"plugins", "inspect", module_file("exports_too_much"), "--json"}).document();
    EXPECT_EQ(report.at("loadable"), true);
    EXPECT_EQ(report.at("warnings").size(), 1U);
    EXPECT_EQ(report.at("exports").size(), 2U);
    EXPECT_EQ(report.at("plugin").at("name"), "note");
}

}  // namespace
