// SPDX-License-Identifier: Apache-2.0
// Three worker processes on PostgreSQL and Redis delete trees, drain an outbox and backfill, while workers are killed and
// put to sleep past their leases, PostgreSQL crashes and Redis is emptied, and all that again behind a network that cuts
// connections at commits, silences and slices them. In the end nothing of that is to be seen.
//
// Twenty seconds each; WINNOW_CHAOS_SECONDS=120 for longer, WINNOW_SEED for the same again.

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "integration/runtime/shop.hpp"
#include "laws/chaos/servers.hpp"
#include "laws/chaos/sick_network.hpp"
#include "laws/child_process.hpp"
#include "support/databases.hpp"
#include "winnow/cli/log.hpp"
#include "winnow/cli/stop.hpp"
#include "winnow/context/options.hpp"
#include "winnow/deletion/schedule.hpp"
#include "winnow/context/locked_observer.hpp"
#include "winnow/runtime/stream_broker.hpp"
#include "winnow/runtime/worker.hpp"
#include "winnow/store/redis_cursor.hpp"
#include "winnow/store/redis_stream.hpp"
#include "winnow/store/session_name.hpp"

namespace {

using namespace winnow_test;

constexpr int trees = 50;
constexpr int messages = 20'000;
constexpr int kept_organizations = 1'000;
constexpr int users = 2'000;
constexpr int writes_at_once = 50;

/// The shop's models, with one more effect for each message about a user, that is to be made once.
class chaos_models {
public:
    chaos_models() : plans_(shop_plans().begin(), shop_plans().end()) {
        replications_.reserve(plans_.size());
        for (winnow::plan& one : plans_) {
            if (one.replication == nullptr) continue;
            replications_.push_back(*one.replication);
            if (one.key == "shop.User") replications_.back().hooks.replicate = note;
            one.replication = &replications_.back();
        }
        models_.emplace(std::span<const winnow::plan>(plans_));
    }
    [[nodiscard]] const winnow::catalog& catalog() const { return *models_; }

private:
    static void note(const void*, winnow::row_values, winnow::delivery& about) {
        about.once([&](winnow::connection& target) {
            (void)target.execute("INSERT INTO chaos_effect (message_id, object) VALUES ($1, $2)",
                                 {about.message_id, about.object});
        });
    }
    std::vector<winnow::plan> plans_;
    std::vector<winnow::replication> replications_;
    std::optional<winnow::catalog> models_;
};

class log_file final : public winnow::observer {
public:
    void log(winnow::log_level level, std::string_view message, std::initializer_list<winnow::label> labels) override {
        out_.write(level, message, labels);
    }

private:
    winnow::cli::log_writer out_{winnow::log_level::info};
};

/// What a worker process does until it is told to stop.
/// @param database URL by which it reaches PostgreSQL
void work(const servers& on, const std::string& database, const chaos_models& models) {
    if (std::freopen((on.folder() / "workers.log").c_str(), "a", stderr) == nullptr) std::abort();
    winnow::steady_clock time;
    log_file log;
    winnow::locked_observer watch(log);
    winnow::worker_parts parts{models.catalog(), time, watch, winnow::cli::stop_on_signal::request(), {{}}, {}, {}, {}};
    parts.owner = winnow::session_name_of_process();
    parts.task_seconds = 4;
    parts.open = [&](const winnow::worker_site& site) {
        winnow::site_session session{winnow::open_connector(database, drivers)->open(), nullptr,
                                     std::make_unique<winnow::redis_cursors>(on.redis()), nullptr};
        session.silos = std::make_unique<winnow::one_database>(*session.database, site.cell_name);
        return session;
    };
    parts.brokers = {{parts.sites[0].queues(), [&](const winnow::broker_options& options) {
                          auto stream = std::make_unique<winnow::redis_stream>(
                              winnow::parse_redis_url(on.redis()), options.queues, options.owner,
                              static_cast<std::int64_t>(options.lease_seconds * 1000));
                          return std::make_unique<winnow::stream_broker<winnow::redis_stream>>(std::move(stream),
                                                                                               options);
                      }}};
    winnow::worker all(std::move(parts), 2);
    const winnow::cli::stop_on_signal stopping([&] { all.nudge(); });
    all.run();
}

class chaos : public testing::TestWithParam<std::string_view> {
protected:
    void SetUp() override {
        const winnow::connection_ptr session = open();
        (void)winnow::migrate(*session);
        session->execute_script(
            "CREATE TABLE shop_user (id bigint PRIMARY KEY, email text NOT NULL);"
            "CREATE TABLE shop_organizationcopy (cell text, organization_id bigint, name text NOT NULL, PRIMARY KEY (cell, "
            "organization_id));"
            "CREATE TABLE shop_organization (id bigint PRIMARY KEY, name text NOT NULL);"
            "CREATE TABLE shop_member (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, organization_id bigint NOT NULL "
            "REFERENCES shop_organization, user_id bigint NOT NULL);"
            "CREATE TABLE shop_badge (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, member_id bigint NOT NULL "
            "REFERENCES shop_member);"
            "CREATE TABLE shop_usercopy (user_id bigint PRIMARY KEY, email text NOT NULL);"
            "CREATE TABLE chaos_effect (message_id bigint, object bigint);"
            "CREATE INDEX ON shop_member (organization_id); CREATE INDEX ON shop_member (user_id);"
            "CREATE INDEX ON shop_badge (member_id);");
        const auto to = [](int number) { return "generate_series(1, " + std::to_string(number) + ")"; };
        session->execute_script(
            "INSERT INTO shop_organization SELECT i, 'o' || i FROM " + to(trees + kept_organizations) +
            " i; INSERT INTO shop_member (organization_id, user_id) SELECT o, i FROM " + to(trees + 10) + " o, " +
            to(60) + " i; INSERT INTO shop_badge (member_id) SELECT m.id FROM shop_member m, " + to(20) +
            " i; INSERT INTO shop_user SELECT i, 'u' || i FROM " + to(users) +
            " i; INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier) SELECT 0, " +
            std::to_string(trees) + " + 1 + i % " + std::to_string(kept_organizations) + ", 0, " +
            std::to_string(trees) + " + 1 + i % " + std::to_string(kept_organizations) + " FROM " + to(messages) +
            " i; ANALYZE;");
        winnow::options live(*session, models_.catalog());
        for (const auto& [name, text] : {std::pair("job.enqueue_outbox_jobs.interval_seconds", "1"),
                                         {"job.work_off_tombstones.interval_seconds", "5"},
                                         {"deletion.lease_seconds", "2"},
                                         {"outbox.lease_seconds", "2"},
                                         {"worker.leader_seconds", "2"},
                                         {"deletion.retry_seconds", "1"},
                                         {"outbox.retry_seconds", "1"},
                                         {"deletion.pass_rows", "150"},
                                         {"deletion.target_milliseconds", "5"},
                                         {"outbox.turn_shards", "5"},
                                         {"backfill.max_batch_rate", "100000"},
                                         {"backfill.batch_rows", "200"},
                                         {"outbox_replication.shop_user.replication_version", "1"}})
            live.set(name, text, "test");
        winnow::one_database silos(*session);
        winnow::steady_clock time;
        winnow::observer quiet;
        winnow::context with{models_.catalog(), *session, time, quiet};
        with.silos = &silos;
        winnow::schedule_options now;
        now.days = 0;
        now.permit = winnow::permit_purge;
        for (std::int64_t id = 1; id <= trees; ++id) {
            const winnow::value key = id;
            (void)winnow::schedule(with, models_.catalog().at("shop.Organization"), {&key, 1}, now);
        }
    }

    [[nodiscard]] winnow::connection_ptr open() const {
        return winnow::open_connector(servers_.database(), drivers)->open();
    }
    [[nodiscard]] std::int64_t number(const std::string& query) const {
        return open()->execute_once(query, {}).integer(0, 0);
    }
    [[nodiscard]] std::unique_ptr<child_process> start_worker() const {
        // What the network swallowed is given up soon, and no lease outlives it.
        const std::string way =
            network_ ? network_->url() + "&answer_timeout=2&connect_timeout=2" : servers_.database();
        return std::make_unique<child_process>([&] { work(servers_, way, models_); });
    }
    [[nodiscard]] std::string left() const {
        const winnow::rows found = open()->execute_once(
            "SELECT (SELECT count(*) FROM winnow_cell_scheduled_deletion), (SELECT count(*) FROM winnow_cell_outbox), (SELECT "
            "count(*) FROM winnow_control_outbox), (SELECT count(*) FROM winnow_control_backfill WHERE state <> 'complete') + "
            "(SELECT CASE WHEN count(*) = 0 THEN 1 ELSE 0 END FROM winnow_control_backfill)",
            {});
        std::string text;
        for (std::size_t at = 0; at < 4; ++at) text += (at == 0 ? "" : " ") + std::to_string(found.integer(0, at));
        return text;
    }

    /// Prints what the network did; every kind of it, or the test has not seen it.
    void expect_sickness() const {
        using event = sick_network::event;
        const auto of = [&](event which) {
            const std::int64_t times = network_->count(which);
            EXPECT_GT(times, 0) << "kind of trouble " << static_cast<int>(which);
            return static_cast<long long>(times);
        };
        std::printf(
            "of %lld connections cut at COMMIT: %lld before the server saw it, %lld after; cut at other messages: %lld; "
            "silenced: %lld at COMMIT, %lld elsewhere; silent both ways: %lld and %lld; sliced: %lld; delayed: %lld; "
            "times that nobody got through: %lld\n",
            of(event::connected), of(event::cut_before_commit), of(event::cut_after_commit), of(event::cut_elsewhere),
            of(event::silenced_at_commit), of(event::silenced_elsewhere), of(event::swallowed_at_commit),
            of(event::swallowed_elsewhere), of(event::sliced), of(event::delayed), of(event::refused));
    }

    servers servers_;
    chaos_models models_;
    std::unique_ptr<sick_network> network_;  ///< between workers and PostgreSQL; null: none
    std::vector<std::unique_ptr<child_process>> workers_;
};

INSTANTIATE_TEST_SUITE_P(connections, chaos, testing::Values("direct", "through_a_sick_network"),
                         [](const auto& of) { return std::string(of.param); });

TEST_P(chaos, leaves_no_trace) {
    const char* asked = std::getenv("WINNOW_CHAOS_SECONDS");
    const std::chrono::seconds length(asked == nullptr ? 20 : std::atoi(asked));
    const char* given = std::getenv("WINNOW_SEED");
    const std::uint64_t seed = given == nullptr ? std::random_device{}() : std::strtoull(given, nullptr, 10);
    SCOPED_TRACE("WINNOW_SEED=" + std::to_string(seed));
    std::printf("WINNOW_SEED=%llu\n", static_cast<unsigned long long>(seed));
    std::mt19937_64 random(seed);
    if (GetParam() != "direct") network_ = std::make_unique<sick_network>(servers_.database(), seed);
    int kills = 0;
    int restarts = 0;
    int flushes = 0;
    int sleeps = 0;
    int writes = 0;
    const auto begun = std::chrono::steady_clock::now();
    const auto since = [&](auto moment) {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - moment).count();
    };
    // Half of the trees are due at once, the others one after the other for as long as it lasts.
    open()->execute_script("UPDATE winnow_cell_scheduled_deletion SET date_scheduled = clock_timestamp() + interval '" +
                           std::to_string(length.count()) + " s' * greatest(0, object_id::bigint * 2 - " +
                           std::to_string(trees) + ") / " + std::to_string(trees));
    for (int i = 0; i < 3; ++i) workers_.push_back(start_worker());
    std::vector<std::pair<std::size_t, std::chrono::steady_clock::time_point>> asleep;
    // A slow machine gets more time to see every kind of trouble.
    const auto lasts = [&](double passed) {
        const double whole = static_cast<double>(length.count());
        return passed < whole || (network_ && !network_->had_all() && passed < 3 * whole);
    };
    while (lasts(since(begun))) {
        std::this_thread::sleep_for(std::chrono::milliseconds(300 + random() % 700));
        std::erase_if(asleep, [&](const auto& one) {
            if (since(one.second) < 3.0) return false;  // longer than any lease
            workers_[one.first]->signal(SIGCONT);
            return true;
        });
        // Life goes on: some that are kept change their names, with their messages, in one transaction.
        const std::uint64_t first = trees + 1 + random() % (kept_organizations - writes_at_once);
        const std::string some =
            "BETWEEN " + std::to_string(first) + " AND " + std::to_string(first + writes_at_once - 1);
        open()->execute_script(
            "BEGIN; UPDATE shop_organization SET name = name || 'x' WHERE id " + some +
            "; INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier) "
            "SELECT 0, id, 0, id FROM shop_organization WHERE id " +
            some + "; COMMIT");
        writes += writes_at_once;
        const std::size_t which = random() % workers_.size();
        const bool sleeping =
            std::any_of(asleep.begin(), asleep.end(), [&](const auto& one) { return one.first == which; });
        switch (random() % 8) {
            case 0:
            case 1:
            case 2:
                if (sleeping) break;
                workers_[which]->kill();
                EXPECT_TRUE(workers_[which]->wait().killed);
                workers_[which] = start_worker();
                ++kills;
                break;
            case 3:
            case 4:
                if (sleeping || asleep.size() == 2) break;
                workers_[which]->signal(SIGSTOP);
                asleep.emplace_back(which, std::chrono::steady_clock::now());
                ++sleeps;
                break;
            case 5:
            case 6:
                (void)winnow::redis(servers_.redis()).command({"FLUSHALL"});
                ++flushes;
                break;
            default:
                if (restarts * 6 > since(begun)) break;
                servers_.restart();
                ++restarts;
                break;
        }
    }
    for (const auto& one : asleep) workers_[one.first]->signal(SIGCONT);
    if (network_) network_->heal();
    std::string at_the_end = left();
    std::printf(
        "chaos of %.0f s: %d kills, %d sleeps past a lease, %d crashes of PostgreSQL, %d flushes of Redis, %d writes; "
        "left after it (deletions, messages, messages of users, backfills): %s\n",
        since(begun), kills, sleeps, restarts, flushes, writes, at_the_end.c_str());
    if (network_) expect_sickness();
    const auto over = std::chrono::steady_clock::now();
    while (at_the_end != "0 0 0 0" && since(over) < 180) {
        std::this_thread::sleep_for(std::chrono::milliseconds(250));
        at_the_end = left();
    }
    const double calm = since(over);
    for (const auto& one : workers_) one->signal(SIGTERM);
    for (const auto& one : workers_) EXPECT_EQ(one->wait().code, 0) << "a worker that is told to end does so in time";
    if (std::getenv("WINNOW_CHAOS_LOG") != nullptr)
        std::filesystem::copy_file(servers_.folder() / "workers.log", std::getenv("WINNOW_CHAOS_LOG"),
                                   std::filesystem::copy_options::overwrite_existing);
    ASSERT_EQ(at_the_end, "0 0 0 0") << "deletions, messages, messages of users and backfills that are left";

    // Every tree is gone, once, with nothing of it left behind and nothing else touched.
    const std::string all = std::to_string(trees);
    EXPECT_EQ(number("SELECT count(*) FROM shop_organization WHERE id <= " + all), 0);
    EXPECT_EQ(number("SELECT count(*) FROM shop_organization"), kept_organizations);
    EXPECT_EQ(number("SELECT count(*) FROM shop_member"), 10 * 60);
    EXPECT_EQ(number("SELECT count(*) FROM shop_badge"), 10 * 60 * 20);
    EXPECT_EQ(
        number("SELECT count(*) FROM shop_badge b LEFT JOIN shop_member m ON m.id = b.member_id WHERE m.id IS NULL"),
        0);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_audit WHERE action = 'completed'"), trees);
    EXPECT_EQ(number("SELECT count(DISTINCT object_id) FROM winnow_audit WHERE action = 'completed'"), trees);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_audit WHERE action IN ('failed', 'blocked', 'dropped')"), 0);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_audit WHERE action = 'completed' AND rows_done <> 1 + 60 + 60 * 20"),
              0)
        << "each row counted once";
    // Copies are what they are copies of.
    EXPECT_EQ(
        number("SELECT count(*) FROM shop_organization o FULL JOIN (SELECT * FROM shop_organizationcopy WHERE cell = "
               "'main') c ON c.organization_id = o.id WHERE o.name IS DISTINCT FROM c.name"),
        0);
    EXPECT_EQ(number("SELECT count(*) FROM shop_user u FULL JOIN shop_usercopy c ON c.user_id = u.id WHERE u.email IS "
                     "DISTINCT FROM c.email"),
              0);
    // What is to be done once for a message was.
    EXPECT_EQ(number("SELECT count(*) - count(DISTINCT message_id) FROM chaos_effect"), 0);
    EXPECT_EQ(number("SELECT count(DISTINCT object) FROM chaos_effect"), users);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_job WHERE running_on IS NOT NULL AND last_finished > last_started"),
              0);
    std::printf(
        "%.1f s later: %d trees of %d rows gone once, %d messages and %d backfilled rows delivered, no orphan, copies "
        "equal, %lld effects for %d users\n",
        calm, trees, 1 + 60 + 60 * 20, messages + writes, users,
        static_cast<long long>(number("SELECT count(*) FROM chaos_effect")), users);
}

}  // namespace
