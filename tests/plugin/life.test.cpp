// SPDX-License-Identifier: Apache-2.0
// Plugins come and go while others work with their models.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host_models.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plugin/loader.hpp"

// clang says it in its own way.
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WINNOW_TEST_UNDER_SANITIZER
#endif
#endif

namespace {

using namespace winnow_test;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using winnow::plugin_loader;

/// A copy of the module of its own: one that stays in memory elsewhere would stay here, too.
class life : public testing::Test {
protected:
    life() : note_file(module_file("note"), "note_of_life.so"), reply_file(module_file("reply"), "reply_of_life.so") {}
    copied_file note_file;
    copied_file reply_file;
    std::string note = note_file.path();
    std::string reply = reply_file.path();
};
using unload = life;

bool is_mapped(const std::string& file) {
    std::ifstream maps("/proc/self/maps");
    const std::string all{std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>()};
    return all.find(file) != std::string::npos;
}

TEST_F(life, loads_starts_uses_stops_and_closes) {
    kept_log log;
    plugin_loader loader(topic_parts(), {.program = "tester", .log = &log});
    loader.load({note});
    EXPECT_TRUE(loader.current()->models.find("note.Note"));
    topic_database database;
    database.add_note_table();
    EXPECT_EQ(database.delete_topic(loader.current()->models).rows, 3);
    EXPECT_EQ(database.count("note"), 0);
    EXPECT_TRUE(loader.unload("note", 0ms));
    EXPECT_FALSE(loader.current()->models.find("note.Note"));
    EXPECT_FALSE(is_mapped(note));
    EXPECT_THAT(log.lines(), testing::ElementsAre("started plugin=note", "a note goes plugin=note model=note.Note",
                                                  "a note goes plugin=note model=note.Note", "stopped plugin=note"));
    loader.load({note});
    EXPECT_TRUE(loader.current()->models.find("note.Note"));
}

TEST_F(life, a_library_stays_for_the_life_of_the_process_unless_it_is_unloaded) {
    kept_log log;
    {
        plugin_loader loader(topic_parts(), {.log = &log});
        loader.load({reply, note});
    }
    EXPECT_TRUE(is_mapped(note));
    EXPECT_TRUE(is_mapped(reply));
    EXPECT_THAT(log.lines(), testing::Contains("stopped plugin=note")) << "it was stopped all the same";
}

TEST_F(life, what_is_held_outlives_the_loader) {
    kept_log log;
    auto loader = std::make_unique<plugin_loader>(topic_parts(), winnow::loader_settings{.log = &log});
    loader->load({note});
    std::shared_ptr<const winnow::loaded_models> held = loader->current("a worker");
    loader.reset();
    EXPECT_THAT(log.lines(), testing::ElementsAre("started plugin=note"));
    EXPECT_EQ(held->models[held->models.at("note.Note")].key, "note.Note");
    held.reset();
    EXPECT_THAT(log.lines(), testing::ElementsAre("started plugin=note", "stopped plugin=note"));
}

TEST_F(unload, of_what_others_need_is_refused_and_names_them) {
    plugin_loader loader(topic_parts());
    loader.load({reply, note});
    auto before = loader.current();
    const winnow::error refused = error_of([&] { loader.unload("note", 0ms); });
    EXPECT_EQ(refused.kind(), winnow::failure::refused);
    EXPECT_THAT(refused.what(), HasSubstr("reply.Reply of plugin reply (" + reply + ") attaches itself to note.Note."));
    EXPECT_EQ(loader.current(), before);
    before.reset();
    EXPECT_TRUE(loader.unload("reply", 0ms));
    EXPECT_TRUE(loader.unload("note", 0ms));
}

TEST_F(unload, of_what_is_in_use_waits_then_is_refused_and_says_who_holds_it) {
    plugin_loader loader(topic_parts());
    loader.load({note});
    std::shared_ptr<const winnow::loaded_models> held = loader.current("the deletion of app.Topic 7");
    const winnow::error refused = error_of([&] { loader.unload("note", 20ms); });
    EXPECT_THAT(refused.what(), AllOf(HasSubstr("plugin note (" + note + ") cannot be unloaded"),
                                      HasSubstr("in use by the deletion of app.Topic 7, after 20 ms")));
    EXPECT_TRUE(refused.may_retry());
    EXPECT_EQ(loader.current().get(), held.get()) << "it is there as before";
    held = loader.current();
    EXPECT_THAT(error_of([&] { loader.unload("note", 0ms); }).what(), HasSubstr("work that has no name"));

    std::promise<void> waiting;
    std::thread other([&] {
        waiting.set_value();
        EXPECT_TRUE(loader.unload("note", 60s));
    });
    waiting.get_future().wait();
    // From some moment on nobody gets it any more; then the work that has it ends.
    while (loader.current()->models.find("note.Note")) std::this_thread::yield();
    EXPECT_TRUE(held->models.find("note.Note"));
    held.reset();
    other.join();
    EXPECT_FALSE(is_mapped(note));
}

TEST_F(unload, of_an_unknown_plugin_names_those_there_are) {
    plugin_loader loader(topic_parts());
    EXPECT_EQ(error_of([&] { loader.unload("note", 0ms); }).hint(), "None is loaded.");
    loader.load({module_file("remark")});
    const winnow::error unknown = error_of([&] { loader.unload("note", 0ms); });
    EXPECT_EQ(unknown.kind(), winnow::failure::not_found);
    EXPECT_EQ(unknown.hint(), "Loaded are remark.");
}

/// What a leak would make grow, in this process.
struct footprint {
    long resident_pages = 0;
    std::ptrdiff_t files = 0;
    std::ptrdiff_t mappings = 0;
};
footprint footprint_now() {
    footprint now;
    long size = 0;
    std::ifstream("/proc/self/statm") >> size >> now.resident_pages;
    now.files = std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
    std::ifstream maps("/proc/self/maps");
    now.mappings = std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
    return now;
}

TEST_F(life, a_thousand_rounds_of_load_use_and_unload_leave_nothing_behind) {
    plugin_loader loader(topic_parts());
    topic_database database;
    database.add_note_table();
    const auto round = [&] {
        // Else the database's cache would grow with it.
        database.session->execute_script("DELETE FROM winnow_audit");
        loader.load({note});
        ASSERT_EQ(database.delete_topic(loader.current()->models).rows, 3);
        ASSERT_TRUE(loader.unload("note", 0ms));
        // Refused half-way, which must not leave anything either.
        ASSERT_THROW(loader.load({note, module_file("start_fails")}), winnow::error);
    };
    for (int warm = 0; warm < 100; ++warm) round();
    const footprint before = footprint_now();
    for (int i = 0; i < 1000; ++i) round();
    const footprint after = footprint_now();
    std::printf("resident %ld -> %ld pages, files %td -> %td, mappings %td -> %td\n", before.resident_pages,
                after.resident_pages, before.files, after.files, before.mappings, after.mappings);
    EXPECT_EQ(after.files, before.files);
    // A new arena of the allocator is noise; a thousand of anything is not.
    EXPECT_LT(after.mappings, before.mappings + 10);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(WINNOW_TEST_UNDER_SANITIZER)
    EXPECT_LT(after.resident_pages, before.resident_pages + 500) << "less than half a page a round";
#endif
}

TEST_F(life, workers_hold_the_models_while_others_load_and_unload) {
    plugin_loader loader(topic_parts());
    std::atomic<bool> done{false};
    std::atomic<long> seen{0};
    std::vector<std::thread> workers;
    for (int worker = 0; worker < 4; ++worker) {
        workers.emplace_back([&, named = worker % 2 == 0] {
            while (!done.load()) {
                const auto held = named ? loader.current("worker") : loader.current();
                const winnow::catalog& models = held->models;
                ASSERT_TRUE(models.find("app.Topic"));
                const std::optional<std::size_t> index = models.find("note.Note");
                if (!index) continue;
                // Text and statements lie in the library.
                const winnow::plan& of = models[*index];
                ASSERT_EQ(of.key.size() + of.statements.remove.sqlite.find("DELETE"), 9U);
                ASSERT_EQ(models.part_of(*index).name, "note");
                ++seen;
            }
        });
    }
    int unloaded = 0;
    for (int round = 0; round < 200 || seen == 0; ++round) {
        loader.load({note});
        std::this_thread::yield();
        unloaded += loader.unload("note", 60s) ? 1 : 0;
    }
    done = true;
    for (std::thread& worker : workers) worker.join();
    EXPECT_GE(unloaded, 200);
    EXPECT_GT(seen, 0);
}

}  // namespace
