// SPDX-License-Identifier: Apache-2.0
// Children that are looked at one by one below many parents: each is fetched and shown once, and a fetch reads no
// more than it gives back.

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <map>

#include "integration/deletion/watched_connection.hpp"
#include "integration/deletion/worker.hpp"
#include "support/table_plans.hpp"

namespace {

using namespace winnow_test;
using winnow::deletion_outcome;

constexpr std::int32_t chunk = 20;

std::map<std::int64_t, int>& shown() {
    static std::map<std::int64_t, int> times;
    return times;
}

/// org ← issue ← event; each event is shown to a hook.
class hooked_tables {
public:
    hooked_tables() {
        const std::size_t org = plans_.add_table("org", {});
        const std::size_t issue = plans_.add_table("issue", {{"org_id"}}, 1'000);
        const std::size_t event = plans_.add_table("event", {{"issue_id"}}, chunk);
        plans_.add_relation(org, issue, "org_id", false);
        plans_.add_relation(issue, event, "issue_id", false);
        plans_.plans()[event].hooks.before_delete.call = [](const void*, winnow::row_values row,
                                                            const winnow::hook_context&) {
            ++shown()[std::get<std::int64_t>(row[0])];
        };
        plans_.finish();
        plans_.plans()[event].strategy = winnow::strategy::per_row;
        models_.emplace(plans_.models());
    }
    [[nodiscard]] const winnow::catalog& models() const { return *models_; }

private:
    table_plans plans_{"fetched"};
    std::optional<winnow::catalog> models_;
};

constexpr std::int64_t issues = 400;

/// How many events each issue has, from 1 on.
using event_counts = std::vector<std::int64_t>;

event_counts like(std::int64_t (*count)(std::int64_t issue)) {
    event_counts all{0};
    for (std::int64_t issue = 1; issue <= issues; ++issue) all.push_back(count(issue));
    return all;
}

class fetched_children : public deletion_test {
protected:
    /// Makes the tables; events of all issues lie among each other. @return the number of events
    std::int64_t make_events(const event_counts& events) const {
        make(database(),
             "CREATE TABLE org (id {id}); CREATE TABLE issue (id {id}, org_id bigint NOT NULL REFERENCES org (id));"
             "CREATE TABLE event (id {id}, issue_id bigint NOT NULL REFERENCES issue (id));"
             "CREATE INDEX issue_org ON issue (org_id); CREATE INDEX event_issue ON event (issue_id);"
             "INSERT INTO org VALUES (1);");
        const winnow::connection_ptr to = database().open();
        fill(*to, "issue", issues, [](std::int64_t i) { return list(i, 1); });
        std::vector<std::int64_t> issue_of{0};
        for (std::int64_t nth = 0; nth < *std::max_element(events.begin(), events.end()); ++nth)
            for (std::int64_t issue = issues; issue > 0; --issue)
                if (nth < events[static_cast<std::size_t>(issue)]) issue_of.push_back(issue);
        const auto count = static_cast<std::int64_t>(issue_of.size()) - 1;
        fill(*to, "event", count, [&](std::int64_t i) { return list(i, issue_of[static_cast<std::size_t>(i)]); });
        return count;
    }
    void delete_it(std::int64_t events, winnow::connection_ptr through) const {
        shown().clear();
        const hooked_tables tables;
        worker some(std::move(through), tables.models());
        some.schedule("fetched.org", one);
        const winnow::deletion_report report = some.run_to_end();
        EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
        EXPECT_EQ(report.rows, events + issues + 1) << "every row is counted once";
        EXPECT_EQ(static_cast<std::int64_t>(shown().size()), events);
        for (const auto& [id, times] : shown()) EXPECT_EQ(times, 1) << "event " << id;
    }
};

INSTANTIATE_TEST_SUITE_P(databases, fetched_children, all_databases(), name_of_database);

TEST_P(fetched_children, are_shown_once_however_they_are_spread) {
    const std::array<event_counts, 4> spreads{
        like([](std::int64_t issue) { return issue % 7; }),
        like([](std::int64_t issue) { return std::int64_t{issue == 200 ? 3'000 : 0}; }),
        like([](std::int64_t issue) { return std::int64_t{issue <= 300 ? 0 : 25}; }),
        like([](std::int64_t issue) {
            return std::int64_t{issue == 1 ? 1'500 : issue == issues ? 1'500 : 1};
        }),
    };
    for (const event_counts& events : spreads) {
        for (const bool analyzed : {false, true}) {
            const std::int64_t events_made = make_events(events);
            if (analyzed) database().run("ANALYZE");
            delete_it(events_made, database().open());
            EXPECT_EQ(count("event") + count("issue") + count("org"), 0);
            database().run("DROP TABLE event; DROP TABLE issue; DROP TABLE org");
        }
    }
}

TEST_P(fetched_children, a_fetch_reads_no_more_than_it_gives_back) {
    constexpr std::int64_t of_each = 20;
    const std::int64_t events = make_events(like([](std::int64_t) { return of_each; }));
    auto opened = std::make_unique<watched_connection>(database().open());
    std::int64_t read = 0;
    opened->with_parameters = [&](std::string_view text, std::span<const winnow::parameter> with) {
        const auto says = [&](std::string_view what) { return text.find(what) != std::string_view::npos; };
        if (says("FROM \"event\"") && says("ORDER BY \"id\" LIMIT"))
            read += static_cast<std::int64_t>(with[0].as_set()->size()) * of_each;
    };
    delete_it(events, std::move(opened));
    EXPECT_EQ(count("event") + count("issue") + count("org"), 0);
    EXPECT_GE(read, events);
    EXPECT_LE(read, 3 * events) << "the first fetch knows nothing yet";
}

}  // namespace
