// SPDX-License-Identifier: Apache-2.0
// Another compiler's plugin in another mode of the standard library: nothing but C types crosses.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "winnow/abi/entry.h"
#include "winnow/core/error.hpp"
#include "winnow/plan/delivery.hpp"
#include "winnow/plugin/lift.hpp"
#include "winnow/store/sqlite.hpp"
#include "winnow/store/transaction.hpp"

namespace {

using winnow::error;
using winnow::value;

class one_delivery final : public winnow::delivery {
public:
    explicit one_delivery(winnow::connection& target) : target_(target) { model = "mixed.Note"; }

protected:
    bool run_in_target(bool, work_function function, void* work) override {
        winnow::transaction open(target_);
        function(work, target_);
        open.commit();
        return true;
    }

private:
    winnow::connection& target_;
};

TEST(mixed_build, works_and_nothing_is_thrown_across) {
    void* const library = dlopen(WINNOW_MIXED_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto* const entry = static_cast<const winnow_plugin_entry*>(dlsym(library, "winnow_plugin"));
    ASSERT_NE(entry, nullptr);
    std::vector<std::string> wrong;
    {
        const auto plugin = winnow::lift(*entry, WINNOW_MIXED_PLUGIN, wrong);
        for (const std::string& line : wrong) ADD_FAILURE() << line;
        ASSERT_NE(plugin, nullptr);
        // Built as it should be: otherwise this test says nothing.
        EXPECT_NE(plugin->part().version, __VERSION__);
        EXPECT_EQ(plugin->description(), "debug");
#ifdef _GLIBCXX_DEBUG
        FAIL() << "the host is in debug mode as well";
#endif
        const winnow::plan& of = plugin->part().plans[0];
        const winnow::hook_context about{"mixed.Note", "0123456789abcdef0123456789abcdef", 1, "{}"};
        const auto row = [](const char* word) { return std::vector<value>{std::int64_t{3}, std::string(word)}; };
        const std::string much(1000, 'x');
        EXPECT_TRUE(of.hooks.should_proceed(row("yes"), about));
        EXPECT_FALSE(of.hooks.should_proceed(row(much.c_str()), about));
        of.hooks.before_delete(row("nothing"), about);
        for (const char* const word : {"own type", "at"}) {
            try {
                of.hooks.before_delete(row(word), about);
                ADD_FAILURE() << word;
            } catch (const error& problem) {
                EXPECT_EQ(problem.kind(), winnow::failure::hook);
            }
        }

        const winnow::connection_ptr database = winnow::sqlite_connector({.path = ":memory:"}).open();
        database->execute_script(
            "CREATE TABLE copy (id INTEGER PRIMARY KEY, word TEXT); INSERT INTO copy VALUES (4, 'four')");
        one_delivery delivered(*database);
        const winnow::replication_hooks& handler = of.replication->hooks;
        handler.replicate(handler.state, row("three"), delivered);
        EXPECT_EQ(database->execute("SELECT word FROM copy WHERE id = 3").text(0, 0), "three four");
        try {
            handler.replicate(handler.state, row("three"), delivered);
            FAIL() << "the row is there already";
        } catch (const error& problem) {
            EXPECT_EQ(problem.kind(), winnow::failure::statement);
            EXPECT_EQ(problem.sqlstate(), "SQLITE_CONSTRAINT_PRIMARYKEY");
        }
    }
    EXPECT_EQ(dlclose(library), 0);
}

}  // namespace
