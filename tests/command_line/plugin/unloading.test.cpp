// SPDX-License-Identifier: Apache-2.0
// A plugin comes and goes in one thread while another one deletes what its table hangs below.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "plugin_programs.hpp"
#include "winnow/context/context.hpp"
#include "winnow/context/silo_directory.hpp"
#include "winnow/deletion/run.hpp"
#include "winnow/plugin/loader.hpp"
#include "winnow/store/migrations.hpp"
#include "winnow/store/own_tables.hpp"

namespace {

using namespace winnow_test;

class unloading : public on_every_database {};

TEST_P(unloading, under_a_running_deletion_waits_and_leaves_no_row_behind) {
    constexpr std::int64_t notebooks = 12;
    const notes_folder files;
    ::setenv("NOTES_FILES", std::filesystem::path(files.journal()).parent_path().c_str(), 1);
    winnow::plugin_loader loader(std::vector<winnow::model_part>{});
    loader.load({plugin_file("access_log"), plugin_file("notes")});
    winnow::steady_clock time;
    winnow::observer silent;
    {
        const winnow::connection_ptr session = database().open();
        const std::shared_ptr<const winnow::loaded_models> all = loader.current();
        (void)winnow::migrate(*session);
        (void)winnow::migrate_parts(*session, all->models.parts(), winnow::silo_mode::monolith);
        // A process that knows of rows which none of its models is for does not start.
        const winnow::context with{all->models, *session, time, silent};
        with.options().set("deletion.strict", "true", "test");
    }
    database().run(numbers(notebooks) + "INSERT INTO notes_notebook (title) SELECT 'n' FROM n;");
    database().run("INSERT INTO notes_note (notebook_id) SELECT id FROM notes_notebook;"
                   "INSERT INTO access_log_entry (notebook_id, reader) SELECT id, 'ann' FROM notes_notebook;"
                   "INSERT INTO access_log_entry (notebook_id, reader) SELECT id, 'bob' FROM notes_notebook;");

    std::atomic<bool> done = false;
    std::atomic<int> unloaded = 0;
    std::thread coming_and_going([&] {
        while (!done) {
            try {
                (void)loader.unload("access_log", std::chrono::milliseconds(20));
                ++unloaded;
                loader.load({plugin_file("access_log")});
            } catch (const winnow::error& problem) {
                EXPECT_TRUE(problem.may_retry()) << problem.what();
            }
        }
    });
    int held_back = 0;
    {
        const winnow::connection_ptr session = database().open();
        winnow::one_database silos(*session, "main");
        for (std::int64_t id = 1; id <= notebooks; ++id) {
            const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
            while (count(database(), "notes_notebook", "id = " + std::to_string(id)) == 1 &&
                   std::chrono::steady_clock::now() < deadline) {
                const std::shared_ptr<const winnow::loaded_models> now = loader.current("a deletion");
                winnow::context with{now->models, *session, time, silent};
                with.silos = &silos;
                const winnow::value key = id;
                try {
                    (void)winnow::exec_sync(with, now->models.at("notes.Notebook"), {&key, 1},
                                            {.permit = winnow::permit_purge});
                } catch (const winnow::error&) {
                    ++held_back;  // by what is known without the plugin: it is tried again
                }
            }
        }
    }
    done = true;
    coming_and_going.join();
    EXPECT_EQ(count(database(), "notes_notebook"), 0);
    EXPECT_EQ(count(database(), "notes_note"), 0);
    EXPECT_EQ(count(database(), "access_log_entry"), 0) << held_back << " deletions were held back";
    EXPECT_GT(unloaded.load(), 0);
}

INSTANTIATE_TEST_SUITE_P(databases, unloading, all_databases(), name_of_database);

}  // namespace
