// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <winnow/winnow.hpp>

#include "support/databases.hpp"
#include "winnow/context/context.hpp"
#include "winnow/context/tombstone.hpp"
#include "winnow/derive/plans_of.hpp"
#include "winnow/session.hpp"
#include "winnow/store/own_tables.hpp"

/// Models of two silos: persons live in control, what refers to them in cells.
namespace desk {

enum class scope_of : std::int32_t { person = 1, team = 2, remark = 3 };
enum class category : std::int32_t { person_update = 10, project_update = 20, seat_update = 21, remark_event = 30 };

struct person {
    std::int64_t id;
    std::string name;
    std::optional<std::string> mail;
};
struct person_copy {
    std::int64_t id;
    std::string name;
};
/// Sharded by a column of its own.
struct project {
    std::int64_t id;
    std::int64_t team;
    std::string title;
    std::optional<winnow::json_text> settings;
};
struct project_copy {
    std::int64_t project;
    std::string title;
};
/// Rows that refer to a person and go, without children, children of their own, with messages of their own.
struct ticket {
    std::int64_t id;
    std::int64_t person_id;
};
struct folder {
    std::int64_t id;
    std::int64_t person_id;
};
struct sheet {
    std::int64_t id;
    std::int64_t folder_id;
};
struct seat {
    std::int64_t id;
    std::int64_t team;
    std::int64_t person_id;
};
/// The reference becomes null, and every change counts.
struct remark {
    std::int64_t id;
    std::optional<std::int64_t> person_id;
    std::string body;
};
/// The reference stays.
struct visit {
    std::int64_t id;
    std::int64_t person_id;
    std::int64_t count;
};

WINNOW_DESCRIBE(person, id, name, mail)
WINNOW_DESCRIBE(person_copy, id, name)
WINNOW_DESCRIBE(project, id, team, title, settings)
WINNOW_DESCRIBE(project_copy, project, title)
WINNOW_DESCRIBE(ticket, id, person_id)
WINNOW_DESCRIBE(folder, id, person_id)
WINNOW_DESCRIBE(sheet, id, folder_id)
WINNOW_DESCRIBE(seat, id, team, person_id)
WINNOW_DESCRIBE(remark, id, person_id, body)
WINNOW_DESCRIBE(visit, id, person_id, count)

}  // namespace desk

template <> struct winnow::categories<desk::category> {
    static constexpr auto scopes =
        winnow::scopes(scope<desk::scope_of::person, desk::category::person_update>,
                       scope<desk::scope_of::team, desk::category::project_update, desk::category::seat_update>,
                       scope<desk::scope_of::remark, desk::category::remark_event>);
    static constexpr auto every_event = winnow::events<desk::category::remark_event>;
};

template <> struct winnow::model<desk::person> {
    static constexpr text key = "desk.Person";
    static constexpr auto silo = winnow::silo::control;
    static constexpr auto replication = replicates<desk::category::person_update>(
        shard<&desk::person::id>, payload<&desk::person::name>,
        mirror<desk::person_copy>(map<&desk::person::id, &desk::person_copy::id>,
                                  map<&desk::person::name, &desk::person_copy::name>));
};
template <> struct winnow::model<desk::person_copy> {
    static constexpr text key = "desk.PersonCopy";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<desk::project> {
    static constexpr text key = "desk.Project";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto replication = replicates<desk::category::project_update>(
        shard<&desk::project::team>, payload<&desk::project::title, &desk::project::settings>,
        mirror<desk::project_copy>(map<&desk::project::id, &desk::project_copy::project>,
                                   map<&desk::project::title, &desk::project_copy::title>));
};
template <> struct winnow::model<desk::project_copy> {
    static constexpr text key = "desk.ProjectCopy";
    static constexpr auto silo = winnow::silo::control;
    static constexpr auto primary_key = winnow::primary_key<&desk::project_copy::project>;
};
template <> struct winnow::model<desk::ticket> {
    static constexpr text key = "desk.Ticket";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto remotes = winnow::remotes(remote<"desk.Person", &desk::ticket::person_id>);
};
template <> struct winnow::model<desk::sheet> {
    static constexpr text key = "desk.Sheet";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<desk::folder> {
    static constexpr text key = "desk.Folder";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&desk::sheet::folder_id>);
    static constexpr auto remotes = winnow::remotes(remote<"desk.Person", &desk::folder::person_id>);
};
template <> struct winnow::model<desk::seat> {
    static constexpr text key = "desk.Seat";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto remotes = winnow::remotes(remote<"desk.Person", &desk::seat::person_id>);
    static constexpr auto replication = replicates<desk::category::seat_update>(shard<&desk::seat::team>);
    static void replicate(const desk::seat&, winnow::delivery&) {}
};
template <> struct winnow::model<desk::remark> {
    static constexpr text key = "desk.Remark";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto remotes = winnow::remotes(remote<"desk.Person", &desk::remark::person_id>.set_null());
    static constexpr auto replication = replicates<desk::category::remark_event>(shard<&desk::remark::id>);
    static void replicate(const desk::remark&, winnow::delivery&) {}
};
template <> struct winnow::model<desk::visit> {
    static constexpr text key = "desk.Visit";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto remotes = winnow::remotes(remote<"desk.Person", &desk::visit::person_id>.do_nothing());
};

namespace desk {

using models = winnow::registry<person, person_copy, project, project_copy, ticket, sheet, folder, seat, remark, visit>;

/// Tables of all of them, in one database.
inline constexpr winnow::dialect_text tables = {
    "CREATE TABLE desk_person (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, name text NOT NULL, mail text);"
    "CREATE TABLE desk_personcopy (id bigint PRIMARY KEY, name text NOT NULL);"
    "CREATE TABLE desk_project (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, team bigint NOT NULL, title text NOT NULL, settings jsonb);"
    "CREATE TABLE desk_projectcopy (project bigint PRIMARY KEY, title text NOT NULL);"
    "CREATE TABLE desk_ticket (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, person_id bigint NOT NULL);"
    "CREATE INDEX ON desk_ticket (person_id);"
    "CREATE TABLE desk_folder (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, person_id bigint NOT NULL);"
    "CREATE INDEX ON desk_folder (person_id);"
    "CREATE TABLE desk_sheet (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, folder_id bigint NOT NULL REFERENCES desk_folder (id));"
    "CREATE INDEX ON desk_sheet (folder_id);"
    "CREATE TABLE desk_seat (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, team bigint NOT NULL, person_id bigint NOT NULL);"
    "CREATE INDEX ON desk_seat (person_id);"
    "CREATE TABLE desk_remark (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, person_id bigint, body text NOT NULL);"
    "CREATE INDEX ON desk_remark (person_id);"
    "CREATE TABLE desk_visit (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, person_id bigint NOT NULL, count bigint NOT NULL);",
    "CREATE TABLE desk_person (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, mail TEXT);"
    "CREATE TABLE desk_personcopy (id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    "CREATE TABLE desk_project (id INTEGER PRIMARY KEY AUTOINCREMENT, team INTEGER NOT NULL, title TEXT NOT NULL, settings TEXT);"
    "CREATE TABLE desk_projectcopy (project INTEGER PRIMARY KEY, title TEXT NOT NULL);"
    "CREATE TABLE desk_ticket (id INTEGER PRIMARY KEY AUTOINCREMENT, person_id INTEGER NOT NULL);"
    "CREATE INDEX desk_ticket_person ON desk_ticket (person_id);"
    "CREATE TABLE desk_folder (id INTEGER PRIMARY KEY AUTOINCREMENT, person_id INTEGER NOT NULL);"
    "CREATE INDEX desk_folder_person ON desk_folder (person_id);"
    "CREATE TABLE desk_sheet (id INTEGER PRIMARY KEY AUTOINCREMENT, folder_id INTEGER NOT NULL REFERENCES desk_folder (id));"
    "CREATE INDEX desk_sheet_folder ON desk_sheet (folder_id);"
    "CREATE TABLE desk_seat (id INTEGER PRIMARY KEY AUTOINCREMENT, team INTEGER NOT NULL, person_id INTEGER NOT NULL);"
    "CREATE INDEX desk_seat_person ON desk_seat (person_id);"
    "CREATE TABLE desk_remark (id INTEGER PRIMARY KEY AUTOINCREMENT, person_id INTEGER, body TEXT NOT NULL);"
    "CREATE INDEX desk_remark_person ON desk_remark (person_id);"
    "CREATE TABLE desk_visit (id INTEGER PRIMARY KEY AUTOINCREMENT, person_id INTEGER NOT NULL, count INTEGER NOT NULL);"};

/// Two cells that share one database with control: messages of control models go to each by name.
class two_cells final : public winnow::silo_directory {
public:
    explicit two_cells(winnow::connection& database) : database_(database) {}
    [[nodiscard]] std::span<const std::string> cells() const noexcept override { return names_; }
    [[nodiscard]] winnow::connection& control() override { return database_; }
    [[nodiscard]] winnow::connection& cell(std::string_view) override { return database_; }

private:
    winnow::connection& database_;
    std::vector<std::string> names_{"us", "eu"};
};

/// Keeps the shards that it was asked to deliver.
class flush_log final : public winnow::outbox_flush {
public:
    void flush(const winnow::context& with, std::span<const winnow::touched_shard> shards) override {
        EXPECT_FALSE(with.database.in_transaction());
        seen.insert(seen.end(), shards.begin(), shards.end());
        if (fails) throw winnow::error(winnow::failure::connection, "the other silo is away");
    }
    std::vector<winnow::touched_shard> seen;
    bool fails = false;
};

/// One process over one database with all tables.
class process {
public:
    explicit process(const winnow_test::fresh_database& where)
        : database(where.open()), models(winnow::plans_of<desk::models>), directory(*database) {}

    winnow::connection_ptr database;
    winnow::catalog models;
    two_cells directory;
    winnow::steady_clock time;
    winnow::observer watch;
    winnow::context with{models, *database, time, watch, winnow::silo_mode::monolith, "tester", {}, &directory, "us"};
    flush_log flushes;
    winnow::session<desk::models> session{with, &flushes};

    [[nodiscard]] std::int64_t number(std::string_view query) const {
        return database->execute_once(query, {}).integer(0, 0);
    }
    /// Says that persons are gone in the control silo.
    void bury(std::initializer_list<std::int64_t> persons, std::int64_t message = 1) const {
        winnow::key_set dead(2);
        for (const std::int64_t one : persons) {
            const winnow::value pair[] = {one, message};
            dead.push_back(pair);
        }
        winnow::write_tombstones(*database, winnow::silo::cell, "desk.Person", "far/control/us", dead);
    }
};

/// A test with all tables in an empty database.
class desk_test : public winnow_test::on_every_database {
protected:
    void SetUp() override {
        on_every_database::SetUp();
        winnow::migrate(*database().open());
        database().run(tables);
    }
};

}  // namespace desk
