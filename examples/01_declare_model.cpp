// SPDX-License-Identifier: Apache-2.0
// Declaring: three structs, what each is as a model, and what hangs below it.
//
// A wrong line does not compile. Declare, say, `cascade<&Project::name>` and the compiler's first line
// says which model and which member are wrong, and what to write.
#include <winnow/derive/plans_of.hpp>
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

int main() {
    for (const winnow::plan& plan : winnow::plans_of<Models>) {
        std::cout << plan.key << " is table " << plan.quoted_table.postgres << " (";
        for (std::size_t i = 0; i < plan.columns.size(); ++i)
            std::cout << (i == 0 ? "" : ", ") << plan.columns[i].name.postgres;
        std::cout << ")\n";
        for (const winnow::relation& relation : plan.relations) {
            std::cout << "    " << name_of(relation.kind) << ": " << relation.child << " by "
                      << relation.columns.front().name.postgres << "\n";
        }
    }
}
