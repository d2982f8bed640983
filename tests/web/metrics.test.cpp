// SPDX-License-Identifier: Apache-2.0
// What /metrics says: the text format, and every name of the contract after work on real databases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "integration/runtime/shop.hpp"
#include "web/prometheus_page.hpp"
#include "winnow/backfill/run.hpp"
#include "winnow/deletion/counts.hpp"
#include "winnow/deletion/lease.hpp"
#include "winnow/deletion/run.hpp"
#include "winnow/deletion/schedule.hpp"
#include "winnow/metrics/prometheus_text.hpp"
#include "winnow/metrics/store.hpp"
#include "winnow/outbox/drain.hpp"
#include "winnow/outbox/status.hpp"

namespace {

using testing::IsEmpty;
using winnow_test::prometheus_page;
using winnow_test::shop_models;
using winnow_test::shop_silos;

std::string text_of(const winnow::metric_store& store) { return winnow::prometheus_text(store.families()); }

TEST(prometheus_text, has_every_metric_before_anything_has_happened) {
    const prometheus_page page(text_of(winnow::metric_store{}));
    EXPECT_THAT(page.faults(), IsEmpty());
    EXPECT_TRUE(page.samples().empty());
    for (const winnow::metric_definition& one : winnow::known_metrics)
        EXPECT_EQ(page.types().count(winnow::prometheus_name(one.name)), 1U) << one.name;
}

TEST(prometheus_text, is_right_whatever_labels_say) {
    winnow::metric_store store;
    const std::string hostile = "a\"b\\c\nd\xff{}";
    store.count("outbox.saved", 3, {{"category", hostile}});
    store.count("outbox.saved", 4, {{"category", hostile}});
    store.count("outbox.saved", -5, {{"category", "never less"}});
    store.gauge("own.gauge", -1.5, {{"a", "1"}, {"b", "2"}});
    store.gauge("own.gauge", 2.5, {{"b", "2"}, {"a", "1"}});
    const prometheus_page page(text_of(store));
    EXPECT_THAT(page.faults(), IsEmpty()) << text_of(store);
    EXPECT_EQ(page.sum("outbox_saved"), 7);
    EXPECT_EQ(page.sum("own_gauge"), 2.5) << "one series, whatever the order of its labels";
    bool found = false;
    for (const prometheus_page::sample& one : page.samples())
        found = found || (one.name == "outbox_saved" && one.labels.at("category") == "a\"b\\c\nd?{}");
    EXPECT_TRUE(found) << text_of(store);
}

TEST(prometheus_text, has_cumulative_buckets) {
    winnow::metric_store store;
    for (const double seconds : {0.0005, 0.001, 0.07, 5.0, 100'000.0})
        store.observe("deletions.chunk.duration", seconds, {{"model", "a.B"}});
    const prometheus_page page(text_of(store));
    EXPECT_THAT(page.faults(), IsEmpty());
    EXPECT_EQ(page.sum("deletions_chunk_duration_count"), 5);
    EXPECT_NEAR(page.sum("deletions_chunk_duration_sum"), 100'005.0715, 1e-6);
    std::map<std::string, double> buckets;
    double before = 0;
    for (const prometheus_page::sample& one : page.samples()) {
        if (one.name != "deletions_chunk_duration_bucket") continue;
        buckets[one.labels.at("le")] = one.amount;
        EXPECT_GE(one.amount, before);
        before = one.amount;
    }
    EXPECT_EQ(buckets.size(), winnow::metric_buckets.size() + 1);
    EXPECT_EQ(buckets["0.001"], 2) << "a bound belongs to its bucket";
    EXPECT_EQ(buckets["0.1"], 3);
    EXPECT_EQ(buckets["+Inf"], 5);
}

TEST(metric_store, hands_everything_on) {
    struct hearing final : winnow::observer {
        void log(winnow::log_level, std::string_view, std::initializer_list<winnow::label>) override { ++heard; }
        void count(std::string_view, std::int64_t, std::initializer_list<winnow::label>) override { ++heard; }
        void gauge(std::string_view, double, std::initializer_list<winnow::label>) override { ++heard; }
        void observe(std::string_view, double, std::initializer_list<winnow::label>) override { ++heard; }
        void progress(const winnow::deletion_progress&) override { ++heard; }
        void pending_delete(std::string_view, std::string_view, std::string_view) override { ++heard; }
        int heard = 0;
    } next;
    winnow::metric_store store(&next);
    store.log(winnow::log_level::info, "", {});
    store.count("a", 1, {});
    store.gauge("b", 1, {});
    store.observe("c", 1, {});
    store.progress({});
    store.pending_delete("", "", "");
    EXPECT_EQ(next.heard, 6);
}

/// Keeps cursors, and loses them when told to, as an evicting Redis does.
class forgetful_cursors final : public winnow::cursor_store {
public:
    std::map<std::string, std::string, std::less<>> kept;

    [[nodiscard]] std::string description() const override { return "a map"; }
    [[nodiscard]] std::string risk() override { return {}; }
    [[nodiscard]] std::optional<std::string> read(std::string_view key) override {
        const auto found = kept.find(key);
        return found == kept.end() ? std::nullopt : std::optional<std::string>(found->second);
    }
    advanced advance(std::string_view key, const winnow::cursor_position& to) override {
        const std::optional<std::string> before = read(key);
        kept[std::string(key)] = winnow::cursor_text(to);
        return {true, before};
    }
    bool replace(std::string_view key, const std::optional<std::string>&, const winnow::cursor_position& to) override {
        kept[std::string(key)] = winnow::cursor_text(to);
        return true;
    }
};

class metrics : public testing::TestWithParam<winnow::dialect> {
protected:
    [[nodiscard]] winnow::context in(winnow::connection& where) {
        const winnow::context plain = all_.in(models_, where);
        winnow::context made{plain.models, plain.database, plain.time, store_, plain.mode, plain.actor};
        made.silos = plain.silos;
        made.cell_name = plain.cell_name;
        made.cursors = &cursors_;
        return made;
    }
    void schedule(const winnow::context& with, std::int64_t id) {
        const std::array<winnow::value, 1> key{winnow::value(id)};
        winnow::schedule_options now;
        now.days = 0;
        now.permit = winnow::permit_purge;
        (void)winnow::schedule(with, with.models.at("shop.Organization"), key, now);
    }
    shop_silos all_{GetParam()};
    shop_models models_;
    winnow::metric_store store_;
    forgetful_cursors cursors_;
};

INSTANTIATE_TEST_SUITE_P(databases, metrics, testing::Values(winnow::dialect::sqlite, winnow::dialect::postgres),
                         [](const testing::TestParamInfo<winnow::dialect>& of) {
                             return std::string(of.param == winnow::dialect::sqlite ? "sqlite" : "postgresql");
                         });

TEST_P(metrics, of_the_contract_all_move_when_work_is_done) {
    winnow::connection& us = all_.us();
    us.execute_script("INSERT INTO shop_organization (name) VALUES ('a'), ('b'), ('c'), ('d'), ('e');"
                      "INSERT INTO shop_member (organization_id, user_id) VALUES (1, 1), (1, 2), (2, 1);"
                      "INSERT INTO shop_badge (member_id) VALUES (1), (2), (3);");
    const winnow::context with = in(us);
    winnow::options(us, with.models).set("outbox_replication.shop_organization.replication_version", "1", "test");
    winnow::backfill_request two;
    two.max_batch_rate = 2;
    EXPECT_EQ(winnow::backfill_outboxes_for(with, two).rows, 2);
    cursors_.kept.clear();
    EXPECT_EQ(winnow::backfill_outboxes_for(with, two).rows, 2);
    (void)winnow::count_outbox(with, winnow::silo::cell);
    const prometheus_page before(text_of(store_));
    EXPECT_EQ(before.sum("deliver_from_outbox_total_outbox_count"), 4);
    EXPECT_EQ(before.sum("deliver_from_outbox_maximum_shard_depth"), 1);
    EXPECT_GT(winnow::drain(with, winnow::silo::cell).messages, 0);
    schedule(with, 1);
    schedule(with, 2);
    schedule(with, 3);
    us.execute_script("UPDATE winnow_cell_scheduled_deletion SET state = 'failed' WHERE object_id = '3'");
    const std::optional<winnow::deletion_request> claimed = winnow::claim_deletion(with, winnow::silo::cell);
    ASSERT_TRUE(claimed);
    const winnow::deletion_counts counted = winnow::count_deletions(with, winnow::silo::cell);
    EXPECT_EQ(counted.scheduled, 3);
    EXPECT_EQ(counted.in_progress, 1);
    EXPECT_EQ(counted.failed, 1);
    (void)winnow::run_deletion(with, *claimed);
    (void)winnow::count_outbox(with, winnow::silo::cell);

    const prometheus_page page(text_of(store_));
    EXPECT_THAT(page.faults(), IsEmpty()) << text_of(store_);
    // The names of the contract, spelled out: they must not follow the code.
    const std::map<std::string, std::string> contract{{"backfill_outboxes_low_bound", "gauge"},
                                                      {"backfill_outboxes_backfilled", "counter"},
                                                      {"backfill_outboxes_watermark_version", "gauge"},
                                                      {"backfill_outboxes_watermark_target_version", "gauge"},
                                                      {"backfill_outboxes_watermark_missing", "counter"},
                                                      {"outbox_saved", "counter"},
                                                      {"outbox_processed", "counter"},
                                                      {"outbox_processing_lag", "histogram"},
                                                      {"deliver_from_outbox_maximum_shard_depth", "gauge"},
                                                      {"deliver_from_outbox_total_outbox_count", "gauge"},
                                                      {"deletions_rows", "counter"},
                                                      {"deletions_chunk_duration", "histogram"},
                                                      {"deletions_scheduled", "gauge"},
                                                      {"deletions_in_progress", "gauge"},
                                                      {"deletions_failed", "gauge"}};
    for (const auto& [name, type] : contract) {
        ASSERT_EQ(page.types().count(name), 1U) << name;
        EXPECT_EQ(page.types().at(name), type) << name;
        EXPECT_GT(page.sum(type == "histogram" ? name + "_count" : name), 0) << name << "\n" << text_of(store_);
    }
    EXPECT_EQ(page.sum("backfill_outboxes_backfilled"), 4);
    EXPECT_EQ(page.sum("backfill_outboxes_watermark_missing"), 1);
    EXPECT_EQ(page.sum("deletions_rows"), 5) << "an organization, two members, two badges";
}

/// The labels are part of the contract as well.
TEST_P(metrics, have_the_labels_that_their_table_says) {
    winnow::connection& us = all_.us();
    us.execute_script("INSERT INTO shop_organization (name) VALUES ('a')");
    const winnow::context with = in(us);
    winnow::options(us, with.models).set("outbox_replication.shop_organization.replication_version", "1", "test");
    (void)winnow::backfill_outboxes_for(with, {});
    (void)winnow::drain(with, winnow::silo::cell);
    winnow::labelled_gauges told(store_, "cell", "us");
    const winnow::context labelled{with.models, with.database, with.time, told, with.mode, with.actor};
    (void)winnow::count_outbox(labelled, winnow::silo::cell);
    (void)winnow::count_deletions(labelled, winnow::silo::cell);
    schedule(with, 1);
    (void)winnow::run_deletion(with, *winnow::claim_deletion(with, winnow::silo::cell));
    for (const winnow::metric_family& family : store_.families()) {
        for (const winnow::metric_definition& known : winnow::known_metrics) {
            if (known.name != family.name) continue;
            for (const winnow::metric_sample& sample : family.samples) {
                for (const auto& [name, text] : sample.labels)
                    EXPECT_NE((" " + std::string(known.labels) + " ").find(" " + name + " "), std::string::npos)
                        << family.name << " has the label " << name;
                std::size_t wanted = known.labels.empty() ? 0 : 1;
                for (const char c : known.labels) wanted += c == ' ' ? 1 : 0;
                EXPECT_EQ(sample.labels.size(), wanted) << family.name;
            }
        }
    }
}

}  // namespace
