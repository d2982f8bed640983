// SPDX-License-Identifier: Apache-2.0
#include "../models/bookmark.hpp"
#include "builder.hpp"

namespace tracker {

void data_builder::make_alerts() {
    table("tracker_alertrule", "id, organization_id, team_id, name, query, status", [&](row_writer& out) {
        each(many(30), [&](world& w, std::size_t i) {
            w.rules.push_back(next_id(current_));
            const auto team = nullable{random_.one_in(3), random_.pick(w.teams)};
            out.add(values{w.rules.back(), w.summary->id, team, "rule " + std::to_string(i), "level:error",
                           winnow::object_status::active});
        });
    });
    table("tracker_alertruletrigger", "id, alert_rule_id, label, threshold", [&](row_writer& out) {
        each(2 * many(30), [&](world& w, std::size_t i) {
            w.triggers.push_back(next_id(current_));
            out.add(values{w.triggers.back(), w.rules[i / 2], i % 2 == 0 ? "warning" : "critical",
                           10.5 * static_cast<double>(1 + i % 2)});
        });
    });
    table("tracker_triggeraction", "id, alert_rule_trigger_id, kind, target", [&](row_writer& out) {
        each(4 * many(30), [&](world& w, std::size_t i) {
            out.add(values{next_id(current_), w.triggers[i / 2], i % 3, "channel-" + std::to_string(i % 11)});
        });
    });
    table("tracker_incident", "id, organization_id, alert_rule_id, title, status, detected_at", [&](row_writer& out) {
        each(2 * many(30), [&](world& w, std::size_t i) {
            w.incidents.push_back(next_id(current_));
            const auto rule = nullable{random_.one_in(5), random_.pick(w.rules)};
            out.add(values{w.incidents.back(), w.summary->id, rule, "incident " + std::to_string(i), random_.below(3),
                           random_.moment()});
        });
    });
    table("tracker_incidentactivity", "id, incident_id, kind, value, created_at", [&](row_writer& out) {
        each(8 * many(30), [&](world& w, std::size_t i) {
            const auto value = nullable{random_.one_in(2), static_cast<double>(random_.below(1000)) / 8};
            out.add(values{next_id(current_), w.incidents[i / 4], random_.below(5), value, random_.moment()});
        });
    });
}

void data_builder::make_monitors() {
    table("tracker_monitor", "id, project_id, slug, schedule, status", [&](row_writer& out) {
        each(many(16), [&](world& w, std::size_t i) {
            w.monitors.push_back(next_id(current_));
            // Only every second project has monitors, see make_projects.
            const std::size_t project = 2 * (i % (w.projects.size() / 2));
            out.add(values{w.monitors.back(), w.projects[project], "nightly-" + std::to_string(i), "0 3 * * *",
                           winnow::object_status::active});
        });
    });
    table("tracker_monitorcheckin", "guid, monitor_id, status, duration_ms, checked_at", [&](row_writer& out) {
        each(many(2400), [&](world& w, std::size_t) {
            const auto duration = nullable{random_.one_in(10), random_.below(60000)};
            out.add(values{random_.uuid(), random_.pick(w.monitors), random_.below(4), duration, random_.moment()});
        });
    });
}

void data_builder::make_dashboards() {
    table("tracker_savedquery", "id, organization_id, name, query", [&](row_writer& out) {
        each(many(40), [&](world& w, std::size_t i) {
            w.saved_queries.push_back(next_id(current_));
            out.add(
                values{w.saved_queries.back(), w.summary->id, "query " + std::to_string(i), R"({"sort": "-count"})"});
        });
    });
    table("tracker_dashboard", "id, organization_id, title, created_at", [&](row_writer& out) {
        each(many(10), [&](world& w, std::size_t i) {
            w.dashboards.push_back(next_id(current_));
            out.add(values{w.dashboards.back(), w.summary->id, "Dashboard " + std::to_string(i), random_.moment()});
        });
    });
    table("tracker_dashboardwidget", "id, dashboard_id, title, kind, position", [&](row_writer& out) {
        each(6 * many(10), [&](world& w, std::size_t i) {
            w.widgets.push_back(next_id(current_));
            out.add(values{w.widgets.back(), w.dashboards[i / 6], "Widget " + std::to_string(i % 6), i % 4, i % 6});
        });
    });
    table("tracker_dashboardwidgetquery", "id, dashboard_widget_id, conditions, aggregates", [&](row_writer& out) {
        each(12 * many(10), [&](world& w, std::size_t i) {
            out.add(values{next_id(current_), w.widgets[i / 2], "environment:production",
                           R"json(["count()", "p95(duration)"])json"});
        });
    });
}

void data_builder::make_bookmarks() {
    table("tracker_bookmark", "id, organization_member_id, target_kind, target_id, created_at", [&](row_writer& out) {
        each(many(160), [&](world& w, std::size_t i) {
            const bookmark_target kind = static_cast<bookmark_target>(1 + i % 4);
            const std::int64_t target = kind == bookmark_target::project     ? random_.pick(w.projects)
                                        : kind == bookmark_target::group     ? random_.pick(w.groups).id
                                        : kind == bookmark_target::dashboard ? random_.pick(w.dashboards)
                                                                             : random_.pick(w.saved_queries);
            out.add(values{next_id(current_), random_.pick(w.members), kind, target, random_.moment()});
        });
    });
}

}  // namespace tracker
