// SPDX-License-Identifier: Apache-2.0
// Keys of every kind, references to other columns than the key, births, and the two silos.

#include <gmock/gmock.h>

#include "integration/deletion/worker.hpp"

namespace {

using namespace winnow_test;
using testing::HasSubstr;
using winnow::deletion_outcome;

class key_kinds : public deletion_test {
protected:
    winnow::deletion_report remove(std::string_view key, std::string_view id) {
        worker some(database(), keys_models());
        const std::size_t model = some.model(key);
        const std::vector<winnow::value> values = winnow::key_of_text(keys_models()[model], id);
        EXPECT_EQ(winnow::object_id_of(values), id);
        winnow::schedule(some.with(), model, values, at_once());
        EXPECT_EQ(some.request().object_id, id);
        return some.run_to_end();
    }
};
INSTANTIATE_TEST_SUITE_P(databases, key_kinds, all_databases(), name_of_database);

TEST_P(key_kinds, composite) {
    make(database(),
         "CREATE TABLE tenant (region text NOT NULL, number bigint NOT NULL, PRIMARY KEY (region, number));"
         "CREATE TABLE seat (region text NOT NULL, number bigint NOT NULL, place bigint NOT NULL, "
         "PRIMARY KEY (region, number, place), FOREIGN KEY (region, number) REFERENCES tenant (region, number));"
         "CREATE TABLE booking (id {id}, region text NOT NULL, number bigint NOT NULL, place bigint NOT NULL, "
         "FOREIGN KEY (region, number, place) REFERENCES seat (region, number, place));"
         "CREATE INDEX booking_seat ON booking (region, number, place);"
         "INSERT INTO tenant VALUES ('eu, \"north\"\\', 7), ('eu', 7), ('eu, \"north\"\\', 8);");
    {
        const winnow::connection_ptr to = database().open();
        const auto tenant = [](std::int64_t i) {
            return i % 3 == 0 ? "'eu', 7" : i % 3 == 1 ? "'eu, \"north\"\\', 7" : "'eu, \"north\"\\', 8";
        };
        fill(*to, "seat", 600, [&](std::int64_t i) { return std::string(tenant(i)) + ", " + std::to_string(i); });
        fill(*to, "booking", 1'800, [&](std::int64_t i) {
            const std::int64_t place = (i - 1) / 3 + 1;
            return std::to_string(i) + ", " + tenant(place) + ", " + std::to_string(place);
        });
    }
    const winnow::deletion_report report = remove("keys.Tenant", "eu\\, \"north\"\\\\,7");
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_EQ(report.rows, 1 + 200 + 600);
    EXPECT_EQ(count("tenant"), 2);
    EXPECT_EQ(count("seat"), 400);
    EXPECT_EQ(count("booking"), 1'200);
}

TEST_P(key_kinds, text) {
    make(database(), "CREATE TABLE country (code text PRIMARY KEY);"
                     "CREATE TABLE city (id {id}, country_code text NOT NULL REFERENCES country (code));"
                     "CREATE INDEX city_country ON city (country_code);"
                     "INSERT INTO country VALUES ('7'), ('ü''s, [1]'), ('8');"
                     "INSERT INTO city VALUES (1, '7'), (2, 'ü''s, [1]'), (3, '8'), (4, '7');");
    EXPECT_EQ(remove("keys.Country", "ü's, [1]").rows, 2);
    EXPECT_EQ(remove("keys.Country", "7").rows, 3) << "a text that looks like a number is a text";
    EXPECT_EQ(count("city"), 1);
}

TEST_P(key_kinds, uuid) {
    make(database(),
         "CREATE TABLE device (id {uuid} PRIMARY KEY NOT NULL);"
         "CREATE TABLE reading (id {uuid} PRIMARY KEY NOT NULL, device_id {uuid} NOT NULL REFERENCES device (id));"
         "CREATE INDEX reading_device ON reading (device_id);");
    {
        const winnow::connection_ptr to = database().open();
        const auto uuid = [](std::int64_t i) {
            std::string digits = std::to_string(i);
            return "'0a1b2c3d-0000-4000-8000-" + std::string(12 - digits.size(), '0') + digits + "'";
        };
        fill(*to, "device", 2, [&](std::int64_t i) { return uuid(i); });
        fill(*to, "reading", 50, [&](std::int64_t i) { return uuid(i) + ", " + uuid(i % 2 + 1); });
    }
    EXPECT_EQ(remove("keys.Device", "0a1b2c3d-0000-4000-8000-000000000001").rows, 26);
    EXPECT_EQ(count("reading"), 25);
    EXPECT_EQ(count("device"), 1);
}

TEST_P(key_kinds, narrow_integers) {
    make(
        database(),
        "CREATE TABLE narrow (id {id32}); CREATE TABLE tiny (id {id32}, narrow_id integer NOT NULL REFERENCES narrow (id));"
        "CREATE INDEX tiny_narrow ON tiny (narrow_id); INSERT INTO narrow VALUES (2147483647), (5);"
        "INSERT INTO tiny VALUES (1, 2147483647), (2, 5), (3, 2147483647);");
    EXPECT_EQ(remove("keys.Narrow", "2147483647").rows, 3);
    EXPECT_EQ(count("tiny"), 1);
    const winnow::error wide =
        error_of([&] { (void)winnow::key_of_text(keys_models()[keys_models().at("keys.Narrow")], "2147483648"); });
    EXPECT_THAT(wide.what(), HasSubstr("keys.Narrow"));
}

TEST_P(key_kinds, references_to_other_columns) {
    make(database(), "CREATE TABLE feed (id {id}, slug text NOT NULL UNIQUE, code bigint UNIQUE);"
                     "CREATE TABLE post (id {id}, feed_slug text NOT NULL REFERENCES feed (slug));"
                     "CREATE TABLE item (id {id}, feed_code bigint REFERENCES feed (code));"
                     "CREATE INDEX post_feed ON post (feed_slug); CREATE INDEX item_feed ON item (feed_code);"
                     "INSERT INTO feed VALUES (1, 'a', 100), (2, 'b', NULL), (3, 'c', 300);"
                     "INSERT INTO post VALUES (1, 'a'), (2, 'b'), (3, 'a'), (4, 'c');"
                     "INSERT INTO item VALUES (1, 100), (2, NULL), (3, 300);");
    EXPECT_EQ(remove("keys.Feed", "1").rows, 4);
    EXPECT_EQ(remove("keys.Feed", "2").rows, 2) << "a null refers to nothing and is referred to by nothing";
    EXPECT_EQ(count("post"), 1);
    EXPECT_EQ(count("item"), 2);
}

TEST_P(key_kinds, references_to_other_columns_without_enforced_keys) {
    make(database(),
         "CREATE TABLE feed (id {id}, slug text NOT NULL, code bigint);"
         "CREATE TABLE post (id {id}, feed_slug text NOT NULL); CREATE TABLE item (id {id}, feed_code bigint);"
         "CREATE INDEX post_feed ON post (feed_slug); CREATE INDEX item_feed ON item (feed_code);"
         "INSERT INTO feed VALUES (1, 'a, b\\', 100), (2, '', NULL), (3, 'c', 300);"
         "INSERT INTO post VALUES (1, 'a, b\\'), (2, ''), (3, 'a, b\\'), (4, 'c');"
         "INSERT INTO item VALUES (1, 100), (2, NULL), (3, 300);");
    // Their removed parents are remembered by all these columns (R6), nulls and odd texts included.
    const winnow::deletion_report first = remove("keys.Feed", "1");
    EXPECT_EQ(first.outcome, deletion_outcome::completed) << first.detail;
    EXPECT_EQ(first.rows, 4);
    const winnow::deletion_report second = remove("keys.Feed", "2");
    EXPECT_EQ(second.outcome, deletion_outcome::completed) << second.detail;
    EXPECT_EQ(second.rows, 2);
    EXPECT_EQ(count("post"), 1);
    EXPECT_EQ(count("item"), 2);
    EXPECT_EQ(count("winnow_grave"), 0);
}

class births : public deletion_test {};
INSTANTIATE_TEST_SUITE_P(databases, births, all_databases(), name_of_database);

TEST_P(births, a_reused_id_is_a_stranger) {
    make(database(), GetParam() == dialect::postgres
                         ? "CREATE TABLE thing (id bigint PRIMARY KEY, guid text NOT NULL);"
                         : "CREATE TABLE thing (id INTEGER PRIMARY KEY, guid text NOT NULL);");
    make(database(), "INSERT INTO thing VALUES (1, 'first'), (2, 'other');");
    worker some(database(), born_models());
    some.schedule("born.Thing", std::int64_t{1});
    some.schedule("born.Thing", std::int64_t{2});
    EXPECT_EQ(some.requests()[0].birth, "first");
    make(database(), "DELETE FROM thing WHERE id = 1; INSERT INTO thing VALUES (1, 'second');");
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::dropped) << report.detail;
    EXPECT_THAT(report.detail, HasSubstr("another object"));
    EXPECT_EQ(database().number("SELECT count(*) FROM thing WHERE guid = 'second'"), 1);
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
    EXPECT_EQ(count("thing"), 1);
}

class silos : public deletion_test {
protected:
    void SetUp() override {
        deletion_test::SetUp();
        make(database(), "CREATE TABLE account (id {id}); CREATE TABLE team (id {id});"
                         "INSERT INTO account VALUES (1); INSERT INTO team VALUES (1);");
    }
};
INSTANTIATE_TEST_SUITE_P(databases, silos, all_databases(), name_of_database);

TEST_P(silos, what_cannot_be_reached_is_refused_and_nothing_is_written) {
    worker cell(database(), silo_models());
    cell.mode = winnow::silo_mode::cell;
    try {
        cell.schedule("silos.Account", std::int64_t{1});
        FAIL() << "nothing was thrown";
    } catch (const winnow::availability_error& refused) {
        EXPECT_EQ(refused.kind(), winnow::failure::availability);
        EXPECT_EQ(refused.model(), "silos.Account");
        EXPECT_THAT(refused.what(), HasSubstr("silos.Account lives in the control silo, and this process serves cell"));
    }
    EXPECT_THROW(cell.cancel("silos.Account", std::int64_t{1}), winnow::availability_error);
    EXPECT_THROW(cell.exec_sync("silos.Account", std::int64_t{1}), winnow::availability_error);
    EXPECT_THROW((void)cell.pause("silos.Account", std::int64_t{1}), winnow::availability_error);
    worker control(database(), silo_models());
    control.mode = winnow::silo_mode::control;
    EXPECT_THROW(control.schedule("silos.Team", std::int64_t{1}), winnow::availability_error);
    EXPECT_EQ(
        count("winnow_control_scheduled_deletion") + count("winnow_cell_scheduled_deletion") + count("winnow_audit"),
        0);
    EXPECT_EQ(count("account") + count("team"), 2);
}

TEST_P(silos, each_process_runs_its_own_silo) {
    worker all(database(), silo_models());
    all.schedule("silos.Account", std::int64_t{1});
    all.schedule("silos.Team", std::int64_t{1});
    EXPECT_EQ(count("winnow_control_scheduled_deletion"), 1);
    EXPECT_EQ(count("winnow_cell_scheduled_deletion"), 1);
    worker cell(database(), silo_models());
    cell.mode = winnow::silo_mode::cell;
    EXPECT_EQ(cell.run().model, "silos.Team");
    EXPECT_FALSE(cell.run_next());
    EXPECT_EQ(count("account"), 1);
    worker control(database(), silo_models());
    control.mode = winnow::silo_mode::control;
    EXPECT_EQ(control.run().model, "silos.Account");
    EXPECT_EQ(count("account"), 0);
}

}  // namespace
