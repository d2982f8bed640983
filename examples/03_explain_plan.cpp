// SPDX-License-Identifier: Apache-2.0
// Explaining: a declaration compiles to plain data. Which strategy was deduced and why, and the very
// statements that will run, are there to be read before anything runs.
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>

struct Event {
    std::int64_t id;
    std::int64_t issue_id;
    std::string body;
};
struct Issue {
    std::int64_t id;
    std::string project_slug;
    std::string title;
};
WINNOW_DESCRIBE(Event, id, issue_id, body)
WINNOW_DESCRIBE(Issue, id, project_slug, title)

// A leaf without hooks: whole chunks of it go with one statement, nothing is read.
template <> struct winnow::model<Event> {
    static constexpr text key = "tracker.Event";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr int chunk_size = 5000;
};

// Something hangs below, so rows are found first and their children go before them.
template <> struct winnow::model<Issue> {
    static constexpr text key = "tracker.Issue";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto table = winnow::table("issue").in_schema("tracker").on_sqlite("Issue");
    static constexpr auto children = winnow::children(cascade<&Event::issue_id>);
};

using Models = winnow::registry<Issue, Event>;

int main() {
    const auto say = [](std::string_view what, const winnow::dialect_text& statement) {
        std::cout << "    " << what << "\n        postgresql: " << statement.postgres
                  << "\n        sqlite:     " << statement.sqlite << "\n";
    };
    for (const winnow::plan& plan : winnow::plans_of<Models>) {
        std::cout << plan.key << ": " << name_of(plan.strategy) << ", chunks of " << plan.chunk_size << ", because "
                  << plan.strategy_reason << "\n";
        say("lock", plan.statements.lock);
        say("remove by key", plan.statements.remove);
        for (const winnow::relation& relation : plan.relations) {
            std::cout << "  below it, " << name_of(relation.kind) << ", " << relation.child << "\n";
            say("count", relation.statements.count);
            say("remove some", relation.statements.remove_some);
        }
    }
}
