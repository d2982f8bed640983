// SPDX-License-Identifier: Apache-2.0
// One plugin a defect: each is refused with a sentence that names file, field and remedy, and the models are as before.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "host_models.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plugin/inspect.hpp"
#include "winnow/plugin/loader.hpp"

namespace {

using namespace winnow_test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using winnow::plugin_loader;

/// A host in which one good plugin is loaded already.
class broken : public testing::Test {
protected:
    broken() { loader.load({module_file("remark")}); }

    /// What is said when these files are loaded; the models must be as before.
    std::string refusal_of(std::vector<std::string> files) {
        const std::shared_ptr<const winnow::loaded_models> before = loader.current();
        const winnow::error problem = error_of([&] { loader.load(files); });
        EXPECT_EQ(problem.kind(), winnow::failure::configuration);
        EXPECT_EQ(loader.current(), before) << "nothing was published";
        EXPECT_EQ(before->models.size(), 3U);
        return problem.what();
    }
    std::string refusal_of_module(std::string_view name) { return refusal_of({module_file(name)}); }

    plugin_loader loader{topic_parts()};
};

/// The file, what is wrong with what, and what to do.
auto names(std::string_view module, std::string_view field, std::string_view remedy) {
    return AllOf(HasSubstr(module_file(module)), HasSubstr(std::string(field)), HasSubstr(std::string(remedy)));
}

TEST_F(broken, no_symbol) {
    EXPECT_THAT(refusal_of_module("no_symbol"),
                names("no_symbol", "does not export the symbol winnow_plugin", "winnow_add_plugin()"));
}
TEST_F(broken, symbol_is_function) {
    EXPECT_THAT(refusal_of_module("symbol_is_function"), names("symbol_is_function", "exports a function", "constant"));
}
TEST_F(broken, not_constant) {
    EXPECT_THAT(refusal_of_module("not_constant"),
                names("not_constant", "winnow_plugin.size", "Define it as a constant"));
}
TEST_F(broken, wrong_size) {
    EXPECT_THAT(refusal_of_module("wrong_size"),
                names("wrong_size", "winnow_plugin.size is", "sizeof(winnow_plugin_entry)"));
}
TEST_F(broken, newer_abi_is_refused_before_any_of_its_code_runs) {
    EXPECT_THAT(
        refusal_of_module("newer_abi"),
        AllOf(names("newer_abi", "winnow_plugin.abi_version is 2", "Update this program"), HasSubstr("takes 1 to 1")));
}
TEST_F(broken, older_abi) {
    EXPECT_THAT(refusal_of_module("older_abi"),
                names("older_abi", "winnow_plugin.abi_version is 0", "Build the plugin again"));
}
TEST_F(broken, null_strings) {
    EXPECT_THAT(refusal_of_module("null_strings"),
                AllOf(names("null_strings", "name", ""), HasSubstr("plans[0].key"), HasSubstr("reasons:")));
}
TEST_F(broken, cycle_with_host) {
    EXPECT_THAT(refusal_of_module("cycle_with_host"),
                names("cycle_with_host", "is part of a cycle of cascade relations", "std::optional"));
}
TEST_F(broken, wrong_silo) {
    EXPECT_THAT(refusal_of_module("wrong_silo"),
                AllOf(names("wrong_silo", "in the control silo", "Put both into one silo"),
                      HasSubstr("app.Topic of this program")));
}
TEST_F(broken, unknown_parent) {
    EXPECT_THAT(refusal_of_module("unknown_parent"),
                names("unknown_parent", "attaches itself to app.Nowhere", "add that model"));
}
TEST_F(broken, duplicate_key) {
    EXPECT_THAT(refusal_of_module("duplicate_key"),
                AllOf(names("duplicate_key", "two models have this key", "Give one of them another"),
                      HasSubstr("this program")));
}
TEST_F(broken, duplicate_table) {
    EXPECT_THAT(refusal_of_module("duplicate_table"),
                AllOf(names("duplicate_table", "has the same table as app.Post of this program",
                            "leave one of the two models out")));
}
TEST_F(broken, missing_sql) {
    EXPECT_THAT(refusal_of_module("missing_sql"),
                names("missing_sql", "statements.remove.sqlite", "write the statement"));
}
TEST_F(broken, lying_capability) {
    EXPECT_THAT(refusal_of_module("lying_capability"), names("lying_capability", "migrations", ""));
}
TEST_F(broken, foreign_option) {
    EXPECT_THAT(
        refusal_of_module("foreign_option"),
        AllOf(
            names("foreign_option", "option `deletion.max_rows` is winnow's own", "Leave it out"),
            HasSubstr(
                "option `other.color` is none of its models' options, and an option of its own begins with `note.`")));
}
TEST_F(broken, missing_dependency) {
    EXPECT_THAT(
        refusal_of_module("missing_dependency"),
        AllOf(names("missing_dependency", "needs the library", "run path ($ORIGIN)"), HasSubstr("absent_library")));
}
TEST_F(broken, undefined_symbol) {
    EXPECT_THAT(refusal_of_module("undefined_symbol"),
                names("undefined_symbol", "uses `winnow_test_nowhere`", "Link what defines it"));
}
TEST_F(broken, a_text_file) {
    const copied_file text(std::string(WINNOW_TEST_MODULES) + "/text.so");
    EXPECT_THAT(refusal_of({text.path()}), AllOf(HasSubstr(text.path()), HasSubstr("no shared library (ELF)")));
}
TEST_F(broken, a_library_that_is_cut_off_anywhere) {
    const std::string whole = module_file("note");
    const auto size = static_cast<std::size_t>(std::filesystem::file_size(whole));
    // To map one that lacks a page would end this process with SIGBUS.
    for (std::size_t left = 0; left < size; left += size / 40 + 1) {
        const copied_file cut(whole);
        std::filesystem::resize_file(cut.path(), left);
        EXPECT_THAT(refusal_of({cut.path()}), HasSubstr(cut.path())) << left << " of " << size;
    }
}
TEST_F(broken, a_library_for_another_machine) {
    const copied_file other(module_file("note"));
    std::fstream file(other.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(18);  // e_machine
    file.put('\x28').put('\x00');
    file.close();
    EXPECT_THAT(refusal_of({other.path()}), HasSubstr("is made for another kind of processor"));
}
TEST_F(broken, tables_of_the_file_that_contradict_each_other) {
    // A wrong byte anywhere in the headers is refused or harmless, and never the end of the process.
    const std::string whole = module_file("no_symbol");
    for (std::size_t at = 4; at < 64 + 56 * 4; ++at) {
        const copied_file bad(whole);
        std::fstream file(bad.path(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(at));
        file.put('\xff');
        file.close();
        (void)refusal_of({bad.path()});
    }
}
TEST_F(broken, a_program_is_no_library) {
    EXPECT_THAT(refusal_of({std::filesystem::read_symlink("/proc/self/exe").string()}), HasSubstr("is a program"));
}

TEST_F(broken, group_writable_file) {
    const copied_file file(module_file("note"));
    ASSERT_EQ(::chmod(file.path().c_str(), 0664), 0);
    EXPECT_THAT(refusal_of({file.path()}), AllOf(HasSubstr("can be written to by its group"), HasSubstr("chmod go-w")));
    ASSERT_EQ(::chmod(file.path().c_str(), 0646), 0);
    EXPECT_THAT(refusal_of({file.path()}), HasSubstr("can be written to by everybody"));
}
TEST_F(broken, writable_folder) {
    const copied_file file(module_file("note"));
    ASSERT_EQ(::chmod(file.folder().c_str(), 0777), 0);
    EXPECT_THAT(refusal_of({file.path()}),
                AllOf(HasSubstr("in which others can replace it"), HasSubstr("chmod go-w " + file.folder())));
    // As /tmp: others may add files, and not touch this one.
    ASSERT_EQ(::chmod(file.folder().c_str(), 01777), 0);
    EXPECT_NO_THROW(loader.load({file.path()}));
}
TEST_F(broken, another_users_file) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
    const copied_file file(module_file("note"));
    ASSERT_EQ(::chown(file.path().c_str(), 12345, 12345), 0);
    EXPECT_THAT(refusal_of({file.path()}), HasSubstr("belongs to another user (number 12345)"));
}
TEST_F(broken, no_regular_file) {
    EXPECT_THAT(refusal_of({WINNOW_TEST_MODULES}), HasSubstr("is a folder"));
    EXPECT_THAT(refusal_of({"/dev/null"}), HasSubstr("is no regular file"));
    const copied_file fifo(module_file("note"));
    const std::string pipe = fifo.folder() + "/pipe.so";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THAT(refusal_of({pipe}), HasSubstr("is no regular file"));
    EXPECT_THAT(refusal_of({"./nowhere.so"}), HasSubstr("no such file"));
    EXPECT_THAT(refusal_of({""}), HasSubstr("an empty name"));
}

TEST(file_check, a_file_outside_of_the_folders_is_refused) {
    const copied_file inside(module_file("note"), "note.so");
    const copied_file outside(module_file("note"), "note.so");
    plugin_loader loader(topic_parts(), {.places = {.folders = {inside.folder()}}});
    EXPECT_THAT(error_of([&] { loader.load({outside.path()}); }).what(),
                AllOf(HasSubstr(outside.path()),
                      HasSubstr("is not in a folder that plugins may come from (" + inside.folder() + ")")));
    // A link in a folder does not bring what it points to in.
    std::filesystem::create_symlink(outside.path(), inside.folder() + "/link.so");
    EXPECT_THAT(error_of([&] { loader.load({inside.folder() + "/link.so"}); }).what(), HasSubstr(outside.path()));
    EXPECT_THAT(error_of([&] { loader.load({inside.folder() + "/../" + outside.path()}); }).what(),
                HasSubstr("no such file"));
    EXPECT_NO_THROW(loader.load({inside.path()}));
}

TEST(file_check, a_name_without_slash_is_looked_for) {
    const copied_file first(module_file("note"), "note.so");
    plugin_loader loader(topic_parts(), {.places = {.search = {"/nonexistent", first.folder()}}});
    EXPECT_THAT(error_of([&] { loader.load({"reply"}); }).what(),
                AllOf(HasSubstr("there is no such plugin in /nonexistent, " + first.folder()),
                      HasSubstr("WINNOW_PLUGIN_PATH")));
    loader.load({"note"});
    EXPECT_EQ(loader.current()->plugins.at(0)->file().path, first.path());
}

TEST_F(broken, the_same_file_twice_names_both) {
    const std::string note = module_file("note");
    EXPECT_THAT(refusal_of({note, std::string(WINNOW_TEST_MODULES) + "/./note.so"}),
                HasSubstr("is named twice, as " + note + " and as "));
    loader.load({note});
    EXPECT_THAT(error_of([&] { loader.load({note}); }).what(),
                HasSubstr("is loaded already, as plugin note from " + note));
}
TEST_F(broken, A46_the_same_name_twice_names_both) {
    loader.load({module_file("note")});
    const auto before = loader.current();
    EXPECT_THAT(
        error_of([&] { loader.load({module_file("same_name_as_note")}); }).what(),
        AllOf(HasSubstr(module_file("same_name_as_note")), HasSubstr(module_file("note")), HasSubstr("have one name")));
    EXPECT_EQ(loader.current(), before);
}
TEST_F(broken, A46_the_second_of_one_table_is_refused_and_the_first_stays_usable) {
    loader.load({module_file("note")});
    const auto before = loader.current();
    EXPECT_THAT(error_of([&] { loader.load({module_file("same_table_as_note")}); }).what(),
                AllOf(HasSubstr("diary.Note of plugin diary (" + module_file("same_table_as_note")),
                      HasSubstr("note.Note of plugin note (" + module_file("note") + ")")));
    EXPECT_EQ(loader.current(), before);
    topic_database database;
    database.add_note_table();
    database.session->execute_script("CREATE TABLE remark (id bigint PRIMARY KEY, topic_id bigint)");
    EXPECT_EQ(database.delete_topic(loader.current()->models).outcome, winnow::deletion_outcome::completed);
    EXPECT_EQ(database.count("note"), 0);
}

TEST_F(broken, every_reason_of_every_file_is_listed) {
    EXPECT_THAT(refusal_of({module_file("no_symbol"), module_file("note"), module_file("null_strings"), "/dev/null"}),
                AllOf(HasSubstr(module_file("no_symbol")), HasSubstr("plans[0].key"), HasSubstr("/dev/null: "),
                      Not(HasSubstr("/note.so:"))));
}

TEST(start, the_first_is_undone_when_the_second_fails) {
    kept_log log;
    plugin_loader loader(topic_parts(), {.log = &log});
    const auto before = loader.current();
    EXPECT_THAT(error_of([&] { loader.load({module_file("note"), module_file("start_fails")}); }).what(),
                AllOf(HasSubstr(module_file("start_fails")), HasSubstr("the license file is missing")));
    EXPECT_EQ(loader.current(), before);
    EXPECT_THAT(log.lines(), testing::ElementsAre("started plugin=note", "stopped plugin=note"));
    EXPECT_NO_THROW(loader.load({module_file("note")}));
}

TEST(hooks, one_that_fails_fails_the_deletion_with_its_text) {
    plugin_loader loader(topic_parts());
    loader.load({module_file("hook_fails")});
    topic_database database;
    database.add_note_table();
    const winnow::error failed = error_of([&] { database.delete_topic(loader.current()->models); });
    EXPECT_THAT(failed.what(),
                AllOf(HasSubstr("plugin note"), HasSubstr("the archive is full"), HasSubstr("before_delete")));
    EXPECT_EQ(database.count("note"), 2) << "nothing is gone";
}

TEST(hooks, A44_an_exception_that_leaves_one_fails_the_deletion_and_not_the_process) {
    plugin_loader loader(topic_parts());
    loader.load({module_file("hook_throws")});
    topic_database database;
    database.add_note_table();
    const winnow::error failed = error_of([&] { database.delete_topic(loader.current()->models); });
    EXPECT_THAT(failed.what(), AllOf(HasSubstr("plugin note"), HasSubstr("no std::exception")));
    EXPECT_EQ(database.count("note"), 2) << "nothing is gone";
}

TEST(inspect, exports_too_much_is_a_warning_with_the_remedy) {
    const plugin_loader loader(topic_parts());
    const winnow::plugin_report report = inspect_plugin(module_file("exports_too_much"), {}, loader.current()->models);
    EXPECT_TRUE(report.wrong.empty());
    ASSERT_EQ(report.warnings.size(), 1U);
    EXPECT_THAT(report.warnings[0], AllOf(HasSubstr("exports 1 name besides winnow_plugin (helper_of_mine)"),
                                          HasSubstr("winnow_add_plugin()")));
    EXPECT_TRUE(inspect_plugin(module_file("note"), {}, loader.current()->models).warnings.empty());
}

TEST(inspect, tells_what_a_file_brings_without_starting_it) {
    const plugin_loader loader(topic_parts());
    const winnow::plugin_report report = inspect_plugin(module_file("note"), {}, loader.current()->models);
    ASSERT_NE(report.part, nullptr) << report.wrong.at(0);
    EXPECT_EQ(report.part->name, "note");
    EXPECT_EQ(report.part->migrations.size(), 1U);
    EXPECT_EQ(report.stamp.abi_version, WINNOW_ABI_VERSION);
    ASSERT_EQ(report.others.size(), 1U);
    EXPECT_EQ(report.others[0].other, "app.Topic");
    EXPECT_TRUE(report.others[0].known);
}

TEST(inspect, tells_everything_that_is_wrong_with_a_file) {
    const plugin_loader loader(topic_parts());
    const auto wrong = [&](std::string_view name) {
        std::string text;
        for (const std::string& one : inspect_plugin(module_file(name), {}, loader.current()->models).wrong)
            text += one + "\n";
        return text;
    };
    EXPECT_THAT(wrong("duplicate_table"), HasSubstr("has the same table"));
    EXPECT_THAT(wrong("newer_abi"), HasSubstr("abi_version is 2"));
    EXPECT_THAT(wrong("no_symbol"), HasSubstr("does not export"));
    const winnow::plugin_report missing =
        inspect_plugin(module_file("missing_dependency"), {}, loader.current()->models);
    ASSERT_EQ(missing.missing.size(), 1U);
    EXPECT_THAT(missing.missing[0], HasSubstr("absent_library"));
    EXPECT_EQ(inspect_plugin(module_file("unknown_parent"), {}, loader.current()->models).others.at(0).known, false);
}

}  // namespace
