// SPDX-License-Identifier: Apache-2.0
#include "copies_demo.hpp"

#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <winnow/backfill/run.hpp>
#include <winnow/backfill/status.hpp>
#include <winnow/context/clock.hpp>
#include <winnow/context/context.hpp>
#include <winnow/deletion/run.hpp>
#include <winnow/outbox/drain.hpp>
#include <winnow/plan/catalog.hpp>
#include <winnow/runtime/flush.hpp>
#include <winnow/runtime/remote_jobs.hpp>
#include <winnow/session.hpp>
#include <winnow/store/own_tables.hpp>

#include "data/generator.hpp"
#include "demo.hpp"
#include "plans.hpp"
#include "registry.hpp"

namespace tracker {

namespace {

/// The database of one silo.
struct silo_database {
    std::string name;
    winnow::connection_ptr session;

    [[nodiscard]] std::int64_t number(const std::string& query) const {
        return session->execute_once(query, {}).integer(0, 0);
    }
};

class copies_demo {
public:
    copies_demo(const std::filesystem::path& folder, std::uint64_t seed)
        : models_(plans()),
          control_(open(folder, "control")),
          us_(open(folder, "us")),
          de_(open(folder, "de")),
          silos_(*control_.session, {{"us", us_.session.get()}, {"de", de_.session.get()}}) {
        // Rows that no message was ever written about.
        for (const silo_database* cell : {&us_, &de_}) (void)generate(*cell->session, {0.05, seed++, false});
        // People live in the control silo; the cells only refer to them.
        std::string text = "INSERT INTO tracker_user (id, username, name, is_active, joined_at) VALUES ";
        const winnow::rows people = us_.session->execute(
            "SELECT DISTINCT user_id FROM tracker_organizationmember UNION SELECT DISTINCT user_id FROM "
            "tracker_groupsubscription ORDER BY 1");
        for (std::size_t row = 0; row < people.size(); ++row) {
            const std::string id = std::to_string(people.integer(row, 0));
            text += (row == 0 ? "(" : ", (") + id + ", 'user" + id + "', 'User " + id + "', TRUE, '2026-01-01')";
        }
        control_.session->execute_script(text);
    }

    int run() {
        std::printf("\nCopies between three databases (control, us, de):\n");
        change_arrives();
        rows_that_were_there();
        version_is_raised();
        person_goes();
        return wrong_;
    }

private:
    static silo_database open(const std::filesystem::path& folder, const std::string& name) {
        silo_database made{name, open_or_create("sqlite:" + (folder / (name + ".db")).string())};
        create_schema(*made.session);
        (void)winnow::migrate(*made.session);
        return made;
    }
    [[nodiscard]] winnow::context in(const winnow::catalog& models, const silo_database& where) {
        const bool control = &where == &control_;
        winnow::context made{
            models, *where.session, time_, silent_, control ? winnow::silo_mode::control : winnow::silo_mode::cell,
            "demo"};
        made.silos = &silos_;
        made.cell_name = control ? std::string_view() : std::string_view(where.name);
        return made;
    }
    void expect(bool right, const std::string& text) {
        std::printf("  %s  %s\n", right ? "ok   " : "WRONG", text.c_str());
        if (!right) ++wrong_;
    }
    [[nodiscard]] std::vector<const silo_database*> all() const { return {&control_, &us_, &de_}; }

    /// Delivers everything that waits, in all silos.
    void drain_all(const winnow::catalog& models) {
        for (const silo_database* one : all()) {
            const winnow::context with = in(models, *one);
            const winnow::drain_report done =
                winnow::drain(with, one == &control_ ? winnow::silo::control : winnow::silo::cell);
            for (const std::string& problem : done.problems) std::printf("    %s\n", problem.c_str());
        }
    }

    void change_arrives() {
        const winnow::context in_control = in(models_, control_);
        winnow::drain_after_commit flush;
        const winnow::session<Models> session(in_control, &flush);
        User ada{0, "ada", "Ada", true, {"2026-07-01 08:00:00"}};
        session.insert(ada);
        const std::string query = "SELECT count(*) FROM tracker_usercopy WHERE user_id = " + std::to_string(ada.id);
        expect(us_.number(query) == 1 && de_.number(query) == 1, "a person added in control is known in us and de");
        ada.name = "Ada L.";
        session.update(ada);
        expect(us_.number(query + " AND name = 'Ada L.'") == 1, "her new name has arrived");
    }

    /// Runs the backfills of all silos, delivers, and prints the cursors. @return rows that got messages
    std::int64_t backfill(const winnow::catalog& models, bool show) {
        std::int64_t rows = 0;
        for (bool moved = true; moved;) {
            moved = false;
            for (const silo_database* one : all()) {
                const winnow::context with = in(models, *one);
                const winnow::backfill_report run = winnow::backfill_outboxes_for(with, {.max_batch_rate = 25});
                rows += run.rows;
                moved = moved || run.rows != 0;
                if (!show) continue;
                for (const winnow::backfill_status& table : winnow::backfill_statuses(with)) {
                    if (run.rows == 0) continue;
                    std::printf("         %-7s %-20s%s %3lld rows done, %3lld left, next id %lld, version %lld\n",
                                one->name.c_str(), table.table.c_str(),
                                table.target.empty() ? "   " : (" " + table.target).c_str(),
                                static_cast<long long>(table.record.rows_done), static_cast<long long>(table.rows_left),
                                static_cast<long long>(table.record.lower),
                                static_cast<long long>(table.record.version));
                }
            }
            drain_all(models);
        }
        return rows;
    }
    void open_gates(std::string_view version) {
        for (const silo_database* cell : {&us_, &de_}) {
            const winnow::context with = in(models_, *cell);
            with.options().set("outbox_replication.tracker_organization.replication_version", version, "demo");
        }
        const winnow::context with = in(models_, control_);
        with.options().set("outbox_replication.tracker_user.replication_version", version, "demo");
    }
    /// The copies, compared with what they are copies of.
    [[nodiscard]] bool copies_are_equal() const {
        const auto text = [](const silo_database& of, const std::string& query) {
            return of.session->execute_once(query, {}).text(0, 0);
        };
        bool equal = true;
        for (const silo_database* cell : {&us_, &de_}) {
            equal =
                equal &&
                text(*cell, "SELECT group_concat(id || slug || name || status) FROM (SELECT * FROM "
                            "tracker_organization ORDER BY id)") ==
                    text(control_, "SELECT group_concat(organization_id || slug || name || status) FROM (SELECT * FROM "
                                   "tracker_organizationmapping WHERE cell = '" +
                                       cell->name + "' ORDER BY organization_id)");
            equal = equal &&
                    text(*cell, "SELECT group_concat(user_id || username || name || is_active) FROM (SELECT * FROM "
                                "tracker_usercopy ORDER BY user_id)") ==
                        text(control_, "SELECT group_concat(id || username || name || is_active) FROM (SELECT * FROM "
                                       "tracker_user ORDER BY id)");
        }
        return equal;
    }

    void rows_that_were_there() {
        expect(backfill(models_, false) == 0 && !copies_are_equal(),
               "rows that were there before: the gate is closed, nothing happens");
        open_gates("1");
        const std::int64_t people = control_.number("SELECT count(*) FROM tracker_user");
        const std::int64_t rows = backfill(models_, true);
        expect(rows == people + 6, "the gate is opened: " + std::to_string(rows) + " rows get their messages");
        expect(copies_are_equal(), "every copy is equal to its source, in control, us and de");
        expect(backfill(models_, false) == 0, "the version is complete: another run does nothing");
    }

    /// What the next release of the program brings: the same models, with higher versions.
    void version_is_raised() {
        raised_.assign(plans().begin(), plans().end());
        replications_.reserve(raised_.size());
        for (winnow::plan& one : raised_) {
            if (one.replication == nullptr) continue;
            replications_.push_back(*one.replication);
            replications_.back().version = 2;
            one.replication = &replications_.back();
        }
        next_.emplace(std::span<const winnow::plan>(raised_));
        expect(backfill(*next_, false) == 0, "a version is raised: nothing happens until the gate follows");
        open_gates("2");
        expect(backfill(*next_, false) > 0 && copies_are_equal(),
               "the gate follows: all rows once more, all copies equal");
    }

    /// By the new release: the old one leaves messages alone whose version it does not know (rule 15).
    void person_goes() {
        const std::int64_t id = us_.number("SELECT min(user_id) FROM tracker_organizationmember");
        const std::string of = " WHERE user_id = " + std::to_string(id);
        control_.session->execute_script("UPDATE tracker_user SET is_active = FALSE WHERE id = " + std::to_string(id));
        const winnow::context in_control = in(*next_, control_);
        winnow::schedule_options now;
        now.permit = winnow::permit_purge;
        now.days = 0;
        const std::array<winnow::value, 1> key{id};
        (void)winnow::exec_sync(in_control, next_->at("tracker.User"), key, now);
        drain_all(*next_);
        const winnow::context in_us = in(*next_, us_);
        const winnow::remote_round_report round = winnow::run_remote_jobs(in_us);
        for (const std::string& problem : round.worked_off.problems) std::printf("    %s\n", problem.c_str());
        (void)winnow::run_scheduled_deletions(in_us);
        (void)winnow::run_remote_jobs(in_us);
        expect(us_.number("SELECT count(*) FROM tracker_usercopy" + of) == 0,
               "a person who is deleted in control goes from the cells");
        expect(us_.number("SELECT count(*) FROM tracker_organizationmember" + of) +
                       us_.number("SELECT count(*) FROM tracker_groupsubscription" + of) ==
                   0,
               "what referred to them in us has gone: memberships by the deletion engine, subscriptions at once");
        expect(us_.number("SELECT count(*) FROM tracker_activity" + of) == 0,
               "what they did stays, without their name");
    }

    winnow::catalog models_;
    std::vector<winnow::plan> raised_;  ///< the models of the next release
    std::vector<winnow::replication> replications_;
    std::optional<winnow::catalog> next_;
    winnow::steady_clock time_;
    winnow::observer silent_;
    silo_database control_;
    silo_database us_;
    silo_database de_;
    winnow::connected_silos silos_;
    int wrong_ = 0;
};

}  // namespace

int demonstrate_copies(const std::filesystem::path& folder, std::uint64_t seed) {
    return copies_demo(folder, seed).run();
}

}  // namespace tracker
