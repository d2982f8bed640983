// SPDX-License-Identifier: Apache-2.0
// User code behind function pointers: rows become objects, keys become typed, and what does not fit is named.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <winnow/core/error.hpp>
#include <winnow/derive/key.hpp>
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

namespace {

enum class level : std::int32_t { low = 1, high = 2 };

struct everything {
    std::int32_t id;
    std::int64_t wide;
    bool flag;
    double real;
    float narrow;
    std::string name;
    level how;
    winnow::uuid guid;
    winnow::json_text properties;
    winnow::timestamp seen;
    winnow::blob bytes;
    std::optional<std::int64_t> parent;
};
WINNOW_DESCRIBE(everything, id, wide, flag, real, narrow, name, how, guid, properties, seen, bytes, parent)

struct pair_key {
    std::int64_t left;
    std::string right;
};
WINNOW_DESCRIBE(pair_key, left, right)

std::vector<std::string> calls;

struct typed_task {
    static constexpr winnow::text name = "typed";
    static bool chunk(const std::vector<std::int32_t>& ids, const winnow::hook_context& context) {
        calls.push_back(std::string(context.model) + " " + std::to_string(ids.size()) + " " +
                        std::to_string(ids.back()));
        return ids.size() > 1;
    }
};

struct whole_key_task {
    static constexpr winnow::text name = "whole";
    static bool chunk(const winnow::key_set& keys, const winnow::hook_context&) { return keys.width() == 2; }
};

bool is_high(const everything& row) { return row.how == level::high; }

}  // namespace

template <> struct winnow::model<everything> {
    static constexpr text key = "test.Everything";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(external<typed_task>.when<&is_high>());
    static bool should_proceed(const everything& row, const hook_context& context) {
        return row.flag && context.transaction_id == "abc";
    }
    static void pending_delete(const everything& row) { calls.push_back("pending " + row.name); }
    static void before_delete(const everything& row) { calls.push_back("before " + row.name); }
    static void after_delete(const everything& row, const hook_context&) { calls.push_back("after " + row.name); }
};

template <> struct winnow::model<pair_key> {
    static constexpr text key = "test.PairKey";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto primary_key = winnow::primary_key<&pair_key::left, &pair_key::right>;
    static constexpr auto children = winnow::children(external<whole_key_task>);
};

namespace {

using Models = winnow::registry<everything, pair_key>;
constexpr const winnow::plan& plan = winnow::plans_of<Models>[0];

std::vector<winnow::value> row() {
    return {std::int64_t{7},
            std::int64_t{1} << 40,
            true,
            1.5,
            2.5,
            std::string("seven"),
            std::int64_t{2},
            std::string("00000000-0000-0000-0000-000000000007"),
            std::string("{}"),
            std::string("2026-01-02 03:04:05+00"),
            std::string("\0x", 2),
            winnow::null_value{}};
}

winnow::hook_context context() {
    return {.model = "test.Everything", .transaction_id = "abc", .actor = {}, .data = "{}"};
}

/// What decoding says about a row in which the value of one column was changed.
std::string complaint(std::size_t column, winnow::value changed) {
    std::vector<winnow::value> cells = row();
    cells[column] = std::move(changed);
    try {
        (void)winnow::decode<everything>(cells);
    } catch (const winnow::error& problem) {
        EXPECT_EQ(problem.kind(), winnow::failure::configuration);
        EXPECT_EQ(problem.model(), "test.Everything");
        EXPECT_FALSE(problem.hint().empty());
        return problem.what();
    }
    return "fits";
}

TEST(decode, reads_every_kind) {
    const auto decoded = winnow::decode<everything>(row());
    EXPECT_EQ(decoded.id, 7);
    EXPECT_EQ(decoded.wide, std::int64_t{1} << 40);
    EXPECT_TRUE(decoded.flag);
    EXPECT_EQ(decoded.real, 1.5);
    EXPECT_EQ(decoded.narrow, 2.5F);
    EXPECT_EQ(decoded.name, "seven");
    EXPECT_EQ(decoded.how, level::high);
    EXPECT_EQ(decoded.guid.text, "00000000-0000-0000-0000-000000000007");
    EXPECT_EQ(decoded.properties.text, "{}");
    EXPECT_EQ(decoded.seen.text, "2026-01-02 03:04:05+00");
    EXPECT_EQ(decoded.bytes.bytes, std::string("\0x", 2));
    EXPECT_FALSE(decoded.parent.has_value());
}

TEST(decode, takes_what_sqlite_stores_instead) {
    EXPECT_EQ(complaint(2, std::int64_t{1}), "fits");
    EXPECT_EQ(complaint(3, std::int64_t{4}), "fits");
    EXPECT_EQ(complaint(9, std::int64_t{1700000000}), "fits");
    EXPECT_EQ(complaint(11, std::int64_t{3}), "fits");
}

TEST(decode, names_model_column_and_value_that_does_not_fit) {
    EXPECT_EQ(
        complaint(0, std::int64_t{1} << 31),
        "test.Everything: column id holds an integer (2147483648), which does not fit its member: a 32-bit integer");
    EXPECT_EQ(complaint(1, std::string("x")),
              "test.Everything: column wide holds text, which does not fit its member: a 64-bit integer");
    EXPECT_EQ(complaint(2, std::int64_t{2}),
              "test.Everything: column flag holds an integer (2), which does not fit its member: a boolean");
    EXPECT_EQ(complaint(5, winnow::null_value{}),
              "test.Everything: column name holds NULL, which does not fit its member: text");
    EXPECT_EQ(complaint(11, std::string("x")),
              "test.Everything: column parent holds text, which does not fit its member: a 64-bit integer");
}

TEST(decode, does_not_wrap_a_number_round_to_fit_an_enum) {
    enum class small : std::uint8_t { one = 1 };
    const winnow::value_place place{"test.Everything", "how"};
    small read{};
    winnow::decode_value(read, std::int64_t{1}, place);
    EXPECT_EQ(read, small::one);
    for (const std::int64_t beyond : {std::int64_t{257}, std::int64_t{-255}, std::int64_t{1} << 40})
        EXPECT_THROW(winnow::decode_value(read, beyond, place), winnow::error) << beyond;
}

TEST(decode, refuses_a_row_of_another_width) {
    std::vector<winnow::value> cells = row();
    cells.pop_back();
    EXPECT_THROW((void)winnow::decode<everything>(cells), winnow::error);
}

TEST(key_of, gives_the_primary_key_in_order) {
    const std::vector<winnow::value> key = winnow::key_of(pair_key{3, "three"});
    ASSERT_EQ(key.size(), 2U);
    EXPECT_EQ(key[0], winnow::value(std::int64_t{3}));
    EXPECT_EQ(key[1], winnow::value(std::string("three")));
}

TEST(hooks, see_the_object_and_the_context) {
    calls.clear();
    EXPECT_TRUE(plan.hooks.should_proceed(row(), context()));
    std::vector<winnow::value> other = row();
    other[2] = false;
    EXPECT_FALSE(plan.hooks.should_proceed(other, context()));
    plan.hooks.pending_delete(row(), context());
    plan.hooks.before_delete(row(), context());
    plan.hooks.after_delete(row(), context());
    EXPECT_EQ(calls, (std::vector<std::string>{"pending seven", "before seven", "after seven"}));
}

TEST(hooks, decide_whether_a_relation_applies) {
    ASSERT_EQ(plan.relations.size(), 1U);
    EXPECT_TRUE(plan.relations[0].applies(row(), context()));
    std::vector<winnow::value> other = row();
    other[6] = std::int64_t{1};
    EXPECT_FALSE(plan.relations[0].applies(other, context()));
}

TEST(hooks, hand_typed_keys_to_external_tasks) {
    calls.clear();
    winnow::key_set keys(1);
    keys.push_back(std::vector<winnow::value>{std::int64_t{4}});
    EXPECT_FALSE(plan.relations[0].external(keys, context()));
    keys.push_back(std::vector<winnow::value>{std::int64_t{5}});
    EXPECT_TRUE(plan.relations[0].external(keys, context()));
    EXPECT_EQ(calls, (std::vector<std::string>{"test.Everything 1 4", "test.Everything 2 5"}));
    keys.push_back(std::vector<winnow::value>{std::int64_t{1} << 40});
    EXPECT_THROW((void)plan.relations[0].external(keys, context()), winnow::error);

    winnow::key_set composite(2);
    composite.push_back(std::vector<winnow::value>{std::int64_t{4}, std::string("four")});
    EXPECT_TRUE(winnow::plans_of<Models>[1].relations[0].external(composite, context()));
}

}  // namespace
