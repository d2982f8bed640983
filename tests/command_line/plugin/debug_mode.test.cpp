// SPDX-License-Identifier: Apache-2.0
// Nothing but the plugin contract may lie between host and plugin: plugins built by another compiler, with other layouts of
// every standard container, work in a host that was built without.
#include <memory>
#include <string>

#include "compiled_plugin.hpp"
#include "installations.hpp"

namespace {

using namespace winnow_test;

/// Containers of libstdc++'s debug mode are larger than others and check their use.
constexpr const char* compiler = "clang++-19";
constexpr const char* flags = "-O0 -D_GLIBCXX_DEBUG -D_GLIBCXX_DEBUG_PEDANTIC";

class debug_mode : public stock_program_in_silos {
protected:
    static void SetUpTestSuite() {
        if (!there_is(compiler)) return;
        built_ = std::make_unique<scratch_folder>();
        for (const char* name : {"notes", "access_log"})
            compile_plugin(compiler, flags, name, *built_ / (std::string(name) + ".so"));
    }
    static void TearDownTestSuite() { built_.reset(); }
    void SetUp() override {
        if (built_ == nullptr) GTEST_SKIP() << compiler << " is not there";
        stock_program_in_silos::SetUp();
    }
    [[nodiscard]] std::string plugin(const std::string& name) const override {
        return (*built_ / (name + ".so")).string();
    }

    static std::unique_ptr<scratch_folder> built_;
};
std::unique_ptr<scratch_folder> debug_mode::built_;

TEST_P(debug_mode, a_plugin_of_another_compiler_deletes_copies_and_calls_its_hooks) {
    expect_done({"backfill", "run", "--until-done"});
    expect_done({"outbox", "drain"});
    EXPECT_EQ(count(*control_, "notes_notebookcopy"), 4);
    EXPECT_EQ(count(*control_, "notes_notice"), 3) << "written by the handler in the plugin";

    us_->run("UPDATE notes_note SET locked = TRUE WHERE id = 150;");
    expect_done({"--cell", "us", "schedule", "notes.Notebook", "1", "--in", "0d", "--yes"});
    const program_result refused = run({"deletions", "run"});
    EXPECT_TRUE(refused.says("before_delete failed") && refused.says("note 150 is locked; unlock it first"))
        << refused.all();
    us_->run("UPDATE notes_note SET locked = FALSE;");
    expect_done({"--cell", "us", "deletions", "retry", "notes.Notebook", "1"});
    expect_done({"deletions", "run"});
    expect_done({"outbox", "drain"});
    EXPECT_EQ(count(*us_, "notes_notebook"), 1);
    EXPECT_EQ(count(*us_, "notes_note"), 150);
    EXPECT_EQ(count(*us_, "access_log_entry"), 200);
    EXPECT_EQ(files_.files(), 150);
    EXPECT_EQ(count(*control_, "notes_notebookcopy"), 3);
    EXPECT_EQ(count(*control_, "notes_follower"), 1);
}

INSTANTIATE_TEST_SUITE_P(databases, debug_mode, all_databases(), name_of_database);

}  // namespace
