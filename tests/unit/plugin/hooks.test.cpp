// SPDX-License-Identifier: Apache-2.0
// User code behind the plugin contract: called with what a linked model would get, and nothing that it throws gets out.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exported.hpp"
#include "winnow/abi/entry.h"
#include "winnow/context/observer.hpp"
#include "winnow/core/error.hpp"
#include "winnow/derive/decode.hpp"
#include "winnow/derive/plans_of.hpp"
#include "winnow/plugin/lift.hpp"
#include "winnow/plugin/lower.hpp"

namespace {

using exported::calls;
using winnow::error;
using winnow::failure;
using winnow::hook_context;
using winnow::key_set;
using winnow::null_value;
using winnow::plan;
using winnow::value;
using namespace std::string_literals;

std::unique_ptr<winnow::lifted_plugin> lifted(const winnow_plugin_entry& entry = winnow_plugin) {
    std::vector<std::string> wrong;
    auto made = winnow::lift(entry, "", wrong);
    for (const std::string& line : wrong) ADD_FAILURE() << line;
    return made;
}

std::vector<value> row_of(const std::string& word, bool flag = true) {
    return {std::int64_t{5},
            std::int64_t{-3},
            flag,
            0.5,
            word,
            "0e9b1d4a-3f2c-4a51-9c1e-0123456789ab"s,
            "{\"a\": 1}"s,
            "2026-01-02 03:04:05+00"s,
            "\x00\xff\x01"s,
            null_value{}};
}

hook_context about() { return {"exported.Note", "0123456789abcdef0123456789abcdef", 42, "{\"why\": \"test\"}"}; }

template <class Call>
std::string failure_of(Call&& call) {
    try {
        call();
    } catch (const error& problem) {
        EXPECT_EQ(problem.kind(), failure::hook);
        EXPECT_EQ(problem.model(), "exported.Note");
        return problem.what();
    }
    return "nothing was thrown";
}

TEST(plugin_hooks, get_what_a_linked_model_would_get) {
    const auto plugin = lifted();
    ASSERT_NE(plugin, nullptr);
    const plan& of = plugin->part().plans[0];
    const std::vector<value> row = row_of("nothing");
    calls.clear();
    EXPECT_TRUE(of.hooks.should_proceed(row, about()));
    EXPECT_FALSE(of.hooks.should_proceed(row_of("nothing", false), about()));
    of.hooks.pending_delete(row, about());
    of.hooks.before_delete(row, about());
    hook_context nobody = about();
    nobody.actor.reset();
    nobody.data = "{}";
    of.hooks.after_delete(row, nobody);
    ASSERT_EQ(calls.size(), 5U);
    const exported::note expected = winnow::decode<exported::note>(row);
    EXPECT_EQ(calls[0].hook, "should_proceed");
    EXPECT_EQ(calls[0].seen, expected);
    EXPECT_EQ(calls[0].context, "exported.Note 0123456789abcdef0123456789abcdef 42 {\"why\": \"test\"}");
    EXPECT_EQ(calls[2].hook, "pending_delete");
    EXPECT_EQ(calls[3].hook, "before_delete");
    EXPECT_EQ(calls[4].hook, "after_delete");
    EXPECT_EQ(calls[4].seen, expected);
    EXPECT_EQ(calls[4].context, "exported.Note 0123456789abcdef0123456789abcdef nobody {}");
}

TEST(plugin_hooks, conditions_and_external_tasks_answer) {
    const auto plugin = lifted();
    ASSERT_NE(plugin, nullptr);
    const winnow::relation& external = plugin->part().plans[0].relations[0];
    const winnow::relation& pages = plugin->part().plans[0].relations[1];
    EXPECT_TRUE(pages.applies(row_of("nothing"), about()));
    EXPECT_FALSE(pages.applies(row_of("nothing", false), about()));
    calls.clear();
    EXPECT_TRUE(external.external(key_set(1, {std::int64_t{3}, std::int64_t{4}}), about()));
    EXPECT_FALSE(external.external(key_set(1, {std::int64_t{9}}), about()));
    ASSERT_EQ(calls.size(), 2U);
    EXPECT_EQ(calls[0].hook, "shelves 2 4");
    EXPECT_EQ(calls[1].hook, "shelves 1 9");
    EXPECT_EQ(failure_of([&] { (void)external.external(key_set(1, {std::int64_t{13}}), about()); }),
              "plugin exported: something was thrown that is no std::exception");
}

// whatever is thrown becomes a text.
TEST(plugin_hooks, nothing_that_is_thrown_crosses) {
    const auto plugin = lifted();
    ASSERT_NE(plugin, nullptr);
    const plan& of = plugin->part().plans[0];
    const std::pair<std::string, std::string> words[] = {
        {"own type", "plugin exported: something was thrown that is no std::exception"},
        {"int", "plugin exported: something was thrown that is no std::exception"},
        {"bad_alloc", "plugin exported: std::bad_alloc"},
        {"runtime_error", "plugin exported: the shelf is empty"},
        {"winnow error", "plugin exported: it stays"},
    };
    for (const auto& [word, text] : words) {
        const std::vector<value> row = row_of(word);
        EXPECT_EQ(failure_of([&] { (void)of.hooks.should_proceed(row, about()); }), text);
        EXPECT_EQ(failure_of([&] { of.hooks.pending_delete(row, about()); }), text);
        EXPECT_EQ(failure_of([&] { of.hooks.before_delete(row, about()); }), text);
        EXPECT_EQ(failure_of([&] { of.hooks.after_delete(row, about()); }), text);
        EXPECT_EQ(failure_of([&] { (void)of.relations[1].applies(row, about()); }), text);
    }
    // A row that does not fit the model fails in the plugin, too.
    std::vector<value> wrong = row_of("nothing");
    wrong[0] = "five"s;
    EXPECT_NE(failure_of([&] { of.hooks.before_delete(wrong, about()); }).find("id"), std::string::npos);
}

// Plugins by hand: one entry with one hook each.

winnow_status answers_seven(const void*, const winnow_row*, const winnow_host_deletion*, const winnow_host_call*,
                            std::int32_t* answer) {
    *answer = 7;
    return WINNOW_OK;
}
winnow_status gives_no_reason(const void*, const winnow_row*, const winnow_host_deletion*, const winnow_host_call*) {
    return 5;
}
winnow_status says_twice(const void*, const winnow_row*, const winnow_host_deletion*, const winnow_host_call* call) {
    call->set_error(call, WINNOW_TEXT("first"));
    call->set_error(call, WINNOW_TEXT("second"));
    return WINNOW_FAILED;
}
winnow_status says_no_text(const void*, const winnow_row*, const winnow_host_deletion*, const winnow_host_call* call) {
    call->set_error(call, WINNOW_TEXT("caf\xe9 \xff"));
    return WINNOW_FAILED;
}
winnow_status says_much(const void*, const winnow_row*, const winnow_host_deletion*, const winnow_host_call* call) {
    const std::string text = "x" + []() {
        std::string many;
        for (int i = 0; i < 5000; ++i) many += "é";
        return many;
    }();
    call->set_error(call, {text.data(), text.size()});
    return WINNOW_FAILED;
}
winnow_status says_and_succeeds(const void*, const winnow_row*, const winnow_host_deletion*,
                                const winnow_host_call* call) {
    call->set_error(call, WINNOW_TEXT("never mind"));
    return WINNOW_OK;
}
winnow_status throws_across(const void*, const winnow_row*, const winnow_host_deletion*, const winnow_host_call*) {
    throw exported::own_type{1};
}
winnow_status throws_exception_across(const void*, const winnow_row*, const winnow_host_deletion*,
                                      const winnow_host_call*) {
    throw std::runtime_error("against the contract");
}
winnow_status logs(const void*, const winnow_row*, const winnow_host_deletion*, const winnow_host_call* call) {
    call->log(call, WINNOW_LOG_WARNING, WINNOW_TEXT("careful"));
    call->log(call, 77, WINNOW_TEXT("what level is that"));
    return WINNOW_OK;
}

/// The exported plugin with other hooks on its first model. Everything in it stays in this object.
struct by_hand {
    std::vector<winnow_plan> plans{winnow_plugin.plans.items, winnow_plugin.plans.items + winnow_plugin.plans.count};
    winnow_hooks hooks{sizeof(winnow_hooks), 0, {}, {}, {}, {}};
    winnow_plugin_entry entry = winnow_plugin;

    by_hand() {
        plans[0].hooks = &hooks;
        entry.plans.items = plans.data();
    }
};

std::string failure_in(winnow_status (*call)(const void*, const winnow_row*, const winnow_host_deletion*,
                                             const winnow_host_call*)) {
    by_hand made;
    made.hooks.before_delete.call = call;
    const auto plugin = lifted(made.entry);
    if (plugin == nullptr) return "not lifted";
    return failure_of([&] { plugin->part().plans[0].hooks.before_delete(row_of("nothing"), about()); });
}

TEST(plugin_hooks, of_a_careless_plugin_are_told_apart) {
    EXPECT_EQ(failure_in(gives_no_reason), "plugin exported: it failed and gave no reason (status 5)");
    EXPECT_EQ(failure_in(says_twice), "plugin exported: second");
    EXPECT_EQ(failure_in(says_no_text), "plugin exported: caf? ?");
    EXPECT_EQ(failure_in(says_and_succeeds), "nothing was thrown");
    EXPECT_EQ(failure_in(throws_across), "plugin exported: something was thrown that is no std::exception");
    EXPECT_EQ(failure_in(throws_exception_across), "plugin exported: against the contract");
    const std::string much = failure_in(says_much);
    EXPECT_LE(much.size(), 4096U + 20U);
    EXPECT_EQ(much.substr(much.size() - 2), "é");

    by_hand made;
    made.hooks.should_proceed.call = answers_seven;
    const auto plugin = lifted(made.entry);
    ASSERT_NE(plugin, nullptr);
    EXPECT_EQ(failure_of([&] { (void)plugin->part().plans[0].hooks.should_proceed(row_of("nothing"), about()); }),
              "plugin exported: it answered 7, which is neither 0 for no nor 1 for yes");
}

class line_keeper final : public winnow::observer {
public:
    void log(winnow::log_level level, std::string_view message, std::initializer_list<winnow::label> labels) override {
        std::string line = std::to_string(static_cast<int>(level)) + " " + std::string(message);
        for (const winnow::label& one : labels) line += " " + std::string(one.name) + "=" + std::string(one.text);
        lines.push_back(line);
    }
    std::vector<std::string> lines;
};

TEST(plugin_hooks, log_through_the_host) {
    by_hand made;
    made.hooks.before_delete.call = logs;
    const auto plugin = lifted(made.entry);
    ASSERT_NE(plugin, nullptr);
    plugin->part().plans[0].hooks.before_delete(row_of("nothing"), about());  // nobody listens
    line_keeper keeper;
    plugin->log_to(&keeper);
    plugin->part().plans[0].hooks.before_delete(row_of("nothing"), about());
    const std::vector<std::string> expected{"2 careful plugin=exported model=exported.Note",
                                            "3 what level is that plugin=exported model=exported.Note"};
    EXPECT_EQ(keeper.lines, expected);
}

TEST(plugin_start, may_refuse_with_a_reason) {
    line_keeper keeper;
    for (const auto& [word, text] : {std::pair("own type"s, "something was thrown that is no std::exception"s),
                                     {"int"s, "something was thrown that is no std::exception"s},
                                     {"bad_alloc"s, "std::bad_alloc"s},
                                     {"runtime_error"s, "the shelf is empty"s}}) {
        const auto plugin = lifted();
        ASSERT_NE(plugin, nullptr);
        exported::start_word = word;
        std::vector<std::string> wrong;
        EXPECT_FALSE(plugin->start("a test", wrong));
        ASSERT_EQ(wrong.size(), 1U);
        EXPECT_EQ(wrong[0], "start of plugin exported failed: " + text +
                                ". Nothing of it was taken; correct what it says and load it again.");
        plugin->stop();  // does nothing
    }
    exported::start_word.clear();
    const auto plugin = lifted();
    plugin->log_to(&keeper);
    std::vector<std::string> wrong;
    EXPECT_TRUE(plugin->start("a test", wrong));
    EXPECT_EQ(keeper.lines, std::vector<std::string>{"2 starting in a test plugin=exported"});
    exported::stop_word = "own type";
    plugin->stop();
    ASSERT_EQ(keeper.lines.size(), 2U);
    EXPECT_EQ(keeper.lines[1], "3 the plugin's stop threw an exception plugin=exported");
    exported::stop_word.clear();
}

TEST(plugin_part, brings_migrations_and_options) {
    const auto plugin = lifted();
    ASSERT_NE(plugin, nullptr);
    const winnow::model_part& part = plugin->part();
    ASSERT_EQ(part.migrations.size(), 2U);
    EXPECT_EQ(part.migrations[0].name, "table of notes");
    EXPECT_EQ(part.migrations[0].silo, winnow::silo::cell);
    EXPECT_EQ(part.migrations[0].script.sqlite, "CREATE TABLE exported_note (id)");
    EXPECT_EQ(part.migrations[1].silo, winnow::silo::control);
    EXPECT_TRUE(part.migrations[1].script.sqlite.empty());
    ASSERT_EQ(part.options.size(), 3U);
    EXPECT_EQ(part.options[0].name, "exported.most");
    EXPECT_EQ(part.options[0].kind, winnow::option_kind::integer);
    EXPECT_EQ(part.options[0].otherwise, "12");
    EXPECT_EQ(part.options[2].kind, winnow::option_kind::text_list);
    EXPECT_EQ(part.options[2].meaning, "words");
}

}  // namespace
