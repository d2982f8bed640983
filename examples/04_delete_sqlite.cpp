// SPDX-License-Identifier: Apache-2.0
// Deleting: schedule an object, change one's mind, schedule it again, run what is due. All in one file and
// one SQLite database in memory, so there is nothing to install.
#include <winnow/session.hpp>
#include <winnow/store/sqlite.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>
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
CREATE TABLE tracker_organization (id INTEGER PRIMARY KEY AUTOINCREMENT, slug TEXT NOT NULL, status INTEGER NOT NULL);
CREATE TABLE tracker_project (id INTEGER PRIMARY KEY AUTOINCREMENT, organization_id INTEGER NOT NULL REFERENCES tracker_organization, name TEXT NOT NULL);
CREATE INDEX project_organization ON tracker_project (organization_id);
CREATE TABLE tracker_event (id INTEGER PRIMARY KEY AUTOINCREMENT, project_id INTEGER NOT NULL REFERENCES tracker_project, body TEXT NOT NULL);
CREATE INDEX event_project ON tracker_event (project_id);
INSERT INTO tracker_organization VALUES (1, 'stays', 0), (2, 'goes', 0);
INSERT INTO tracker_project VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 2, 'c');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
INSERT INTO tracker_event (project_id, body) SELECT 1 + i % 3, 'event ' || i FROM n;
)sql";

int main() {
    winnow::sqlite_connection database({.path = ":memory:", .mode = winnow::sqlite_mode::create});
    database.execute_script(schema);
    (void)winnow::migrate(database);

    const winnow::catalog models(winnow::plans_of<Models>);
    winnow::steady_clock time;
    winnow::observer silent;
    const winnow::context context{models, database, time, silent};
    const winnow::session<Models> session(context);

    const Organization organization{2, "goes", winnow::object_status::active};
    std::cout << "It would take " << session.plan(organization).total << " rows.\n";

    std::cout << "Due at " << session.schedule(organization, {.days = 30}).date_scheduled << " UTC.\n";
    std::cout << "Changed our mind: " << name_of(session.cancel(organization).answer) << ".\n";

    (void)session.schedule(organization, {.days = 0, .permit = winnow::permit_purge});
    for (const winnow::deletion_report& report : winnow::run_scheduled_deletions(context)) {
        std::cout << report.model << " " << report.object_id << ": " << name_of(report.outcome) << ", " << report.rows
                  << " rows\n";
        for (const auto& [model, rows] : report.by_model) std::cout << "    " << model << ": " << rows << "\n";
    }
    const auto left = database.execute("SELECT count(*) FROM tracker_event").integer(0, 0);
    std::cout << left << " events of the other organization are left.\n";
    return left == 10000 ? 0 : 1;
}
