// SPDX-License-Identifier: Apache-2.0
// A deletion that touches rows of replicated models: every row that goes or changes has a message in the same
// transaction, and no other row has one (L4).

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "support/databases.hpp"
#include "winnow/context/clock.hpp"
#include "winnow/context/observer.hpp"
#include "winnow/derive/plans_of.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/session.hpp"
#include "winnow/winnow.hpp"

namespace copied {

enum class scope { team = 0 };
enum class category { team_update = 0, player_update = 1, contract_update = 2, medal_update = 3 };

struct team {
    std::int64_t id;
    winnow::object_status status;
};
struct player {
    std::int64_t id;
    std::int64_t team_id;
};
struct contract {
    std::int64_t id;
    std::int64_t player_id;
    std::int64_t club_id;
};
struct medal {
    std::int64_t id;
    std::optional<std::int64_t> player_id;
    std::int64_t club_id;
};
struct ticket {
    std::int64_t id;
    std::int64_t player_id;
};
WINNOW_DESCRIBE(team, id, status)
WINNOW_DESCRIBE(player, id, team_id)
WINNOW_DESCRIBE(contract, id, player_id, club_id)
WINNOW_DESCRIBE(medal, id, player_id, club_id)
WINNOW_DESCRIBE(ticket, id, player_id)

}  // namespace copied

template <> struct winnow::categories<copied::category> {
    static constexpr auto scopes =
        winnow::scopes(scope<copied::scope::team, copied::category::team_update, copied::category::player_update,
                             copied::category::contract_update, copied::category::medal_update>);
};
template <> struct winnow::model<copied::team> {
    static constexpr text key = "copied.Team";
    static constexpr text table = "team";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto status = &copied::team::status;
    static constexpr auto children = winnow::children(cascade<&copied::player::team_id>);
    static constexpr auto replication = replicates<copied::category::team_update>(shard<&copied::team::id>);
    static void replicate(const copied::team&, winnow::delivery&) {}
};
template <> struct winnow::model<copied::player> {
    static constexpr text key = "copied.Player";
    static constexpr text table = "player";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr int chunk_size = 3;
    static constexpr auto children =
        winnow::children(cascade<&copied::contract::player_id>, set_null<&copied::medal::player_id>,
                         cascade<&copied::ticket::player_id>);
    static constexpr auto replication = replicates<copied::category::player_update>(shard<&copied::player::team_id>);
    static void replicate(const copied::player&, winnow::delivery&) {}
};
template <> struct winnow::model<copied::contract> {
    static constexpr text key = "copied.Contract";
    static constexpr text table = "contract";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto replication = replicates<copied::category::contract_update>(
        shard<&copied::contract::club_id>, payload<&copied::contract::club_id>);
    static void replicate(const copied::contract&, winnow::delivery&) {}
};
template <> struct winnow::model<copied::medal> {
    static constexpr text key = "copied.Medal";
    static constexpr text table = "medal";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr int chunk_size = 4;
    static constexpr auto replication = replicates<copied::category::medal_update>(shard<&copied::medal::club_id>);
    static void replicate(const copied::medal&, winnow::delivery&) {}
};
template <> struct winnow::model<copied::ticket> {
    static constexpr text key = "copied.Ticket";
    static constexpr text table = "ticket";
    static constexpr auto silo = winnow::silo::cell;
};

namespace {

using Models = winnow::registry<copied::team, copied::player, copied::contract, copied::medal, copied::ticket>;
static_assert(Models::proved);

class replicated : public testing::TestWithParam<winnow::dialect> {
protected:
    static constexpr std::string_view tables = R"sql(
        CREATE TABLE team (id bigint PRIMARY KEY, status bigint NOT NULL DEFAULT 0);
        CREATE TABLE player (id bigint PRIMARY KEY, team_id bigint NOT NULL REFERENCES team);
        CREATE TABLE contract (id bigint PRIMARY KEY, player_id bigint NOT NULL REFERENCES player, club_id bigint NOT NULL);
        CREATE TABLE medal (id bigint PRIMARY KEY, player_id bigint REFERENCES player, club_id bigint NOT NULL);
        CREATE TABLE ticket (id bigint PRIMARY KEY, player_id bigint NOT NULL REFERENCES player);
        CREATE INDEX player_team ON player (team_id);
        CREATE INDEX contract_player ON contract (player_id);
        CREATE INDEX medal_player ON medal (player_id);
        CREATE INDEX ticket_player ON ticket (player_id);)sql";

    void SetUp() override {
        if (GetParam() == winnow::dialect::postgres) database_ = std::make_unique<winnow_test::fresh_postgres>();
        else database_ = std::make_unique<winnow_test::fresh_sqlite>();
        session_ = database_->open();
        (void)winnow::migrate(*session_);
        session_->execute_script(tables);
        for (int team = 1; team <= 2; ++team) insert("team", std::to_string(team) + ", 0");
        for (int player = 1; player <= 20; ++player) {
            const std::string of = std::to_string(player);
            insert("player", of + ", " + std::to_string(player <= 10 ? 1 : 2));
            for (int row = 0; row < 5; ++row) {
                const std::string id = std::to_string(player * 10 + row);
                insert("contract", id + ", " + of + ", 7");
                insert("medal", id + ", " + of + ", 8");
                insert("ticket", id + ", " + of);
            }
        }
    }
    void insert(const std::string& table, const std::string& values) {
        session_->execute_script("INSERT INTO " + table + " VALUES (" + values + ")");
    }
    [[nodiscard]] std::int64_t number(const std::string& query) {
        return session_->execute_once(query, {}).integer(0, 0);
    }
    [[nodiscard]] winnow::context with() { return {models_, *session_, time_, watch_}; }
    [[nodiscard]] std::int64_t objects(copied::category of) {
        return number("SELECT count(DISTINCT object_identifier) FROM winnow_cell_outbox WHERE category = " +
                      std::to_string(static_cast<int>(of)));
    }

    const winnow::catalog models_{winnow::plans_of<Models>};
    winnow::steady_clock time_;
    winnow::observer watch_;
    std::unique_ptr<winnow_test::fresh_database> database_;
    winnow::connection_ptr session_;
};

TEST_P(replicated, each_row_that_goes_or_changes_has_a_message) {
    const winnow::context work = with();
    const winnow::session<Models> session(work);
    const winnow::deletion_report report = session.exec_sync(copied::team{1, winnow::object_status::active});
    ASSERT_EQ(report.outcome, winnow::deletion_outcome::completed) << report.detail;
    EXPECT_EQ(number("SELECT count(*) FROM team"), 1);
    EXPECT_EQ(number("SELECT count(*) FROM contract"), 50);
    EXPECT_EQ(number("SELECT count(*) FROM medal WHERE player_id IS NULL"), 50);

    EXPECT_EQ(objects(copied::category::team_update), 1);
    EXPECT_EQ(objects(copied::category::player_update), 10);
    EXPECT_EQ(objects(copied::category::contract_update), 50);
    EXPECT_EQ(objects(copied::category::medal_update), 50);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_cell_outbox WHERE category = 2"), 50) << "one a row, not one a look";
    EXPECT_EQ(number("SELECT max(object_identifier) FROM winnow_cell_outbox WHERE category = 1"), 10);
    EXPECT_EQ(number("SELECT max(object_identifier) FROM winnow_cell_outbox WHERE category IN (2, 3)"), 104)
        << "rows of the other team have none";
    EXPECT_EQ(number("SELECT count(*) FROM winnow_cell_outbox WHERE category = 2 AND shard_identifier = 7"), 50);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_cell_outbox WHERE category = 2 AND payload IS NOT NULL"), 50)
        << "what a handler needs of a row that is gone";
    EXPECT_EQ(number("SELECT count(*) FROM winnow_control_outbox"), 0);
}

TEST_P(replicated, marking_writes_a_message_and_taking_it_back_another) {
    const winnow::context work = with();
    const winnow::session<Models> session(work);
    const copied::team second{2, winnow::object_status::active};
    (void)session.schedule(second);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_cell_outbox WHERE category = 0 AND object_identifier = 2"), 1);
    (void)session.cancel(second);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_cell_outbox WHERE category = 0 AND object_identifier = 2"), 2);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_cell_outbox"), 2);
}

TEST_P(replicated, a_chunk_that_is_rolled_back_leaves_no_message) {
    if (GetParam() == winnow::dialect::postgres)
        session_->execute_script(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'kept'; END $$;"
            "CREATE TRIGGER keep BEFORE DELETE ON contract FOR EACH ROW EXECUTE FUNCTION refuse()");
    else
        session_->execute_script(
            "CREATE TRIGGER keep BEFORE DELETE ON contract BEGIN SELECT RAISE(ABORT, 'kept'); END");
    const winnow::context work = with();
    const winnow::session<Models> session(work);
    EXPECT_THROW((void)session.exec_sync(copied::team{1, winnow::object_status::active}), winnow::error);
    EXPECT_EQ(number("SELECT count(*) FROM contract"), 100);
    EXPECT_EQ(objects(copied::category::contract_update), 0);
}

std::string name_of_case(const testing::TestParamInfo<winnow::dialect>& of) {
    return of.param == winnow::dialect::sqlite ? "sqlite" : "postgres";
}
INSTANTIATE_TEST_SUITE_P(databases, replicated, testing::Values(winnow::dialect::sqlite, winnow::dialect::postgres),
                         name_of_case);

}  // namespace
