// SPDX-License-Identifier: Apache-2.0
// What goes wrong around plugins: processes that die inside of them, that know different ones, that are older than the
// database.
#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "installations.hpp"

namespace {

using namespace winnow_test;

class attacks : public stock_program {
protected:
    /// The same installation with other plugins.
    [[nodiscard]] program_result run_with(const std::vector<std::string>& plugins,
                                          std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"--database", url_of(database())});
        return run_program("winnow", plugins, arguments, {files_.variable()});
    }
};

/// A file that whoever writes to it waits in, forever: a pipe that is full. It can be seen when someone opens it.
class full_pipe {
public:
    explicit full_pipe(const std::filesystem::path& path) {
        if (::mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
        pipe_ = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
        while (::write(pipe_, "\n", 1) == 1) {}
        watch_ = ::inotify_init1(IN_CLOEXEC);
        if (::inotify_add_watch(watch_, path.c_str(), IN_OPEN) < 0) throw std::runtime_error("inotify_add_watch");
    }
    full_pipe(const full_pipe&) = delete;
    full_pipe& operator=(const full_pipe&) = delete;
    ~full_pipe() {
        ::close(watch_);
        ::close(pipe_);
    }
    /// Waits until somebody has opened it. @return false when a minute has gone by
    [[nodiscard]] bool was_opened() const {
        pollfd event{watch_, POLLIN, 0};
        return ::poll(&event, 1, 60'000) == 1;
    }

private:
    int pipe_;
    int watch_;
};

TEST_P(attacks, a_process_that_is_killed_inside_a_hook_leaves_everything_to_the_next) {
    expect_done({"options", "set", "deletion.lease_seconds", "2"});
    expect_done({"schedule", "notes.Notebook", "1", "--in", "0d", "--yes"});
    {
        const full_pipe journal(files_.journal());
        started_program worker({program_file("winnow"), "--plugin", plugin("notes"), "--plugin", plugin("access_log"),
                                "--database", url_of(database()), "deletions", "run"},
                               {files_.variable()});
        EXPECT_TRUE(journal.was_opened()) << "pending_delete writes to it";
        const program_result died = worker.kill();
        EXPECT_EQ(died.code, 128 + SIGKILL) << died.all();
    }
    EXPECT_EQ(rows("notes_notebook", "id = 1"), 1);
    EXPECT_EQ(rows("notes_note", "notebook_id = 1"), 150) << "nothing goes before pending_delete has returned";
    EXPECT_EQ(files_.files(), 300);
    std::filesystem::remove(files_.journal());
    expect_done({"deletions", "run", "--until-idle"});
    EXPECT_EQ(rows("notes_notebook", "id = 1"), 0);
    EXPECT_EQ(rows("notes_note", "notebook_id = 1"), 0);
    EXPECT_EQ(rows("access_log_entry", "notebook_id = 1"), 0);
    EXPECT_EQ(files_.files(), 150);
    EXPECT_TRUE(text_of_file(files_.journal()).starts_with("notebook 1 goes")) << "the hook was called again";
}

/// One process knows both plugins, the other only one of them. What the other cannot know it is told by the database.
TEST_P(attacks, a_process_without_one_of_the_plugins_is_told) {
    const program_result check = run_with({plugin("notes")}, {"check"});
    EXPECT_EQ(check.code, 1) << check.all();
    EXPECT_TRUE(check.says("access_log") && check.says("--plugin")) << check.all();
    expect_done({"options", "set", "deletion.strict", "true"});
    expect_done({"schedule", "notes.Notebook", "1", "--in", "0d", "--yes"});
    const program_result held = run_with({plugin("notes")}, {"deletions", "run"});
    EXPECT_EQ(held.code, 1) << held.all();
    EXPECT_TRUE(held.says("access_log")) << held.all();
    EXPECT_EQ(rows("notes_note", "notebook_id = 1"), 150);
    EXPECT_EQ(rows("access_log_entry"), 400);
    expect_done({"deletions", "retry", "notes.Notebook", "1"});
    expect_done({"deletions", "run"});
    EXPECT_EQ(rows("notes_notebook"), 1);
    EXPECT_EQ(rows("access_log_entry"), 200);
}

TEST_P(attacks, two_processes_with_different_plugins_migrate_at_once) {
    const std::unique_ptr<fresh_database> empty = make_database(GetParam());
    const auto migrate = [&](const std::vector<std::string>& plugins) {
        std::vector<std::string> line = {program_file("winnow"), "--database", url_of(*empty)};
        if (GetParam() == dialect::sqlite) line.back() += "?mode=rwc&busy_timeout=60000";
        for (const std::string& one : plugins) line.insert(line.end(), {"--plugin", one});
        line.emplace_back("migrate");
        return std::make_unique<started_program>(line);
    };
    const auto first = migrate({plugin("notes")});
    const auto second = migrate({plugin("notes"), plugin("access_log")});
    const program_result one = first->result();
    const program_result two = second->result();
    EXPECT_EQ(one.code, 0) << one.all();
    EXPECT_EQ(two.code, 0) << two.all();
    EXPECT_EQ(count(*empty, "winnow_plugin_step"), 4);
    EXPECT_EQ(count(*empty, "access_log_entry"), 0);
    EXPECT_EQ(count(*empty, "notes_notebook"), 0);
}

/// The plugin is older or newer than the database: its models name a column that is not there.
TEST_P(attacks, a_column_that_the_database_does_not_have_is_named) {
    database().run("ALTER TABLE notes_note RENAME COLUMN locked TO sealed;");
    const program_result check = run({"check"});
    EXPECT_EQ(check.code, 1) << check.all();
    EXPECT_TRUE(check.says("notes_note") && check.says("locked")) << check.all();
    expect_done({"schedule", "notes.Notebook", "1", "--in", "0d", "--yes"});
    const program_result run_out = run({"deletions", "run"});
    EXPECT_EQ(run_out.code, 1) << run_out.all();
    const program_result shown = run({"deletions", "show", "notes.Notebook", "1"});
    EXPECT_TRUE(shown.says("locked")) << shown.all() << run_out.all();
    EXPECT_EQ(rows("notes_note", "notebook_id = 1"), 150);
    EXPECT_EQ(files_.files(), 300);
    database().run("ALTER TABLE notes_note RENAME COLUMN sealed TO locked;");
    expect_done({"deletions", "retry", "notes.Notebook", "1"});
    expect_done({"deletions", "run"});
    EXPECT_EQ(rows("notes_note", "notebook_id = 1"), 0);
}

INSTANTIATE_TEST_SUITE_P(databases, attacks, all_databases(), name_of_database);

}  // namespace
