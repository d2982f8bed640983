// SPDX-License-Identifier: Apache-2.0
// One field of a plugin is wrong at a time: the sentence names the field, what is wrong, and what to do.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "golden/copied_models.hpp"
#include "golden/models.hpp"
#include "support/entry_copy.hpp"
#include "support/plugin_entry.hpp"
#include "winnow/derive/plans_of.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plugin/lift.hpp"
#include "winnow/plugin/lower.hpp"
#include "winnow/plugin/required_statements.hpp"

namespace {

using winnow_test::entry_copy;
using winnow_test::entry_of;

constexpr winnow_text text_of(std::string_view text) { return {text.data(), text.size()}; }

// Plans of the shop: 0 account, 1 order, 2 order line, 3 category, 4 device, 5 label, 6 note.
winnow_plan& account(entry_copy& of) { return of.plan(0); }
winnow_plan& order(entry_copy& of) { return of.plan(1); }
winnow_plan& note(entry_copy& of) { return of.plan(6); }
// Of the depot: 0 crate, 1 its copy, 2 worker, 3 shift, 4 key card.
winnow_replication& crates(entry_copy& of) { return entry_copy::changed(of.plan(0).replication); }

struct fault {
    const char* name;
    const winnow_plugin_entry* from;
    std::function<void(entry_copy&)> make;
    std::vector<std::string> sentences;
    friend void PrintTo(const fault& one, std::ostream* out) { *out << one.name; }
};

const winnow_plugin_entry* const shop_entry = &entry_of<shop::models>;
const winnow_plugin_entry* const depot_entry = &entry_of<depot::models>;
const std::string both = ": the engine runs it; write the statement, a plan serves both kinds of database.";

const std::vector<fault>& faults() {
    static const std::vector<fault> all{
        // The entry.
        {"newer",
         shop_entry,
         [](entry_copy& of) { of.entry.abi_version = WINNOW_ABI_VERSION + 1; },
         {"abi_version is 2, but this host knows plugins up to 1. Use a newer host, or build the plugin with headers of "
          "its version."}},
        {"older",
         shop_entry,
         [](entry_copy& of) { of.entry.abi_version = 0; },
         {"abi_version is 0, but this host knows plugins from 1 on. Build the plugin with newer headers; "
          "WINNOW_ABI_VERSION is what it sets."}},
        {"short_entry",
         shop_entry,
         [](entry_copy& of) { of.entry.size = 8; },
         {"size is 8, but the entry of version 1 has 104 bytes. Set it to sizeof(winnow_plugin_entry)."}},
        {"long_entry",
         shop_entry,
         [](entry_copy& of) { of.entry.size = 1000; },
         {"size is 1000, but the entry of version 1 has 104 bytes. Set it to sizeof(winnow_plugin_entry)."}},
        {"no_name", shop_entry, [](entry_copy& of) { of.entry.name = {}; }, {"name is empty: name the plugin."}},
        {"odd_name",
         shop_entry,
         [](entry_copy& of) { of.entry.name = text_of("my plugin"); },
         {"name is \"my plugin\". Use 1 to 64 letters, digits, _ and -."}},
        {"no_version",
         shop_entry,
         [](entry_copy& of) { of.entry.version = {}; },
         {"version is empty: give the plugin's version, for people."}},
        {"no_plans",
         shop_entry,
         [](entry_copy& of) { of.entry.plans = {}; },
         {"plans has no items: a plugin brings at least one model."}},
        {"null_plans",
         shop_entry,
         [](entry_copy& of) { of.entry.plans.items = nullptr; },
         {"plans.items is null, but `count` is 7. Point to the items, or set `count` to 0."}},
        {"absurd_count",
         shop_entry,
         [](entry_copy& of) { of.entry.plans.count = static_cast<std::size_t>(-1); },
         {"plans.count is 18446744073709551615, more than the 4096 that are taken here. Give the number of items."}},
        {"item_size",
         shop_entry,
         [](entry_copy& of) { of.entry.plans.item_size = 16; },
         {"plans.item_size is 16, but the struct has 328 bytes. Set it to the sizeof that the plugin's headers give."}},
        // One model.
        {"no_key",
         shop_entry,
         [](entry_copy& of) { account(of).key = {}; },
         {"plans[0].key is empty: name the model, as app.Model."}},
        {"odd_key",
         shop_entry,
         [](entry_copy& of) { of.plan(5).key = text_of("Label"); },
         {"plans[5].key is \"Label\", which is not of the form app.Model: write two names of letters, digits and "
          "_ with a dot between them."}},
        {"null_text",
         shop_entry,
         [](entry_copy& of) { account(of).rate_limit_option.data = nullptr; },
         {"plans[0] (shop.Account).rate_limit_option has null for its bytes and 24 for their number. Point to the text, "
          "or make it empty."}},
        {"not_utf8",
         shop_entry,
         [](entry_copy& of) { account(of).strategy_reason = text_of("caf\xe9"); },
         {"plans[0] (shop.Account).strategy_reason is not UTF-8, or has a zero byte in it. Write it in UTF-8 and leave "
          "the zero at its end out."}},
        {"zero_at_the_end",
         shop_entry,
         [](entry_copy& of) { account(of).strategy_reason = text_of(std::string_view("because\0", 8)); },
         {"plans[0] (shop.Account).strategy_reason is not UTF-8, or has a zero byte in it. Write it in UTF-8 and leave "
          "the zero at its end out."}},
        {"long_table",
         shop_entry,
         [](entry_copy& of) {
             account(of).table.postgres =
                 text_of("a_name_of_more_than_sixty_three_characters_which_postgresql_would_cut_off");
         },
         {"plans[0] (shop.Account).table.postgres has 73 bytes, more than the 63 that are taken here. Give the number of "
          "bytes of the text."}},
        {"no_table",
         shop_entry,
         [](entry_copy& of) { account(of).table.sqlite = {}; },
         {"plans[0] (shop.Account).table.sqlite is empty: give the name of the table there."}},
        {"no_silo",
         shop_entry,
         [](entry_copy& of) { account(of).silo = 0; },
         {"plans[0] (shop.Account).silo is 0, which is nothing: it was forgotten. Set it to one of WINNOW_SILO_CONTROL "
          "and WINNOW_SILO_CELL."}},
        {"odd_strategy",
         shop_entry,
         [](entry_copy& of) { account(of).strategy = 3; },
         {"plans[0] (shop.Account).strategy is 3, which is unknown. Set it to one of WINNOW_STRATEGY_PER_ROW and "
          "WINNOW_STRATEGY_BULK."}},
        {"chunk_size",
         shop_entry,
         [](entry_copy& of) { account(of).chunk_size = 0; },
         {"plans[0] (shop.Account).chunk_size is 0. Give a number from 1 to 1000000."}},
        {"newest_first",
         shop_entry,
         [](entry_copy& of) { order(of).newest_first = 2; },
         {"plans[1] (shop.Order).newest_first is 2. Set it to 1 for yes or 0 for no."}},
        {"birth",
         shop_entry,
         [](entry_copy& of) { account(of).birth = 4; },
         {"plans[0] (shop.Account).birth is 4, but the plan has 4 columns, counted from 0. Name one of them."}},
        {"no_columns",
         depot_entry,
         [](entry_copy& of) {
             of.plan(2).columns = {};
             of.plan(2).primary_key = {};
             of.plan(2).identity = {};
             of.plan(2).replication = nullptr;
         },
         {"plans[2] (depot.Worker).columns has no items: list all columns of the table that the plan reads.",
          "plans[2] (depot.Worker).primary_key has no items: list the columns of the primary key."}},
        {"column_kind",
         shop_entry,
         [](entry_copy& of) { of.item(account(of).columns, 2).kind = 10; },
         {"plans[0] (shop.Account).columns[2] (slug).kind is 10, which is unknown. Set it to one of WINNOW_KIND_...."}},
        {"column_twice",
         shop_entry,
         [](entry_copy& of) { of.item(account(of).columns, 1).name = of.item(account(of).columns, 3).name; },
         {"plans[0] (shop.Account).columns[3] (status) has a name that an earlier column has. Name each column once."}},
        {"key_index",
         shop_entry,
         [](entry_copy& of) { const_cast<std::uint16_t&>(of.plan(2).primary_key.items[1]) = 3; },
         {"plans[2] (shop.OrderLine).primary_key[1] is 3, but the plan has 3 columns, counted from 0. Name one of "
          "them."}},
        {"key_twice",
         shop_entry,
         [](entry_copy& of) { const_cast<std::uint16_t&>(of.plan(2).primary_key.items[1]) = 0; },
         {"plans[2] (shop.OrderLine).primary_key[1] names column 0 a second time. Leave it out.",
          "plans[2] (shop.OrderLine).identity does not begin with the primary key. List the primary key first, then the "
          "further columns that relations refer to."}},
        {"status_kind",
         shop_entry,
         [](entry_copy& of) { of.changed(account(of).status).column = 2; },
         {"plans[0] (shop.Account).status.column names slug, a column of kind text. A status is an integer: name another "
          "column."}},
        {"status_size",
         shop_entry,
         [](entry_copy& of) { of.changed(account(of).status).size = 4; },
         {"plans[0] (shop.Account).status.size is 4, but the struct has 32 bytes. Set it to the sizeof that the plugin's "
          "headers give."}},
        {"status_same",
         shop_entry,
         [](entry_copy& of) { of.changed(account(of).status).active = 3; },
         {"plans[0] (shop.Account).status gives a row that is to be deleted the status of one that is not. Give three "
          "different numbers."}},
        {"no_statements",
         shop_entry,
         [](entry_copy& of) { of.plan(5).statements = nullptr; },
         {"plans[5] (shop.Label).statements is null: point to the statements over the model's own rows."}},
        {"sqlite_missing",
         shop_entry,
         [](entry_copy& of) { of.changed(of.plan(5).statements).remove.sqlite = {}; },
         {"plans[5] (shop.Label).statements.remove.sqlite is empty" + both}},
        {"postgres_missing",
         shop_entry,
         [](entry_copy& of) { of.changed(of.plan(5).statements).hold.postgres = {}; },
         {"plans[5] (shop.Label).statements.hold.postgres is empty" + both}},
        {"mark_missing",
         shop_entry,
         [](entry_copy& of) { of.changed(account(of).statements).mark = {}; },
         {"plans[0] (shop.Account).statements.mark.postgres is empty" + both,
          "plans[0] (shop.Account).statements.mark.sqlite is empty" + both}},
        // Relations.
        {"relation_kind",
         shop_entry,
         [](entry_copy& of) { of.item(account(of).relations, 1).kind = 0; },
         {"plans[0] (shop.Account).relations[1] (shop.Order).kind is 0, which is nothing: it was forgotten. Set it to one "
          "of WINNOW_RELATION_...."}},
        {"no_child",
         shop_entry,
         [](entry_copy& of) { of.item(account(of).relations, 1).child = {}; },
         {"plans[0] (shop.Account).relations[1].child is empty: name the key of the child's model."}},
        {"other_parent",
         shop_entry,
         [](entry_copy& of) { of.item(account(of).relations, 1).parent = text_of("shop.Order"); },
         {"plans[0] (shop.Account).relations[1] (shop.Order).parent is \"shop.Order\", but the relation stands in "
          "shop.Account. Name shop.Account, or move the relation to the other model."}},
        {"other_child",
         shop_entry,
         [](entry_copy& of) { of.item(note(of).attached, 0).child = text_of("shop.Order"); },
         {"plans[6] (plugin.Note).attached[0] (shop.Account).child is \"shop.Order\", but the relation stands in "
          "plugin.Note. Name plugin.Note, or move the relation to the other model."}},
        {"no_reference",
         shop_entry,
         [](entry_copy& of) { of.item(note(of).attached, 0).columns = {}; },
         {"plans[6] (plugin.Note).attached[0] (shop.Account).columns has no items: list the columns of the child that "
          "refer to the parent."}},
        {"unknown_reference",
         shop_entry,
         [](entry_copy& of) {
             of.item(of.item(note(of).attached, 0).columns, 0).name = {text_of("account"), text_of("account")};
         },
         {"plans[6] (plugin.Note).attached[0] (shop.Account).columns[0] names column account, which is none of the "
          "columns of plugin.Note. Name one of them, spelled the same for both kinds of database."}},
        {"other_kind",
         shop_entry,
         [](entry_copy& of) { of.item(of.item(note(of).attached, 0).columns, 0).kind = WINNOW_KIND_TEXT; },
         {"plans[6] (plugin.Note).attached[0] (shop.Account).columns[0] says that column account_id is a text, but "
          "plugin.Note has it as a 64-bit integer. Say the same in both."}},
        {"no_filter_column",
         shop_entry,
         [](entry_copy& of) {
             const_cast<winnow_filter&>(of.item(note(of).attached, 0).filters.items[0]).where.count = 0;
         },
         {"plans[6] (plugin.Note).attached[0] (shop.Account).filters[0].where has to be one column. Give exactly one."}},
        {"no_literal",
         shop_entry,
         [](entry_copy& of) {
             const_cast<winnow_filter&>(of.item(note(of).attached, 0).filters.items[0]).literal = {};
         },
         {"plans[6] (plugin.Note).attached[0] (shop.Account).filters[0].literal is empty: give the value as an SQL "
          "literal, a text in single quotes."}},
        {"odd_skip",
         shop_entry,
         [](entry_copy& of) {
             const_cast<winnow_text&>(of.item(account(of).relations, 1).skips.items[0]) = text_of("label");
         },
         {"plans[0] (shop.Account).relations[1] (shop.Order).skips[0] is \"label\", which is not of the form app.Model: "
          "write two names of letters, digits and _ with a dot between them."}},
        {"no_external",
         shop_entry,
         [](entry_copy& of) { of.item(account(of).relations, 0).external = {}; },
         {"plans[0] (shop.Account).relations[0] (pictures).external is null: give the function that clears what is not "
          "in the database."}},
        {"external_to_rows",
         shop_entry,
         [](entry_copy& of) {
             of.item(account(of).relations, 1).external = of.item(account(of).relations, 0).external;
         },
         {"plans[0] (shop.Account).relations[1] (shop.Order).external is set, but the relation leads to rows. Make its "
          "kind WINNOW_RELATION_EXTERNAL, or leave it out."}},
        {"attached_condition",
         shop_entry,
         [](entry_copy& of) { of.item(note(of).attached, 1).applies = of.item(order(of).relations, 1).applies; },
         {"plans[6] (plugin.Note).attached[1] (shop.Order).applies is set, but it would be asked about rows of shop.Order, "
          "whose columns an attached model does not know. Leave it out, or declare the relation in the parent."}},
        {"relation_statement",
         shop_entry,
         [](entry_copy& of) { of.changed(of.item(note(of).attached, 0).statements).remove_some.sqlite = {}; },
         {"plans[6] (plugin.Note).attached[0] (shop.Account).statements.remove_some.sqlite is empty" + both}},
        {"no_relation_statements",
         shop_entry,
         [](entry_copy& of) { of.item(note(of).attached, 0).statements = nullptr; },
         {"plans[6] (plugin.Note).attached[0] (shop.Account).statements is null: point to the statements over the "
          "child's table."}},
        // Copies and references to the other silo.
        {"version",
         depot_entry,
         [](entry_copy& of) { crates(of).version = 0; },
         {"plans[0] (depot.Crate).replication.version is 0. Give a number from 1 to 1000000000."}},
        {"no_category",
         depot_entry,
         [](entry_copy& of) { crates(of).category_name = {}; },
         {"plans[0] (depot.Crate).replication.category_name is empty: name the category, for messages and metrics."}},
        {"shard",
         depot_entry,
         [](entry_copy& of) { crates(of).shard = 2; },
         {"plans[0] (depot.Crate).replication.shard names label, which is no integer that is always there. Name one that "
          "is."}},
        {"fingerprint",
         depot_entry,
         [](entry_copy& of) { crates(of).fingerprint = 0; },
         {"plans[0] (depot.Crate).replication.fingerprint is 0, which is nothing: it was forgotten. Set it to a number "
          "that changes with what is copied."}},
        {"no_receiver",
         depot_entry,
         [](entry_copy& of) { crates(of).mirror = nullptr; },
         {"plans[0] (depot.Crate).replication.hooks.replicate is null, and there is no mirror: nobody would take the "
          "messages. Give a handler or a mirror."}},
        {"source",
         depot_entry,
         [](entry_copy& of) {
             const_cast<winnow_mirrored_column&>(of.changed(crates(of).mirror).columns.items[1]).source = 5;
         },
         {"plans[0] (depot.Crate).replication.mirror.columns[1].source is 5, but the plan has 5 columns, counted from 0. "
          "Name one of them."}},
        {"identifies",
         depot_entry,
         [](entry_copy& of) {
             winnow_mirror& mirror = of.changed(crates(of).mirror);
             for (std::size_t i = 0; i < mirror.columns.count; ++i)
                 const_cast<winnow_mirrored_column&>(mirror.columns.items[i]).identifies = 0;
         },
         {"plans[0] (depot.Crate).replication.mirror.columns has none that identifies a copy. Set `identifies` of those "
          "that its row is found by."}},
        {"upsert",
         depot_entry,
         [](entry_copy& of) { of.changed(crates(of).mirror).upsert.postgres = {}; },
         {"plans[0] (depot.Crate).replication.mirror.upsert.postgres is empty" + both}},
        {"produce",
         depot_entry,
         [](entry_copy& of) { of.changed(crates(of).statements).produce.sqlite = {}; },
         {"plans[0] (depot.Crate).replication.statements.produce.sqlite is empty" + both}},
        {"replicated_key",
         depot_entry,
         [](entry_copy& of) { of.item(of.plan(2).columns, 0).kind = WINNOW_KIND_UUID; },
         {"plans[2] (depot.Worker).replication.shard names id, which is no integer that is always there. Name one that "
          "is.",
          "plans[2] (depot.Worker).replication is given to a model whose key is not one integer, which messages could not "
          "name. Give the model such a key, or leave the replication out."}},
        {"remote_null",
         depot_entry,
         [](entry_copy& of) { of.item(of.plan(3).columns, 1).optional = 0; },
         {"plans[3] (depot.Shift).remotes[0] (depot.Worker).column names worker_id, which cannot become null. Name an "
          "optional column, or cascade."}},
        {"remote_statement",
         depot_entry,
         [](entry_copy& of) { of.changed(of.plan(4).remotes.items[0].statements).scrub_next.sqlite = {}; },
         {"plans[4] (depot.KeyCard).remotes[0] (depot.Worker).statements.scrub_next.sqlite is empty" + both}},
        // Several at once: all are told.
        {"several",
         shop_entry,
         [](entry_copy& of) {
             of.entry.version = {};
             account(of).silo = 9;
             note(of).query_limit = -4;
         },
         {"version is empty: give the plugin's version, for people.",
          "plans[0] (shop.Account).silo is 9, which is unknown. Set it to one of WINNOW_SILO_CONTROL and "
          "WINNOW_SILO_CELL.",
          "plans[6] (plugin.Note).query_limit is -4. Give a number from 1 to 1000000."}},
    };
    return all;
}

class refused : public testing::TestWithParam<fault> {};

TEST_P(refused, with_a_sentence) {
    entry_copy made(*GetParam().from);
    GetParam().make(made);
    std::vector<std::string> wrong{"what was there before"};
    EXPECT_EQ(winnow::lift(made.entry, "wrong.so", wrong), nullptr);
    std::vector<std::string> expected = GetParam().sentences;
    expected.insert(expected.begin(), "what was there before");
    EXPECT_EQ(wrong, expected);
}
INSTANTIATE_TEST_SUITE_P(each, refused, testing::ValuesIn(faults()),
                         [](const testing::TestParamInfo<fault>& one) { return std::string(one.param.name); });

TEST(taken, is_what_was_copied_without_a_change) {
    for (const winnow_plugin_entry* from : {shop_entry, depot_entry}) {
        const entry_copy made(*from);
        std::vector<std::string> wrong;
        EXPECT_NE(winnow::lift(made.entry, "", wrong), nullptr);
        EXPECT_TRUE(wrong.empty());
    }
}

// A child of another part that is copied: what that needs is seen when the parts come together.
TEST(across_parts, a_relation_lacks_what_a_copied_child_needs) {
    entry_copy parents(*shop_entry);
    entry_copy children(*depot_entry);
    children.entry.name = text_of("other");
    winnow_relation& along = parents.item(order(parents).relations, 0);
    along.kind = WINNOW_RELATION_SET_NULL;
    along.child = text_of("depot.Crate");
    winnow_relation_statements& statements = parents.changed(along.statements);
    winnow_column& reference = parents.item(along.columns, 0);
    reference.optional = 1;
    statements.nullify = statements.nullify_some = statements.remove;
    statements.nullify_keys = {};
    std::vector<std::string> wrong;
    const auto first = winnow::lift(parents.entry, "", wrong);
    const auto second = winnow::lift(children.entry, "", wrong);
    for (const std::string& line : wrong) ADD_FAILURE() << line;
    ASSERT_TRUE(first && second);
    const winnow::catalog models({first->part(), second->part()});
    winnow::detail::check_across_parts(models, wrong);
    ASSERT_EQ(wrong.size(), 2U);
    EXPECT_EQ(wrong[1],
              "shop.Order: its set_null relation to depot.Crate lacks `lock` or `nullify_keys` for sqlite, and "
              "rows of depot.Crate are copied to the other silo. Write both statements.");
    statements.nullify_keys = statements.remove;
    wrong.clear();
    const auto complete = winnow::lift(parents.entry, "", wrong);
    ASSERT_NE(complete, nullptr);
    winnow::detail::check_across_parts(winnow::catalog({complete->part(), second->part()}), wrong);
    EXPECT_TRUE(wrong.empty());
}

// What a plugin brings besides models.
winnow_migrations bad_steps;
winnow_options bad_options;
const void* answer(winnow_text id, std::uint32_t) {
    return id.size == sizeof(WINNOW_CAPABILITY_OPTIONS) - 1 ? static_cast<const void*>(&bad_options) : &bad_steps;
}
const void* throw_instead(winnow_text, std::uint32_t) { throw 5; }

TEST(capabilities, are_refused_with_sentences) {
    entry_copy made(*shop_entry);
    made.entry.get_capability = &answer;
    const winnow_migration steps[] = {{text_of("a"), WINNOW_SILO_CELL, 0, {}},
                                      {text_of("a"), 0, 0, WINNOW_BOTH("SELECT 1")}};
    const winnow_option options[] = {
        {text_of("shop.x"), text_of("many"), text_of("how many"), WINNOW_OPTION_INTEGER, 0},
        {text_of("shop.y"), {}, {}, 7, 0}};
    bad_steps = {sizeof bad_steps, 0, steps, 2, sizeof(winnow_migration)};
    bad_options = {sizeof bad_options, 0, options, 2, sizeof(winnow_option)};
    std::vector<std::string> wrong;
    EXPECT_EQ(winnow::lift(made.entry, "", wrong), nullptr);
    const std::vector<std::string> expected{
        "migrations[0] (a).script is empty for both kinds of database. Write the statements, or leave the step out.",
        "migrations[1].name is \"a\", as that of an earlier item. Give each a name of its own.",
        "migrations[1] (a).silo is 0, which is nothing: it was forgotten. Set it to one of WINNOW_SILO_CONTROL and "
        "WINNOW_SILO_CELL.",
        "options[0] (shop.x).otherwise is \"many\", which is no whole number. Give the value that holds when none is set.",
        "options[1] (shop.y).kind is 7, which is unknown. Set it to one of WINNOW_OPTION_....",
        "options[1] (shop.y).meaning is empty: say in one line what the option does."};
    EXPECT_EQ(wrong, expected);
    wrong.clear();
    bad_steps.size = 4;
    bad_options.count = 100'000;
    EXPECT_EQ(winnow::lift(made.entry, "", wrong), nullptr);
    ASSERT_EQ(wrong.size(), 2U);
    EXPECT_EQ(wrong[0].substr(0, 20), "migrations.size is 4");
    EXPECT_EQ(wrong[1].substr(0, 23), "options.count is 100000");
    wrong.clear();
    made.entry.get_capability = &throw_instead;
    EXPECT_EQ(winnow::lift(made.entry, "", wrong), nullptr);
    ASSERT_EQ(wrong.size(), 2U);
    EXPECT_EQ(wrong[0],
              "migrations cannot be asked for: `get_capability` threw. Return null for what the plugin does not "
              "have.");
}

// What the engine does not run may be left out.
TEST(taken, is_a_plan_without_statements_that_nobody_runs) {
    entry_copy made(*shop_entry);
    made.changed(made.plan(5).statements).mark = {};  // it has no status
    winnow_relation_statements& restricts = made.changed(made.item(account(made).relations, 2).statements);
    const winnow_dialect_text count = restricts.count;
    restricts = {};
    restricts.size = sizeof(restricts);
    restricts.count = count;
    made.item(made.plan(4).relations, 1).statements = nullptr;  // do_nothing
    std::vector<std::string> wrong;
    EXPECT_NE(winnow::lift(made.entry, "", wrong), nullptr);
    for (const std::string& line : wrong) ADD_FAILURE() << line;
}

}  // namespace
