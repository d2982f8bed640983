// SPDX-License-Identifier: Apache-2.0
#include "winnow/plan/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "plan_builder.hpp"
#include "winnow/plan/order.hpp"

namespace {

using winnow::catalog;
using winnow::relation_kind;
using winnow_test::model_spec;
using winnow_test::plan_builder;

std::vector<model_spec> forum() {
    model_spec user{.key = "forum.User",
                    .columns = {{"id"}, {"login", winnow::value_kind::text}},
                    .relations = {{.child = "forum.Topic", .columns = {"author"}, .referenced = {"login"}},
                                  {.kind = relation_kind::external, .child = "avatars", .columns = {}}}};
    model_spec topic{.key = "forum.Topic",
                     .columns = {{"id"}, {"author", winnow::value_kind::text}},
                     .relations = {{.child = "forum.Post", .columns = {"topic_id"}}}};
    model_spec post{.key = "forum.Post",
                    .columns = {{"id"}, {"topic_id"}, {"reply_to", winnow::value_kind::integer64, true}},
                    .relations = {{.child = "forum.Post", .columns = {"reply_to"}}}};
    model_spec note{.key = "notes.Note", .columns = {{"id"}, {"topic_id"}}};
    note.attached.push_back({"forum.Topic", {.child = {}, .columns = {"topic_id"}, .skips = {"forum.Post"}}});
    return {user, topic, post, note};
}

TEST(catalog, resolves_relations_in_declared_order) {
    const plan_builder built(forum());
    const catalog models(built.plans());
    ASSERT_EQ(models.size(), 4U);
    const std::size_t user = models.at("forum.User");
    const std::size_t topic = models.at("forum.Topic");
    ASSERT_EQ(models.edges_from(user).size(), 2U);
    EXPECT_EQ(models.edges_from(user)[0].child, topic);
    EXPECT_EQ(models.edges_from(user)[0].referenced, std::vector<std::uint8_t>{1}) << "login is second in the identity";
    EXPECT_EQ(models.edges_from(user)[1].child, winnow::edge::none);
    EXPECT_EQ(models.edges_from(user)[1].referenced, std::vector<std::uint8_t>{0});
    ASSERT_EQ(models.edges_from(topic).size(), 2U);
    EXPECT_EQ(models.edges_from(topic)[0].child, models.at("forum.Post"));
    EXPECT_EQ(models.edges_from(topic)[1].child, models.at("notes.Note")) << "those who attach themselves come last";
    ASSERT_EQ(models.edges_to(models.at("forum.Post")).size(), 2U);
    EXPECT_EQ(models.edges_to(models.at("notes.Note"))[0], &models.edges_from(topic)[1]);
    EXPECT_TRUE(models.edges_to(user).empty());
}

TEST(catalog, survives_being_moved) {
    const plan_builder built(forum());
    catalog first(built.plans());
    const catalog second(std::move(first));
    EXPECT_EQ(second.edges_to(second.at("notes.Note"))[0], &second.edges_from(second.at("forum.Topic"))[1]);
}

TEST(catalog, joins_parts) {
    std::vector<model_spec> all = forum();
    const plan_builder host({all[0], all[1], all[2]});
    const plan_builder plugin({all[3]});
    const catalog models(
        std::vector<winnow::model_part>{{.plans = host.plans()}, {.name = "audit", .plans = plugin.plans()}});
    EXPECT_EQ(models.size(), 4U);
    EXPECT_EQ(models.edges_from(models.at("forum.Topic")).size(), 2U);
}

TEST(catalog, an_unknown_key_names_the_nearest) {
    const plan_builder built(forum());
    const catalog models(built.plans());
    EXPECT_FALSE(models.find("forum.Tpic"));
    try {
        (void)models.at("forum.Tpic");
        FAIL() << "found a model that does not exist";
    } catch (const winnow::error& e) {
        EXPECT_EQ(e.kind(), winnow::failure::not_found);
        EXPECT_NE(std::string(e.what()).find("\"forum.Tpic\"; the nearest is \"forum.Topic\""), std::string::npos);
    }
    EXPECT_THROW((void)catalog(std::span<const winnow::plan>()).at("a.B"), winnow::error);
}

TEST(catalog, lists_everything_that_is_wrong) {
    std::vector<model_spec> all = forum();
    all[1].relations.push_back({.child = "forum.Vote", .columns = {"topic_id"}});
    all[3].attached[0].second.skips = {"forum.Pots"};
    all[3].attached.push_back({"forum.User", {.child = {}, .columns = {"topic_id"}, .referenced = {"login"}}});
    all[0].relations.clear();
    try {
        const plan_builder built(all);
        const catalog models(built.plans());
        FAIL() << "accepted";
    } catch (const winnow::error& e) {
        EXPECT_EQ(e.kind(), winnow::failure::configuration);
        const std::string text = e.what();
        EXPECT_NE(text.find("\n  forum.Topic: has a cascade relation to forum.Vote"), std::string::npos) << text;
        EXPECT_NE(text.find("skips forum.Pots"), std::string::npos) << text;
        EXPECT_NE(text.find("refers to column \"login\", which is not read"), std::string::npos) << text;
        EXPECT_NE(text.find("differ in number or kind"), std::string::npos) << text;
    }
}

TEST(catalog, numbers_are_checked) {
    const plan_builder built(forum());
    std::vector<winnow::plan> plans(built.plans().begin(), built.plans().end());
    plans[0].chunk_size = 0;
    EXPECT_THROW((void)catalog(plans), winnow::error);
}

TEST(catalog, a_bulk_parent_of_attached_children_is_taken_per_row) {
    std::vector<model_spec> all = forum();
    all[1].relations.clear();
    all[1].strategy = winnow::strategy::bulk;
    const plan_builder built(all);
    const catalog models(built.plans());
    EXPECT_EQ(models.strategy_of(models.at("forum.Topic")), winnow::strategy::per_row);
    all[3].attached.clear();
    const plan_builder alone(all);
    const catalog others(alone.plans());
    EXPECT_EQ(others.strategy_of(others.at("forum.Topic")), winnow::strategy::bulk);
}

TEST(catalog, orders_children_first_and_knows_cycles) {
    const plan_builder built(forum());
    const catalog models(built.plans());
    const auto order = models.children_first();
    const auto place = [&](std::string_view key) {
        return std::find(order.begin(), order.end(), models.at(key)) - order.begin();
    };
    EXPECT_LT(place("forum.Post"), place("forum.Topic"));
    EXPECT_LT(place("notes.Note"), place("forum.Topic"));
    EXPECT_LT(place("forum.Topic"), place("forum.User"));
    EXPECT_TRUE(models.is_cyclic(models.at("forum.Post")));
    EXPECT_FALSE(models.is_cyclic(models.at("forum.Topic")));
}

TEST(order, finds_the_components) {
    // 0 -> 1 -> 2 -> 1, 2 -> 3, 3 -> 3, 4 alone, 0 -> 5 <-> 0
    const std::vector<winnow::arc> arcs{{0, 1}, {1, 2}, {2, 1}, {2, 3}, {3, 3}, {0, 5}, {5, 0}};
    const winnow::component_order found = winnow::order_components(6, arcs);
    EXPECT_EQ(found.component[1], found.component[2]);
    EXPECT_EQ(found.component[0], found.component[5]);
    EXPECT_LT(found.component[3], found.component[1]);
    EXPECT_LT(found.component[1], found.component[0]);
    EXPECT_NE(found.component[4], found.component[0]);
    EXPECT_EQ(found.cyclic, (std::vector<bool>{true, true, true, true, false, true}));
    EXPECT_EQ(found.children_first.size(), 6U);
}

TEST(order, a_long_chain_takes_no_stack) {
    std::vector<winnow::arc> arcs;
    for (std::size_t i = 0; i + 1 < 200000; ++i) arcs.push_back({i, i + 1});
    const winnow::component_order found = winnow::order_components(200000, arcs);
    EXPECT_EQ(found.children_first.front(), 199999U);
    EXPECT_EQ(found.children_first.back(), 0U);
}

}  // namespace
