// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/cli/request_text.hpp"
#include "winnow/deletion/request.hpp"
#include "winnow/plan/silo.hpp"

namespace winnow::inline v0::cli {

namespace detail {

struct deletion_list {
    std::vector<deletion_request> shown;
    bool more = false;  ///< the limit cut it short
};

/// Scheduled deletions of all silos that this process serves. Reads page by page: `paused` is no state of a row.
[[nodiscard]] inline deletion_list collect_deletions(environment& in, connection& database, const given& arguments,
                                                     const std::vector<pause_entry>& pauses) {
    const std::string state = arguments.text("--state");
    const std::string model = arguments.text("--model");
    const std::string batch = arguments.id("--batch");
    const auto limit = static_cast<std::size_t>(arguments.number("--limit", 1).value_or(1000));
    deletion_list list;
    for (const silo where : {silo::control, silo::cell}) {
        if (!reaches(in.mode(), where)) continue;
        request_filter page;
        page.model = model;
        page.batch = batch;
        for (;;) {
            const std::vector<deletion_request> rows = list_requests(database, where, page);
            for (const deletion_request& one : rows) {
                const std::string now = shown_state(one, pauses);
                if (!state.empty() && now != state) continue;
                if (arguments.has("--failed") && now != "failed" && now != "blocked") continue;
                if (list.shown.size() == limit) {
                    list.more = true;
                    return list;
                }
                list.shown.push_back(one);
            }
            if (static_cast<std::int64_t>(rows.size()) < page.limit) break;
            page.after_id = rows.back().id;
        }
    }
    return list;
}

inline void print_pauses(const output& out, const std::vector<pause_entry>& pauses) {
    for (const pause_entry& one : pauses) {
        out.line("Paused: " + (one.scope == "all" ? std::string("everything") : one.scope + " " + one.name) + ", by " +
                 one.by + " since " + one.at + " UTC.");
    }
}

inline int list_deletions(environment& in, const given& arguments) {
    if (arguments.has("--model")) (void)in.models().at(arguments.text("--model"));
    connection& database = in.database(access::report);
    const std::vector<pause_entry> pauses = list_pauses(database);
    const deletion_list list = collect_deletions(in, database, arguments, pauses);
    if (in.out().as_json()) {
        json deletions = json::array();
        for (const deletion_request& one : list.shown) deletions.push_back(request_json(one, pauses));
        json paused = json::array();
        for (const pause_entry& one : pauses) {
            paused.push_back({{"scope", one.scope}, {"name", text_or_null(one.name)}, {"by", one.by}, {"at", one.at}});
        }
        in.out().print(json{{"deletions", std::move(deletions)}, {"pauses", std::move(paused)}, {"more", list.more}});
        return 0;
    }
    print_pauses(in.out(), pauses);
    if (list.shown.empty()) {
        in.out().line("No such deletion is scheduled.");
        return 0;
    }
    table lines{"model", "id", "state", "when", ">rows", ">attempts", "batch", "why"};
    for (const deletion_request& one : list.shown) {
        lines.add({one.model, one.object_id, shown_state(one, pauses), when_text(one), progress_text(one),
                   one.attempts == 0 ? "" : std::to_string(one.attempts), one.batch.value_or(""),
                   shortened(detail_text(one, pauses), 100)});
    }
    in.out().print(lines);
    if (list.more) in.out().note("There are more; raise --limit.");
    return 0;
}

}  // namespace detail

/// `deletions list`.
[[nodiscard]] inline std::vector<command> list_commands() {
    return {{"deletions list",
             "scheduled deletions, and how far they are",
             {option("--state", "STATE", "scheduled, running, waiting, failed, blocked, unconfirmed or paused",
                     {"scheduled", "running", "waiting", "failed", "blocked", "unconfirmed", "paused"}),
              option("--model", "KEY", "only of this model"), option("--batch", "ID", "only of this batch"),
              flag("--failed", "only those for which a person has to do something: failed and blocked"),
              option("--limit", "NUMBER", "at most so many (default 1000)")},
             detail::list_deletions,
             true}};
}

}  // namespace winnow::inline v0::cli
