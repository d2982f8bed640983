// SPDX-License-Identifier: Apache-2.0
// What passes the border between a host and a plugin that were built from the same C++ headers, and what does not.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host_models.hpp"
#include "winnow/abi/entry.h"
#include "winnow/context/options.hpp"
#include "winnow/core/error.hpp"
#include "winnow/deletion/request.hpp"
#include "winnow/deletion/run.hpp"
#include "winnow/deletion/schedule.hpp"
#include "winnow/deletion/why.hpp"
#include "winnow/plugin/loader.hpp"

namespace {

using namespace winnow_test;
using testing::AllOf;
using testing::HasSubstr;

/// The file that an address lies in.
std::string file_of(const void* address) {
    Dl_info about{};
    return ::dladdr(address, &about) != 0 && about.dli_fname != nullptr ? about.dli_fname : "";
}

TEST(borders, A43_the_host_sees_the_plugins_models_and_there_is_one_list_of_them) {
    winnow::plugin_loader loader(topic_parts());
    loader.load({module_file("shelf")});
    const auto held = loader.current();
    const winnow::plan& book = held->models[held->models.at("shelf.Book")];
    // Both were built with hidden names from the same headers, and no list is filled in by what runs at the start: what
    // the host reads is what the library holds.
    void* opened = ::dlopen(module_file("shelf").c_str(), RTLD_NOW | RTLD_NOLOAD);
    ASSERT_NE(opened, nullptr);
    const auto* entry = static_cast<const winnow_plugin_entry*>(::dlsym(opened, WINNOW_PLUGIN_SYMBOL));
    ASSERT_NE(entry, nullptr);
    ASSERT_EQ(entry->plans.count, 1U);
    std::printf("key in the plugin %p, in the host %p\n", static_cast<const void*>(entry->plans.items[0].key.data),
                static_cast<const void*>(book.key.data()));
    EXPECT_EQ(static_cast<const void*>(book.key.data()), static_cast<const void*>(entry->plans.items[0].key.data));
    EXPECT_EQ(file_of(book.key.data()), module_file("shelf"));
    ::dlclose(opened);
}

/// A database with books in it, and what their deletion comes to.
class books : public on_every_database {
protected:
    void SetUp() override {
        on_every_database::SetUp();
        loader.load({module_file("shelf")});
        session = database().open();
        winnow::migrate(*session);
        winnow::migrate_parts(*session, loader.current()->models.parts(), winnow::silo_mode::monolith);
        session->execute_script("INSERT INTO shelf_book VALUES (1, 'cursed'), (2, 'odd'), (3, 'plain')");
    }
    winnow::deletion_report burn(std::int64_t id) {
        const auto held = loader.current();
        const winnow::context with{held->models, *session, time, watch};
        const winnow::value key = id;
        return winnow::exec_sync(with, held->models.at("shelf.Book"), {&key, 1});
    }

    winnow::plugin_loader loader{std::vector<winnow::model_part>{}};
    winnow::connection_ptr session;
    winnow::steady_clock time;
    kept_log watch;
};
INSTANTIATE_TEST_SUITE_P(databases, books, all_databases(), name_of_database);

TEST_P(books, A44_an_exception_of_the_plugins_own_type_arrives_as_a_text) {
    const winnow::error failed = error_of([&] { burn(1); });
    EXPECT_THAT(failed.what(),
                AllOf(HasSubstr("plugin shelf"), HasSubstr("this book cannot be burnt"), HasSubstr("shelf.Book 1")));
    EXPECT_THAT(error_of([&] { burn(2); }).what(), HasSubstr("no std::exception"));
    EXPECT_EQ(burn(3).rows, 1);
    EXPECT_EQ(database().number("SELECT count(*) FROM shelf_book"), 2);
}

TEST_P(books, options_of_the_part_have_its_defaults_and_its_name) {
    const auto held = loader.current();
    winnow::options live(*session, held->models);
    EXPECT_EQ(live.integer("shelf.books_per_second"), 1000) << "the part's default for an option of its model";
    EXPECT_EQ(live.text("shelf.reader"), "nobody");
    live.set("shelf.books_per_second", "5", "tester");
    live.set("shelf.reader", "ann", "tester");
    EXPECT_EQ(live.integer("shelf.books_per_second"), 5);
    EXPECT_EQ(live.text("shelf.reader"), "ann");
    live.unset("shelf.reader");
    EXPECT_EQ(live.text("shelf.reader"), "nobody");
    const std::vector<winnow::option_definition> all = live.all();
    for (const std::string_view name : {"shelf.books_per_second", "shelf.reader"}) {
        const auto at = std::find_if(all.begin(), all.end(),
                                     [&](const winnow::option_definition& one) { return one.name == name; });
        ASSERT_NE(at, all.end()) << name;
        EXPECT_EQ(at->origin, "plugin shelf (" + module_file("shelf") + ")");
    }
    EXPECT_EQ(live.definition("deletion.max_rows").origin, "winnow");
    EXPECT_EQ(error_of([&] { live.set("shelf.books_per_second", "many", "tester"); }).kind(), winnow::failure::usage);
}

TEST_P(books, a_scheduled_deletion_waits_visibly_while_its_plugin_is_absent) {
    {
        const auto held = loader.current();
        const winnow::context with{held->models, *session, time, watch};
        const winnow::value key = std::int64_t{3};
        winnow::schedule_options now;
        now.days = 0;
        now.permit = winnow::permit_purge;
        (void)winnow::schedule(with, held->models.at("shelf.Book"), {&key, 1}, now);
    }
    ASSERT_NO_THROW(loader.unload("shelf", std::chrono::milliseconds(0)));
    {
        const auto without = loader.current();
        const winnow::context with{without->models, *session, time, watch};
        const std::vector<winnow::deletion_report> met = winnow::run_scheduled_deletions(with);
        ASSERT_EQ(met.size(), 1U);
        EXPECT_EQ(met[0].outcome, winnow::deletion_outcome::waiting);
        EXPECT_THAT(met[0].detail, HasSubstr("no loaded model has the key shelf.Book; load the plugin"));
        EXPECT_THAT(winnow::why_not_gone(with, winnow::list_requests(*session, winnow::silo::cell).at(0)),
                    HasSubstr("load the plugin"));
        EXPECT_TRUE(winnow::run_scheduled_deletions(with).empty()) << "it is not taken up again and again";
    }
    loader.load({module_file("shelf")});
    const auto held = loader.current();
    const winnow::context with{held->models, *session, time, watch};
    const std::vector<winnow::deletion_report> done = winnow::run_scheduled_deletions(with);
    ASSERT_EQ(done.size(), 1U) << "it did not have to wait";
    EXPECT_EQ(done[0].outcome, winnow::deletion_outcome::completed);
    EXPECT_EQ(database().number("SELECT count(*) FROM shelf_book WHERE id = 3"), 0);
}

}  // namespace
