// SPDX-License-Identifier: Apache-2.0
#include "../models/organization.hpp"
#include "builder.hpp"

namespace tracker {

namespace {

constexpr std::string_view organization_names[] = {"Alder", "Birch", "Cedar"};
constexpr std::string_view team_names[] = {"backend", "frontend", "mobile", "payments",
                                           "search",  "platform", "data",   "support"};
constexpr std::string_view project_names[] = {"api",   "web",    "app",      "checkout",
                                              "index", "worker", "pipeline", "helpdesk"};
constexpr std::string_view platforms[] = {"cpp", "python", "javascript", "java", "go", "rust"};
constexpr std::string_view environment_names[] = {"production", "staging", "testing", "canary"};
constexpr std::string_view option_names[] = {"mail:subject_prefix", "filters:releases", "retention:days"};

constexpr std::size_t members = 40;

}  // namespace

void data_builder::make_users() {
    table("tracker_user", "id, username, name, is_active, joined_at", [&](row_writer& out) {
        for (std::size_t i = 0; i < members; ++i) {
            const std::int64_t id = next_id(current_);
            users_.push_back(id);
            out.add(values{id, "user" + std::to_string(id), "User " + std::to_string(id), true, random_.moment()});
        }
    });
    table("tracker_useremail", "id, user_id, email, is_verified", [&](row_writer& out) {
        for (const std::int64_t user : users_) {
            out.add(
                values{next_id(current_), user, "user" + std::to_string(user) + "@example.org", !random_.one_in(8)});
        }
    });
    table("tracker_apitoken", "id, user_id, token_hash, scopes, expires_at", [&](row_writer& out) {
        for (const std::int64_t user : users_) {
            const auto expiry = nullable{random_.one_in(2), random_.moment()};
            out.add(values{next_id(current_), user, random_.hex(64), R"(["project:read", "event:read"])", expiry});
        }
    });
}

void data_builder::make_organizations() {
    table("tracker_organization", "id, guid, slug, name, status, default_team_id, created_at", [&](row_writer& out) {
        each(1, [&](world& w, std::size_t) {
            const std::string_view name = organization_names[static_cast<std::size_t>(&w - worlds_.data())];
            const std::int64_t id = next_id(current_);
            w.summary->id = id;
            w.summary->slug = std::string(name) + "-" + std::to_string(id);
            w.summary->slug[0] = static_cast<char>(w.summary->slug[0] - 'A' + 'a');
            out.add(values{id, random_.hex(32), w.summary->slug, std::string(name) + " Ltd.",
                           winnow::object_status::active, nullable{true, id}, random_.moment()});
        });
    });
    table("tracker_team", "id, organization_id, slug, name", [&](row_writer& out) {
        each(std::size(team_names), [&](world& w, std::size_t i) {
            w.teams.push_back(next_id(current_));
            out.add(values{w.teams.back(), w.summary->id, team_names[i], "Team " + std::string(team_names[i])});
        });
    });
    for (const world& w : worlds_) {
        database_.execute_script(
            "UPDATE tracker_organization SET default_team_id = " + std::to_string(w.teams.front()) +
            " WHERE id = " + std::to_string(w.summary->id) + ";");
    }
    table("tracker_organizationmember", "id, organization_id, user_id, role, joined_at", [&](row_writer& out) {
        each(members, [&](world& w, std::size_t i) {
            w.members.push_back(next_id(current_));
            const member_role role = i == 0 ? member_role::owner : i < 5 ? member_role::manager : member_role::member;
            out.add(values{w.members.back(), w.summary->id, users_[i], role, random_.moment()});
        });
    });
    table("tracker_teammember", "id, team_id, organization_member_id", [&](row_writer& out) {
        each(2 * members, [&](world& w, std::size_t i) {
            const std::size_t member = i / 2;
            out.add(values{next_id(current_), w.teams[(member + 3 * (i % 2)) % w.teams.size()], w.members[member]});
        });
    });
    // The last organization is wanted by a court: deleting it is refused.
    table("tracker_legalhold", "id, organization_id, reason, placed_at", [&](row_writer& out) {
        world& w = worlds_.back();
        out.add(values{next_id(current_), w.summary->id, "evidence in a pending case", random_.moment()});
        ++w.summary->rows[current_];
        ++w.summary->total;
    });
}

void data_builder::make_projects() {
    table("tracker_project", "id, organization_id, guid, slug, platform, status, has_monitors, created_at",
          [&](row_writer& out) {
              each(std::size(project_names), [&](world& w, std::size_t i) {
                  w.projects.push_back(next_id(current_));
                  out.add(values{w.projects.back(), w.summary->id, random_.hex(32), project_names[i],
                                 random_.pick(platforms), winnow::object_status::active, i % 2 == 0, random_.moment()});
              });
          });
    table("tracker_projectteam", "project_id, team_id, added_at", [&](row_writer& out) {
        each(2 * std::size(project_names), [&](world& w, std::size_t i) {
            out.add(values{w.projects[i / 2], w.teams[(i / 2 + i % 2) % w.teams.size()], random_.moment()});
        });
    });
    table("tracker_projectkey", "id, project_id, public_key, is_active, rate_limit", [&](row_writer& out) {
        each(2 * std::size(project_names), [&](world& w, std::size_t i) {
            const auto limit = nullable{i % 2 == 0, 1000};
            out.add(values{next_id(current_), w.projects[i / 2], random_.hex(32), true, limit});
        });
    });
    table("tracker_projectoption", "project_id, name, value", [&](row_writer& out) {
        each(3 * std::size(project_names), [&](world& w, std::size_t i) {
            out.add(values{w.projects[i / 3], option_names[i % 3], R"({"value": )" + std::to_string(i) + "}"});
        });
    });
    table("tracker_environment", "id, organization_id, name", [&](row_writer& out) {
        each(std::size(environment_names), [&](world& w, std::size_t i) {
            w.environments.push_back(next_id(current_));
            out.add(values{w.environments.back(), w.summary->id, environment_names[i]});
        });
    });
    table("tracker_environmentproject", "id, environment_id, project_id, is_hidden", [&](row_writer& out) {
        each(std::size(environment_names) * std::size(project_names), [&](world& w, std::size_t i) {
            const std::size_t project = i / std::size(environment_names);
            out.add(values{next_id(current_), w.environments[i % std::size(environment_names)], w.projects[project],
                           i % 7 == 0});
        });
    });
}

void data_builder::make_releases() {
    table("tracker_release", "version, organization_id, commit_hash, released_at", [&](row_writer& out) {
        each(many(40), [&](world& w, std::size_t i) {
            w.releases.push_back(w.summary->slug + "@" + std::to_string(1 + i / 10) + "." + std::to_string(i % 10) +
                                 ".0");
            out.add(values{w.releases.back(), w.summary->id, random_.hex(40), random_.moment()});
        });
    });
    table("tracker_releaseproject", "id, release_version, project_id, new_groups", [&](row_writer& out) {
        each(3 * many(40), [&](world& w, std::size_t i) {
            out.add(values{next_id(current_), w.releases[i / 3], w.projects[(i / 3 + i % 3) % w.projects.size()],
                           random_.below(20)});
        });
    });
    table("tracker_releasefile", "id, release_version, name, checksum, size", [&](row_writer& out) {
        each(5 * many(40), [&](world& w, std::size_t i) {
            out.add(values{next_id(current_), w.releases[i / 5], "bundle-" + std::to_string(i % 5) + ".js.map",
                           random_.hex(40), 1000 + random_.below(900000)});
        });
    });
    table("tracker_deploy", "id, release_version, environment_id, finished_at", [&](row_writer& out) {
        each(2 * many(40), [&](world& w, std::size_t i) {
            out.add(values{next_id(current_), w.releases[i / 2], w.environments[i % 2], random_.moment()});
        });
    });
}

}  // namespace tracker
