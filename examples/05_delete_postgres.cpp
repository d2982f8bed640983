// SPDX-License-Identifier: Apache-2.0
// The same on PostgreSQL, with progress. Takes the database's URL, or reads WINNOW_TEST_POSTGRES; makes a
// schema of its own there and removes it at the end.
#include <winnow/session.hpp>
#include <winnow/store/postgres.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

struct Organization {
    std::int64_t id;
    std::string slug;
    winnow::object_status status;
};
struct Project {
    std::int64_t id;
    std::int64_t organization_id;
    std::string name;
};
struct Event {
    std::int64_t id;
    std::int64_t project_id;
    std::string body;
};
WINNOW_DESCRIBE(Organization, id, slug, status)
WINNOW_DESCRIBE(Project, id, organization_id, name)
WINNOW_DESCRIBE(Event, id, project_id, body)

template <> struct winnow::model<Event> {
    static constexpr text key = "tracker.Event";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<Project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&Event::project_id>);
};
template <> struct winnow::model<Organization> {
    static constexpr text key = "tracker.Organization";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto status = &Organization::status;
    static constexpr auto children = winnow::children(cascade<&Project::organization_id>);

    static bool should_proceed(const Organization& organization) { return is_deleting(organization.status); }
};

using Models = winnow::registry<Organization, Project, Event>;

constexpr const char* schema = R"sql(
DROP SCHEMA IF EXISTS winnow_example CASCADE;
CREATE SCHEMA winnow_example;
SET search_path TO winnow_example;
CREATE TABLE tracker_organization (id bigint PRIMARY KEY, slug text NOT NULL, status integer NOT NULL);
CREATE TABLE tracker_project (id bigint PRIMARY KEY, organization_id bigint NOT NULL REFERENCES tracker_organization, name text NOT NULL);
CREATE INDEX ON tracker_project (organization_id);
CREATE TABLE tracker_event (id bigint PRIMARY KEY, project_id bigint NOT NULL REFERENCES tracker_project, body text NOT NULL);
CREATE INDEX ON tracker_event (project_id);
INSERT INTO tracker_organization VALUES (1, 'stays', 0), (2, 'goes', 0);
INSERT INTO tracker_project VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 2, 'c');
INSERT INTO tracker_event SELECT i, 1 + i % 3, 'event ' || i FROM generate_series(1, 90000) AS i;
)sql";

struct progress_lines : winnow::observer {
    void progress(const winnow::deletion_progress& now) override {
        std::cout << "    " << now.rows_done << " of " << now.rows_total << " rows, " << now.current_model << "\n";
    }
};

int main(int argc, char** argv) {
    const char* url = argc > 1 ? argv[1] : std::getenv("WINNOW_TEST_POSTGRES");
    if (url == nullptr) {
        std::cout << "usage: " << argv[0]
                  << " postgresql://user@host/database\nNo database was named, so there is nothing to do.\n";
        return 0;
    }
    winnow::postgres_connection database({.url = url});
    database.execute_script(schema);
    (void)winnow::migrate(database);

    const winnow::catalog models(winnow::plans_of<Models>);
    winnow::steady_clock time;
    progress_lines lines;
    const winnow::context context{models, database, time, lines};
    const winnow::session<Models> session(context);

    const Organization organization{2, "goes", winnow::object_status::active};
    std::cout << "It would take " << session.plan(organization).total << " rows.\n";
    const winnow::deletion_report report = session.exec_sync(organization);
    std::cout << report.model << " " << report.object_id << ": " << name_of(report.outcome) << ", " << report.rows
              << " rows\n";

    const auto left = database.execute_once("SELECT count(*) FROM tracker_event", {}).integer(0, 0);
    std::cout << left << " events of the other organization are left.\n";
    database.execute_script("DROP SCHEMA winnow_example CASCADE;");
    return left == 30000 ? 0 : 1;
}
