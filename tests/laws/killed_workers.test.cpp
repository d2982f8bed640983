// SPDX-License-Identifier: Apache-2.0
// Laws L1 and L2: a worker that is killed at any statement, or in the middle of one, leaves no orphan behind,
// and whoever goes on ends where an undisturbed run would have ended, with every row counted once.

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <map>
#include <memory>
#include <optional>

#include <fcntl.h>
#include <unistd.h>

#include "laws/child_process.hpp"
#include "laws/observed_connection.hpp"
#include "laws/run_tree.hpp"

namespace {

using namespace winnow_test;

class killed_workers : public on_every_database {};
INSTANTIATE_TEST_SUITE_P(databases, killed_workers, all_databases(), name_of_database);

/// Where hooks of all processes write down for which rows they were called: "B" or "A", table and key.
class hook_diary {
public:
    explicit hook_diary(random_tree& tree) : path_(std::filesystem::temp_directory_path() / unused_name()) {
        file_ = ::open(path_.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
        for (std::size_t index = 0; index < tree.tables(); index += 2) {
            tree.plans()[index].hooks.before_delete = {write_before, &file_};
            tree.plans()[index].hooks.after_delete = {write_after, &file_};
            tree.plans()[index].strategy = winnow::strategy::per_row;
        }
    }
    hook_diary(const hook_diary&) = delete;
    hook_diary& operator=(const hook_diary&) = delete;
    ~hook_diary() {
        ::close(file_);
        std::filesystem::remove(path_);
    }

    /// The first row that went without its hooks; empty when there is none.
    [[nodiscard]] std::string missed(const random_tree& tree, const std::vector<random_tree::table_rows>& left) const {
        std::map<std::string, int> calls;
        std::ifstream diary(path_);
        for (std::string line; std::getline(diary, line);) ++calls[line];
        for (std::size_t index = 0; index < tree.tables(); index += 2) {
            for (const auto& [id, one] : tree.rows()[index]) {
                if (left[index].count(id) != 0) continue;
                const std::string name = " random." + random_tree::table(index) + " " + std::to_string(id);
                if (calls["B" + name] == 0) return "before_delete was not called for" + name;
                if (calls["A" + name] == 0) return "after_delete was not called for" + name;
            }
        }
        return {};
    }

private:
    static void write(const void* state, char mark, winnow::row_values row, const winnow::hook_context& about) {
        const std::string line = std::string(1, mark) + " " + std::string(about.model) + " " +
                                 std::to_string(std::get<std::int64_t>(row[0])) + "\n";
        if (::write(*static_cast<const int*>(state), line.data(), line.size()) < 0) std::abort();
    }
    static void write_before(const void* state, winnow::row_values row, const winnow::hook_context& about) {
        write(state, 'B', row, about);
    }
    static void write_after(const void* state, winnow::row_values row, const winnow::hook_context& about) {
        write(state, 'A', row, about);
    }

    std::filesystem::path path_;
    int file_ = -1;
};

/// Works until nothing is due, or until statement number `last`, after which the process kills itself.
void work_until(fresh_database& database, const random_tree& tree, std::optional<std::uint64_t> last) {
    auto watched = std::make_unique<observed_connection>(database.open());
    std::uint64_t number = 0;
    watched->before = [&](std::string_view, std::span<const winnow::parameter>) {
        if (last && number++ == *last) std::raise(SIGKILL);
    };
    tree_runner run(std::move(watched), tree);
    (void)run_to_end(run.context());
}

TEST_P(killed_workers, end_where_an_undisturbed_run_ends) {
    const std::uint64_t seed = first_seed();
    const std::uint64_t count = tree_count(GetParam() == winnow::dialect::sqlite ? 200 : 60);
    install(*database().open());
    std::uint64_t kills = 0;
    for (std::uint64_t number = 0; number < count; ++number) {
        SCOPED_TRACE("WINNOW_SEED=" + std::to_string(seed + number) + " WINNOW_TREES=1");
        std::mt19937_64 random(seed + number);
        random_tree tree(seed + number, random() % 3 != 0);
        std::optional<hook_diary> diary;
        if (random() % 3 == 0) diary.emplace(tree);
        {
            tree_runner run(database().open(), tree);
            prepare(database(), *run.database, tree);
            schedule_now(run.context(), 0, 2);
        }
        bool ended = false;
        for (std::uint64_t kill = random() % 8 + 1; kill > 0 && !ended; --kill) {
            // Half of them before a certain statement, half at any moment.
            std::optional<std::uint64_t> last;
            if (random() % 2 == 0) last = random() % 150;
            child_process worker([&] { work_until(database(), tree, last); });
            if (!last) {
                std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
                worker.kill();
            }
            const child_process::ending end = worker.wait();
            ASSERT_TRUE(end.killed || end.code == 0);
            ended = !end.killed;
            if (end.killed) ++kills;
            tree_runner look(database().open(), tree);
            expire_leases(*look.database);
            ASSERT_EQ(orphans(look.context()), "");
        }
        tree_runner run(database().open(), tree);
        for (const winnow::deletion_report& one : run_to_end(run.context()))
            ASSERT_EQ(winnow::name_of(one.outcome), "completed") << one.detail;
        const std::vector<random_tree::table_rows> wanted = tree.after_deleting(2);
        ASSERT_EQ(difference(wanted, read_rows(*run.database, tree)), "");
        ASSERT_EQ(orphans(run.context()), "");
        ASSERT_EQ(database().number("SELECT count(*) FROM winnow_cell_scheduled_deletion"), 0);
        ASSERT_EQ(database().number("SELECT count(*) FROM winnow_grave"), 0);
        const winnow::audit_entry last = winnow::list_audit(*run.database, "", "").back();
        ASSERT_EQ(last.action, "completed");
        ASSERT_EQ(last.progress, counts_between(tree.rows(), wanted));
        if (diary) {
            ASSERT_EQ(diary->missed(tree, wanted), "");
        }
        drop(*run.database, tree);
        run.database->execute_script("DELETE FROM winnow_audit");
    }
    // Workers that always end before they are killed would prove nothing.
    if (count >= 20) {
        EXPECT_GT(kills, count / 2);
    }
    RecordProperty("kills", std::to_string(kills));
}

}  // namespace
