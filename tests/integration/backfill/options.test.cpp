// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/backfill/domain.hpp"

/// Options that replicated models bring.
namespace winnow_test {
namespace {

using testing::HasSubstr;
using winnow::option_kind;

using replication_options = backfill_test;

TEST_P(replication_options, are_listed_with_their_kind_and_model) {
    backfiller one = worker(models_);
    const std::vector<winnow::option_definition> all = one.with().options().all();
    const auto named = [&](std::string_view name) {
        const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
        return found == all.end() ? nullptr : &*found;
    };
    ASSERT_NE(named(organization_version), nullptr);
    EXPECT_EQ(named(organization_version)->kind, option_kind::integer);
    EXPECT_EQ(named(organization_version)->otherwise, "");
    EXPECT_THAT(named(organization_version)->meaning, HasSubstr("t.Organization"));
    ASSERT_NE(named(token_cells), nullptr);
    EXPECT_EQ(named(token_cells)->kind, option_kind::text_list);
    EXPECT_EQ(named("outbox_replication.t_organization.backfill.target_cells"), nullptr)
        << "it goes to the control silo";
    EXPECT_EQ(named("outbox_replication.t_organizationcopy.replication_version"), nullptr) << "it is not copied";
    EXPECT_NE(named("backfill.batch_rows"), nullptr);
}

TEST_P(replication_options, are_typed_stored_and_live) {
    backfiller one = worker(models_);
    backfiller other = worker(models_);
    EXPECT_EQ(one.with().options().integer_if_set(organization_version), std::nullopt);
    one.set(organization_version, "2");
    EXPECT_EQ(other.with().options().integer_if_set(organization_version), 2) << "another process sees it at once";
    one.set(token_cells, R"(["us", "de"])");
    EXPECT_EQ(other.with().options().text_list_if_set(token_cells), (std::vector<std::string>{"us", "de"}));
    EXPECT_TRUE(other.with().options().unset(organization_version));
    EXPECT_EQ(one.with().options().integer_if_set(organization_version), std::nullopt);
}

TEST_P(replication_options, refuse_a_wrong_type_with_a_sentence_that_says_what_fits) {
    backfiller one = worker(models_);
    for (const char* text : {"two", "-1", "1.5", "", "[2]", "99999999999999999999"}) {
        const winnow::error refused = error_of([&] { one.set(organization_version, text); });
        EXPECT_EQ(refused.kind(), winnow::failure::usage);
        EXPECT_EQ(
            std::string(refused.what()),
            "Option `outbox_replication.t_organization.replication_version` takes a whole number from 0 to 1000000000, "
            "not `" +
                std::string(text) + "`.");
    }
    for (const char* text : {"us", "\"us\"", "[1]", "[\"us\"", "{}"}) {
        EXPECT_EQ(
            std::string(error_of([&] { one.set(token_cells, text); }).what()),
            "Option `outbox_replication.t_token.backfill.target_cells` takes a list of texts in JSON, as [\"us\", \"de\"], "
            "not `" +
                std::string(text) + "`.");
    }
    EXPECT_EQ(one.number("SELECT count(*) FROM winnow_option"), 0);
    EXPECT_EQ(error_of([&] { one.set("outbox_replication.t_nothing.replication_version", "1"); }).kind(),
              winnow::failure::usage);
}

TEST_P(replication_options, the_size_of_a_batch_is_one_too) {
    add("t_organization", 100);
    backfiller one = worker(models_);
    one.set("backfill.batch_rows", "7");
    std::vector<std::int64_t> batches;
    winnow::backfill_request asked;
    asked.force_synchronous = true;
    asked.only = "t.Organization";
    asked.after_batch = [&](std::int64_t rows) { batches.push_back(rows); };
    EXPECT_EQ(one.run(asked).rows, 100);
    EXPECT_EQ(*std::max_element(batches.begin(), batches.end()), 7);
    database().run("UPDATE winnow_option SET value = 'many' WHERE name = 'backfill.batch_rows'");
    add("t_team", 5);
    asked.only = "t.Team";
    EXPECT_EQ(one.run(asked).rows, 5) << "a wrong one is told, and the default counts";
    EXPECT_THAT(one.watch.lines.front().with.at("reason"), HasSubstr("holds `many`"));
}

INSTANTIATE_TEST_SUITE_P(databases, replication_options, all_databases(), name_of_database);

}  // namespace
}  // namespace winnow_test
