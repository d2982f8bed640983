// SPDX-License-Identifier: Apache-2.0
// L1 to L6 through a network that cuts connections at commits, before and after the server saw them, swallows answers,
// slices, delays, refuses: deletions, draining and backfills end where an undisturbed run ends, and nothing hangs.
//   WINNOW_SEED=… WINNOW_TREES=1 repeats one run, as far as threads let it.
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "laws/replicated_rows.hpp"
#include "laws/run_tree.hpp"
#include "support/proxy.hpp"
#include "winnow/backfill/run.hpp"
#include "winnow/outbox/drain.hpp"

namespace winnow_test {
namespace {

/// Faults by chance, up to a number of them; then the network is well.
class chance_of_faults {
public:
    chance_of_faults(std::uint64_t seed, int most) : random_(seed), left_(most) {}

    /// Called by the proxy, one message after the other.
    [[nodiscard]] proxy_fault next(const misbehaving_proxy::message& seen) {
        if (left_ == 0) return proxy_fault::none;
        const bool commit = seen.is("COMMIT");
        // Half of all faults hit a commit, as only there the outcome is in doubt.
        if (random_() % (commit ? 6 : 60) != 0) return proxy_fault::none;
        --left_;
        // Silence takes a second each time.
        constexpr proxy_fault often[] = {proxy_fault::cut_before, proxy_fault::cut_after, proxy_fault::slice,
                                         proxy_fault::delay};
        constexpr proxy_fault seldom[] = {proxy_fault::silence, proxy_fault::swallow};
        if (random_() % 12 == 0) return seldom[random_() % 2];
        return often[random_() % 4];
    }

private:
    std::mt19937_64 random_;
    int left_;
};

/// Why a worker lost its connection, by how it was told.
using endings = std::map<std::string, int>;

class bad_networks : public testing::Test {
protected:
    [[nodiscard]] winnow::connection_ptr open(const fresh_database& of) {
        return winnow::open_connector(proxy_.url_of(of.url(), "&answer_timeout=1&connect_timeout=5"), drivers)->open();
    }
    void misbehave(std::uint64_t seed, int faults) {
        auto chance = std::make_shared<chance_of_faults>(seed, faults);
        proxy_.on_message([chance](const misbehaving_proxy::message& seen) { return chance->next(seen); });
    }
    /// Calls `work()` as a process that starts again whenever its connection is lost. `between()` is called before
    /// each new start.
    template <class Work, class Between>
    void persist(std::mt19937_64& random, const Work& work, const Between& between) {
        for (int start = 0; start < 200; ++start) {
            try {
                work();
                return;
            } catch (const winnow::error& problem) {
                ASSERT_EQ(problem.kind(), winnow::failure::connection) << problem.what();
                ASSERT_TRUE(problem.may_retry() || problem.in_doubt()) << problem.what();
                ++endings_[problem.in_doubt()                                                        ? "in doubt"
                           : std::string(problem.what()).find("said nothing") != std::string::npos   ? "silent"
                           : std::string(problem.what()).find("cannot connect") != std::string::npos ? "not connected"
                                                                                                     : "lost"];
            }
            if (random() % 8 == 0) {
                proxy_.refuse();
                EXPECT_EQ(error_of([&] { (void)open(*first_); }).kind(), winnow::failure::connection);
                proxy_.listen_again();
            }
            between();
        }
        FAIL() << "two hundred starts were not enough";
    }

    std::unique_ptr<fresh_database> first_ = make_database(dialect::postgres);
    misbehaving_proxy proxy_{misbehaving_proxy::socket_of(first_->url())};
    endings endings_;
};

TEST_F(bad_networks, a_deletion_ends_where_an_undisturbed_one_ends) {
    const std::uint64_t seed = first_seed();
    const std::uint64_t count = tree_count(10);
    install(*first_->open());
    for (std::uint64_t number = 0; number < count && !HasFailure(); ++number) {
        SCOPED_TRACE("WINNOW_SEED=" + std::to_string(seed + number) + " WINNOW_TREES=1");
        std::mt19937_64 random(seed + number);
        random_tree tree(seed + number, random() % 3 != 0);
        {
            tree_runner direct(first_->open(), tree);
            prepare(*first_, *direct.database, tree);
            schedule_now(direct.context(), 0, 2);
        }
        misbehave(seed + number, 6);
        persist(
            random,
            [&] {
                tree_runner through(open(*first_), tree);
                for (const winnow::deletion_report& one : run_to_end(through.context()))
                    ASSERT_EQ(winnow::name_of(one.outcome), "completed") << one.detail;
            },
            [&] {
                tree_runner look(first_->open(), tree);
                expire_leases(*look.database);
                ASSERT_EQ(orphans(look.context()), "");
            });
        proxy_.on_message({});
        tree_runner look(first_->open(), tree);
        const std::vector<random_tree::table_rows> wanted = tree.after_deleting(2);
        ASSERT_EQ(difference(wanted, read_rows(*look.database, tree)), "");
        ASSERT_EQ(orphans(look.context()), "");
        ASSERT_EQ(first_->number("SELECT count(*) FROM winnow_cell_scheduled_deletion"), 0);
        ASSERT_EQ(first_->number("SELECT count(*) FROM winnow_grave"), 0);
        const std::vector<winnow::audit_entry> audit = winnow::list_audit(*look.database, "", "");
        ASSERT_EQ(audit.back().action, "completed");
        ASSERT_EQ(audit.back().progress, counts_between(tree.rows(), wanted)) << "each row is counted once";
        drop(*look.database, tree);
        look.database->execute_script("DELETE FROM winnow_audit");
    }
    if (count < 10) return;
    EXPECT_GT(endings_["in doubt"], 0);
    EXPECT_GT(endings_["lost"], 0);
    for (const auto& [how, times] : endings_) RecordProperty(how, times);
}

/// Source and target behind the same network.
class replicated_through_bad_networks : public bad_networks {
protected:
    void SetUp() override {
        for (const fresh_database* one : {first_.get(), second_.get()}) {
            (void)winnow::migrate(*one->open());
            one->run(replicated_tables);
        }
        first_->run("INSERT INTO winnow_option (name, value, updated_by) VALUES ('outbox.attempts', '100000', 'test'), "
                    "('outbox.turn_objects', '20', 'test'), ('outbox.retry_seconds', '0', 'test')");
    }
    /// A process that works on the source and delivers to the target.
    template <class Work> void work_through(const Work& work) {
        const winnow::connection_ptr source = open(*first_);
        const winnow::connection_ptr target = open(*second_);
        winnow::connected_silos silos(*target, {});
        winnow::steady_clock time;
        winnow::observer watch;
        winnow::context with{replicated_models(), *source, time, watch};
        with.silos = &silos;
        work(with);
        // A target that is lost in the middle is no error of the source: whoever drains gets a new one.
        if (!target->usable()) throw winnow::error(winnow::failure::connection, "the target was lost").with_retry(true);
    }
    void end_waits() const {
        first_->run("UPDATE winnow_cell_outbox_shard SET lease_expires_at = clock_timestamp() - interval '1 s', "
                    "waiting_until = NULL; UPDATE winnow_cell_outbox SET scheduled_for = clock_timestamp() - interval "
                    "'1 s' WHERE scheduled_for > clock_timestamp()");
    }
    void drain_all(std::mt19937_64& random) {
        persist(
            random,
            [&] {
                work_through([&](const winnow::context& with) {
                    do (void)winnow::drain(with, winnow::silo::cell);
                    while (with.database.usable() && with.silos->control().usable() && left(with) != 0);
                });
            },
            [&] { end_waits(); });
    }
    [[nodiscard]] std::int64_t left(const winnow::context& with) const {
        end_waits();
        return with.database.execute("SELECT count(*) FROM winnow_cell_outbox").integer(0, 0);
    }
    [[nodiscard]] static std::string all(const fresh_database& of, const std::string& query) {
        const winnow::rows found = of.open()->execute_once(query, {});
        std::string text;
        for (std::size_t row = 0; row < found.size(); ++row)
            for (std::size_t column = 0; column < found.width(); ++column)
                text += std::to_string(found.integer(row, column)) + (column + 1 == found.width() ? "\n" : " ");
        return text;
    }

    std::unique_ptr<fresh_database> second_ = make_database(dialect::postgres);
};

TEST_F(replicated_through_bad_networks, copies_equal_their_rows_and_events_have_one_effect) {
    const std::uint64_t seed = first_seed();
    const std::uint64_t count = tree_count(3);
    for (std::uint64_t number = 0; number < count && !HasFailure(); ++number) {
        SCOPED_TRACE("WINNOW_SEED=" + std::to_string(seed + number) + " WINNOW_TREES=1");
        std::mt19937_64 random(seed + number);
        first_->run("DELETE FROM law_doc; DELETE FROM law_trail; DELETE FROM winnow_cell_outbox_shard");
        second_->run("DELETE FROM law_doc_copy; DELETE FROM law_effect; DELETE FROM winnow_inbox");
        {
            random_writer writer(*first_, random);
            for (int step = 0; step < 150; ++step) writer.step();
            writer.finish();
        }
        misbehave(seed + number, 12);
        drain_all(random);
        proxy_.on_message({});
        ASSERT_EQ(first_->number("SELECT count(*) FROM winnow_cell_outbox"), 0);
        ASSERT_EQ(all(*second_, "SELECT doc_id, body FROM law_doc_copy ORDER BY doc_id"),
                  all(*first_, "SELECT id, body FROM law_doc ORDER BY id"));
        std::map<std::int64_t, std::int64_t> steps;
        const winnow::rows effects =
            second_->open()->execute_once("SELECT trail_id, step FROM law_effect ORDER BY id", {});
        for (std::size_t row = 0; row < effects.size(); ++row) {
            const std::string payload = effects.text(row, 1);
            ASSERT_EQ(std::stoll(payload.substr(payload.find(':') + 1)), ++steps[effects.integer(row, 0)])
                << "once and in order, trail " << effects.integer(row, 0);
        }
        std::string made;
        for (const auto& [trail, times] : steps) made += std::to_string(trail) + " " + std::to_string(times) + "\n";
        ASSERT_EQ(made, all(*first_, "SELECT id, steps FROM law_trail ORDER BY id"));
    }
    if (count >= 3) {
        EXPECT_GT(proxy_.faults(), 10);
    }
    for (const auto& [how, times] : endings_) RecordProperty(how, times);
}

TEST_F(replicated_through_bad_networks, a_backfill_writes_one_message_for_each_row) {
    const std::uint64_t seed = first_seed();
    const std::uint64_t count = tree_count(3);
    first_->run("INSERT INTO law_doc SELECT n, n % 7, n FROM generate_series(1, 3000) AS n; "
                "INSERT INTO winnow_option (name, value) VALUES ('backfill.batch_rows', '100'), "
                "('outbox_replication.law_doc.replication_version', '1')");
    for (std::uint64_t number = 0; number < count && !HasFailure(); ++number) {
        SCOPED_TRACE("WINNOW_SEED=" + std::to_string(seed + number) + " WINNOW_TREES=1");
        std::mt19937_64 random(seed + number);
        first_->run("DELETE FROM winnow_cell_backfill; DELETE FROM winnow_cell_outbox");
        second_->run("DELETE FROM law_doc_copy");
        misbehave(seed + number, 12);
        persist(
            random,
            [&] {
                work_through([&](const winnow::context& with) {
                    winnow::backfill_request asked;
                    asked.only = "law.Doc";
                    winnow::backfill_report report = winnow::backfill_outboxes_for(with, asked);
                    while (!report.any(winnow::backfill_ending::complete) && with.database.usable()) {
                        ASSERT_FALSE(report.any(winnow::backfill_ending::failed)) << report.tables.front().why;
                        report = winnow::backfill_outboxes_for(with, asked);
                    }
                });
            },
            [] {});
        proxy_.on_message({});
        ASSERT_EQ(first_->number("SELECT count(*) FROM winnow_cell_outbox"), 3'000);
        ASSERT_EQ(first_->number("SELECT count(DISTINCT object_identifier) FROM winnow_cell_outbox"), 3'000);
        ASSERT_EQ(first_->number("SELECT version FROM winnow_cell_backfill WHERE table_name = 'law_doc'"), 2);
        ASSERT_EQ(first_->number("SELECT rows_done FROM winnow_cell_backfill WHERE table_name = 'law_doc'"), 3'000);
    }
    first_->run("UPDATE winnow_option SET value = '1000' WHERE name = 'outbox.turn_objects'");
    std::mt19937_64 random(seed);
    misbehave(seed, 12);
    drain_all(random);
    EXPECT_EQ(all(*second_, "SELECT doc_id, body FROM law_doc_copy ORDER BY doc_id"),
              all(*first_, "SELECT id, body FROM law_doc ORDER BY id"));
    for (const auto& [how, times] : endings_) RecordProperty(how, times);
}

}  // namespace
}  // namespace winnow_test
