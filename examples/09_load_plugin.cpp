// SPDX-License-Identifier: Apache-2.0
// Models that come while the program runs: load a plugin, see what a plan has become, delete, unload. The plugin's notes
// hang below the host's projects, of which it knows nothing but the key.
//
//   09_load_plugin /path/to/project_notes.so
#include <winnow/plugin/loader.hpp>
#include <winnow/session.hpp>
#include <winnow/store/migrations.hpp>
#include <winnow/store/sqlite.hpp>
#include <winnow/winnow.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

struct Project {
    std::int64_t id;
    std::string name;
};
WINNOW_DESCRIBE(Project, id, name)

template <> struct winnow::model<Project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
};
using Models = winnow::registry<Project>;

namespace {

/// What would go with a project, with the models as they are now.
std::int64_t show_plan(const winnow::context& with, const Project& project) {
    const winnow::deletion_plan plan = winnow::session<Models>(with).plan(project);
    std::cout << "Rows that go with project " << project.name << ": " << plan.total << "\n";
    return plan.total;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) {
        std::cerr << "usage: 09_load_plugin /path/to/project_notes.so\n";
        return 2;
    }
    winnow::sqlite_connection database({.path = ":memory:", .mode = winnow::sqlite_mode::create});
    (void)winnow::migrate(database);
    database.execute_script("CREATE TABLE tracker_project (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL);"
                            "INSERT INTO tracker_project (name) VALUES ('stays'), ('goes');");
    winnow::steady_clock time;
    winnow::observer silent;
    const Project project{2, "goes"};
    std::int64_t alone = 0;
    std::int64_t together = 0;
    bool deleted = false;

    winnow::plugin_loader loader({{.plans = winnow::plans_of<Models>}});
    {
        const std::shared_ptr<const winnow::loaded_models> now = loader.current();
        alone = show_plan({now->models, database, time, silent}, project);
    }

    loader.load({argv[1]});  // all of it or nothing: what is wrong is thrown, and the models stay as they were
    {
        // Whoever holds the models keeps the plugin in use; they never change under the work.
        const std::shared_ptr<const winnow::loaded_models> now = loader.current("the example");
        const winnow::context with{now->models, database, time, silent};
        (void)winnow::migrate_parts(database, now->models.parts(), with.mode);
        database.execute_script(
            "INSERT INTO project_notes_note (project_id, body) VALUES (1, 'a'), (2, 'b'), (2, 'c');");
        together = show_plan(with, project);
        const winnow::session<Models> session(with);
        const winnow::deletion_report report = session.exec_sync(project, {.permit = winnow::permit_purge});
        for (const auto& [model, rows] : report.by_model) std::cout << "    " << model << ": " << rows << "\n";
        deleted = report.rows == 3;

        try {
            (void)loader.unload("project_notes", std::chrono::milliseconds(10));
        } catch (const winnow::error& problem) {
            std::cout << "Not yet: " << problem.what() << "\n";
        }
    }
    const bool gone = loader.unload("project_notes", std::chrono::seconds(1));
    std::cout << "Unloaded; models left: " << loader.current()->models.size() << "\n";
    const std::int64_t left = database.execute("SELECT count(*) FROM project_notes_note").integer(0, 0);
    return alone == 1 && together == 3 && deleted && gone && left == 1 && loader.current()->models.size() == 1 ? 0 : 1;
} catch (const winnow::error& problem) {
    std::cerr << problem.what() << "\n" << problem.hint() << "\n";
    return 1;
}
