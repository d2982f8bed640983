// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include "../files.hpp"
#include "../models/issue.hpp"
#include "builder.hpp"

namespace tracker {

namespace {

constexpr std::string_view error_names[] = {"TimeoutError", "NullReference", "KeyError",      "ConnectionReset",
                                            "OutOfRange",   "ParseError",    "DivisionByZero"};
constexpr std::string_view places[] = {"checkout.confirm", "session.restore", "cart.total", "search.suggest",
                                       "login.submit",     "invoice.render",  "import.row", "it's \"quoted\""};
constexpr std::string_view environments[] = {"production", "staging"};
constexpr std::string_view remarks[] = {"Seen this after the last deploy.", "Cannot reproduce.",
                                        "Fixed on main, please verify.", "Same as yesterday's.",
                                        "Raised with the vendor."};

}  // namespace

void data_builder::make_issues() {
    table(
        "group",
        "id, project_id, title, culprit, level, status, times_seen, first_seen, last_seen, first_release_version",
        [&](row_writer& out) {
            each(many(600), [&](world& w, std::size_t i) {
                w.groups.push_back({next_id(current_), w.projects[i % w.projects.size()]});
                const auto release = nullable{!random_.one_in(3), random_.pick(w.releases)};
                out.add(values{w.groups.back().id, w.groups.back().project_id,
                               concat({random_.pick(error_names), " in ", random_.pick(places)}), random_.pick(places),
                               10 + 10 * random_.below(5), static_cast<group_status>(random_.below(3)),
                               1 + random_.below(5000), random_.moment(), random_.moment(), release});
            });
        });
    table("tracker_grouphash", "id, project_id, group_id, hash", [&](row_writer& out) {
        each(many(900), [&](world& w, std::size_t i) {
            const group_reference& group = w.groups[i % w.groups.size()];
            const auto owner = nullable{random_.one_in(50), group.id};
            out.add(values{next_id(current_), group.project_id, owner, random_.hex(32)});
        });
    });
    table(
        "tracker_event", "id, project_id, group_id, guid, environment, message, payload, received_at",
        [&](row_writer& out) {
            each(many(10400), [&](world& w, std::size_t i) {
                // A few groups have most of the events.
                const std::size_t busy = 1 + w.groups.size() / 10;
                const group_reference& group =
                    random_.one_in(3) ? random_.pick(w.groups) : w.groups[random_.below(busy)];
                const auto owner = nullable{random_.one_in(100), group.id};
                out.add(values{next_id(current_), group.project_id, owner, random_.hex(32), random_.pick(environments),
                               concat({random_.pick(error_names), ": ", random_.pick(places)}),
                               concat({R"({"line": )", std::to_string(random_.below(900)), R"(, "sequence": )",
                                       std::to_string(i), "}"}),
                               random_.moment()});
            });
        });
    table("tracker_attachment", "id, project_id, group_id, event_guid, name, content_type, size", [&](row_writer& out) {
        each(many(300), [&](world& w, std::size_t i) {
            const group_reference& group = random_.pick(w.groups);
            const std::int64_t id = next_id(current_);
            const std::string bytes = random_.hex(64 + random_.below(900));
            out.add(values{id, group.project_id, group.id, random_.hex(32), "log-" + std::to_string(i) + ".txt",
                           "text/plain", bytes.size()});
            if (!settings_.write_files) return;
            std::ofstream file(attachment_file(id), std::ios::binary);
            file << bytes;
            if (!file.flush())
                throw std::filesystem::filesystem_error("cannot write", attachment_file(id),
                                                        std::make_error_code(std::errc::io_error));
            ++w.summary->files;
        });
    });
}

void data_builder::make_issue_details() {
    table("tracker_activity", "id, project_id, group_id, user_id, kind, data, created_at", [&](row_writer& out) {
        each(many(1800), [&](world& w, std::size_t) {
            const group_reference& group = random_.pick(w.groups);
            const auto user = nullable{random_.one_in(4), random_.pick(users_)};
            out.add(values{next_id(current_), group.project_id, group.id, user, 1 + random_.below(12), "{}",
                           random_.moment()});
        });
    });
    table("tracker_groupassignee", "id, group_id, team_id, organization_member_id, assigned_at", [&](row_writer& out) {
        each(many(300), [&](world& w, std::size_t i) {
            const bool to_team = random_.one_in(2);
            out.add(values{next_id(current_), w.groups[i].id, nullable{!to_team, random_.pick(w.teams)},
                           nullable{to_team, random_.pick(w.members)}, random_.moment()});
        });
    });
    table("tracker_groupsubscription", "id, group_id, user_id, reason", [&](row_writer& out) {
        each(many(900), [&](world& w, std::size_t i) {
            const std::size_t round = i / w.groups.size();
            const std::size_t group = i % w.groups.size();
            out.add(values{next_id(current_), w.groups[group].id, users_[(group + 7 * round) % users_.size()],
                           random_.below(4)});
        });
    });
    table("tracker_userreport", "id, project_id, group_id, event_guid, email, comments", [&](row_writer& out) {
        each(many(150), [&](world& w, std::size_t i) {
            const group_reference& group = random_.pick(w.groups);
            out.add(values{next_id(current_), group.project_id, group.id, random_.hex(32),
                           "visitor" + std::to_string(i) + "@example.org", random_.pick(remarks)});
        });
    });
    table("tracker_comment", "id, group_id, parent_id, user_id, body, created_at", [&](row_writer& out) {
        for (world& w : worlds_) w.comments.resize(std::min<std::size_t>(w.groups.size(), many(60)));
        each(many(900), [&](world& w, std::size_t) {
            const std::size_t thread = random_.below(w.comments.size());
            std::vector<std::int64_t>& earlier = w.comments[thread];
            // Mostly answers to the latest remark, so that threads grow deep.
            const bool is_first = earlier.empty();
            const std::int64_t answered = is_first ? 0 : random_.one_in(3) ? random_.pick(earlier) : earlier.back();
            earlier.push_back(next_id(current_));
            out.add(values{earlier.back(), w.groups[thread].id, nullable{is_first, answered}, random_.pick(users_),
                           random_.pick(remarks), random_.moment()});
        });
    });
}

}  // namespace tracker
