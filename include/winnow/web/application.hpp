// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/cli/environment.hpp"
#include "winnow/cli/json.hpp"
#include "winnow/core/version.hpp"
#include "winnow/metrics/prometheus_text.hpp"
#include "winnow/metrics/store.hpp"
#include "winnow/runtime/readiness.hpp"
#include "winnow/web/api.hpp"
#include "winnow/web/desk.hpp"
#include "winnow/web/guard.hpp"
#include "winnow/web/message.hpp"
#include "winnow/web/page.hpp"
#include "winnow/web/scrape.hpp"

namespace winnow::inline v0::web {

namespace detail {

/// Whether work can be done: each database is reached and has winnow's own tables, and there are models.
[[nodiscard]] inline response readiness(cli::environment& in) {
    json databases = json::array();
    bool ready = in.models().size() != 0;
    in.each_silo([&] {
        std::string problem;
        try {
            problem = check_ready(in.models(), in.database(cli::access::report), in.mode()).why;
        } catch (const error& caught) {
            problem = caught.what();
        }
        ready = ready && problem.empty();
        databases.push_back({{"silo", std::string(name_of(in.mode()))},
                             {"cell", cli::text_or_null(in.cell_name())},
                             {"problem", cli::text_or_null(problem)}});
    });
    return json_response(ready ? 200 : 503,
                         {{"ready", ready}, {"models", in.models().size()}, {"databases", std::move(databases)}});
}

/// What this server is, for the page.
[[nodiscard]] inline json server_json(const cli::environment& in, bool changes) {
    json silos = json::array();
    if (in.spans_silos()) {
        silos.push_back({{"silo", "control"}, {"cell", nullptr}});
        for (const cli::named_database& one : in.configured().cells)
            silos.push_back({{"silo", "cell"}, {"cell", one.name}});
    }
    return {{"winnow", std::string(version_text)},
            {"models", in.models().size()},
            {"silo_mode", std::string(name_of(in.mode()))},
            {"silos", std::move(silos)},
            {"changes_allowed", changes}};
}

/// Numbers of the silo that is worked in, for the head of the page.
[[nodiscard]] inline json summary_json(cli::environment& in) {
    const context with = in.with(cli::access::report);
    deletion_counts sum;
    outbox_totals outbox;
    for (const silo where : {silo::control, silo::cell}) {
        if (!reaches(in.mode(), where)) continue;
        const deletion_counts one = count_deletions(with, where);
        sum.scheduled += one.scheduled;
        sum.in_progress += one.in_progress;
        sum.waiting += one.waiting;
        sum.failed += one.failed;
        sum.blocked += one.blocked;
        sum.unconfirmed += one.unconfirmed;
        const outbox_totals messages = count_outbox(with, where);
        outbox.messages += messages.messages;
        outbox.dead += messages.dead;
    }
    return {{"deletions",
             {{"all", sum.scheduled},
              {"running", sum.in_progress},
              {"waiting", sum.waiting},
              {"failed", sum.failed},
              {"blocked", sum.blocked},
              {"unconfirmed", sum.unconfirmed}}},
            {"outbox", {{"messages", outbox.messages}, {"dead", outbox.dead}}}};
}

}  // namespace detail

/// Everything that the server answers: the page, the API, metrics and health.
class application {
public:
    /// @param in    what the desk's environments are copies of; its `watch()` hears of every change
    /// @param counts metrics of this process; must outlive the object
    application(cli::environment& in, desk& at, metric_store& counts, guard_settings rules)
        : in_(in), desk_(at), counts_(counts), rules_(std::move(rules)) {}

    /// Answers before the body is read, if there is anything against the request.
    [[nodiscard]] bool refuses(const request& asked, response& with) {
        if (asked.method != "GET" && asked.method != "HEAD" && asked.method != "POST") {
            with = refused_response(405, "Only GET and POST are understood here.");
            with.headers.emplace_back("Allow", "GET, HEAD, POST");
        } else if (const std::optional<refusal> why = refuse(rules_, asked)) {
            with = refused_response(why->status, why->message, why->hint);
            if (why->status == 401) with.headers.emplace_back("WWW-Authenticate", "Bearer");
            if (asked.changes())
                in_.watch().log(log_level::warning, "change refused",
                                {{"path", asked.path}, {"from", asked.peer}, {"reason", why->message}});
        } else if (asked.changes() && find_route(asked.method, asked.path) == nullptr) {
            with = refused_response(404, "There is no such path.");
        } else {
            return false;
        }
        finish(asked, with);
        return true;
    }

    [[nodiscard]] response answer(const request& asked) {
        response made = look_up(asked);
        finish(asked, made);
        return made;
    }

private:
    [[nodiscard]] response look_up(const request& asked) {
        if (const std::optional<response> file = page_file(asked.path)) return *file;
        if (asked.path == "/health") return {.body = "{\"alive\":true}\n"};
        if (asked.path == "/metrics") return metrics();
        if (asked.path == "/ready") return at_desk([](cli::environment& in) { return detail::readiness(in); });
        if (asked.path == "/api/v1/server") return json_response(200, detail::server_json(in_, !rules_.token.empty()));
        if (asked.path == "/api/v1/summary") {
            return at_desk([asked](cli::environment& in) {
                parameters given = detail::parameters_of(asked);
                detail::take_common(in, given);
                return json_response(200, detail::summary_json(in));
            });
        }
        if (const route* const of = find_route(asked.method, asked.path)) {
            response made = at_desk([of, asked](cli::environment& in) { return answer_route(in, *of, asked); },
                                    of->patience, asked.changes());
            if (asked.changes())
                in_.watch().log(log_level::info, "change asked for",
                                {{"path", asked.path},
                                 {"from", asked.peer},
                                 {"status", std::to_string(made.status)},
                                 {"request", asked.body}});
            return made;
        }
        return refused_response(404, "There is no such path.", "docs/reference/http_api.md lists them.");
    }

    /// Counters of this process, and what the databases know; the counters alone when those do not answer.
    [[nodiscard]] response metrics() {
        const auto read = std::make_shared<metric_store>();
        response made{.type = std::string(prometheus_text_type)};
        const response done = at_desk([read](cli::environment& in) {
            scrape_databases(in, *read);
            return response{};
        });
        if (done.status != 200) counts_.gauge("winnow.database_up", 0, {{"silo", name_of(in_.mode())}, {"cell", ""}});
        const std::vector<metric_family> all =
            done.status == 200 ? merged(counts_.families(), read->families()) : counts_.families();
        made.body = prometheus_text(all);
        return made;
    }

    /// Has work done with a connection of its own, within a time.
    template <class Work>
    [[nodiscard]] response at_desk(const Work& work, std::chrono::milliseconds patience = std::chrono::seconds(5),
                                   bool changes = false) {
        const auto made = std::make_shared<response>();
        const desk::outcome ended = desk_.run(
            [made, work](cli::environment& in) {
                try {
                    *made = work(in);
                } catch (const error& problem) {
                    *made = error_response(problem);
                } catch (const std::exception& problem) {
                    *made = error_response(error(failure::statement, problem.what()));
                }
            },
            patience);
        if (ended == desk::outcome::done) return *made;
        const std::string_view message =
            ended == desk::outcome::crowded ? "Too many requests wait for the database."
            : ended == desk::outcome::lost && changes
                ? "The database has not answered in time; the change may still be carried out."
                : "The database has not answered in time.";
        response late = refused_response(503, message, "Try again, or look at /ready and at the database.");
        late.headers.emplace_back("Retry-After", "5");
        return late;
    }

    /// What every answer has, and the count of it.
    void finish(const request& asked, response& to) {
        for (const auto& [name, text] :
             {std::pair<const char*, const char*>{
                  "Content-Security-Policy",
                  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
                  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
              {"X-Content-Type-Options", "nosniff"},
              {"X-Frame-Options", "DENY"},
              {"Referrer-Policy", "no-referrer"},
              {"Cross-Origin-Resource-Policy", "same-origin"},
              {"Cross-Origin-Opener-Policy", "same-origin"},
              {"Cache-Control", "no-store"}})
            to.headers.emplace_back(name, text);
        const bool known = to.status != 404 && to.status != 405 && to.status != 421;
        counts_.count("winnow.http_requests_total", 1,
                      {{"path", known ? std::string_view(asked.path) : std::string_view("other")},
                       {"status", std::to_string(to.status)}});
    }

    cli::environment& in_;
    desk& desk_;
    metric_store& counts_;
    guard_settings rules_;
};

}  // namespace winnow::inline v0::web
