// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/cli/request_text.hpp"
#include "winnow/core/error.hpp"
#include "winnow/deletion/request.hpp"
#include "winnow/plan/silo.hpp"

namespace winnow::inline v0::cli {

namespace detail {

struct deletion_list {
    std::vector<deletion_request> shown;
    bool more = false;  ///< the limit cut it short
};

/// From where a listing goes on: behind the row of an id in a silo.
struct list_position {
    winnow::silo silo = winnow::silo::control;
    std::int64_t id = 0;
};

/// `cell:17`, as `next` of a listing says it. @throws error of kind `usage` for anything else
[[nodiscard]] inline list_position list_position_of(std::string_view text) {
    list_position found;
    if (text.empty()) return found;
    for (const winnow::silo where : {silo::control, silo::cell}) {
        const std::string prefix = std::string(name_of(where)) + ":";
        if (!text.starts_with(prefix)) continue;
        const char* const end = text.data() + text.size();
        const auto [stopped, fault] = std::from_chars(text.data() + prefix.size(), end, found.id);
        if (fault == std::errc{} && stopped == end && found.id >= 0) {
            found.silo = where;
            return found;
        }
    }
    throw error(failure::usage, "--after takes what `next` of a listing said, not `" + printable(text) + "`.");
}

/// Scheduled deletions of all silos that this process serves. Reads page by page: `paused` is no state of a row.
[[nodiscard]] inline deletion_list collect_deletions(environment& in, connection& database, const given& arguments,
                                                     const std::vector<pause_entry>& pauses) {
    const std::string state = arguments.text("--state");
    const std::string model = arguments.text("--model");
    const std::string batch = arguments.id("--batch");
    const auto limit = static_cast<std::size_t>(arguments.number("--limit", 1).value_or(1000));
    const list_position after = list_position_of(arguments.text("--after"));
    deletion_list list;
    for (const silo where : {silo::control, silo::cell}) {
        if (!reaches(in.mode(), where) || (where == silo::control && after.silo == silo::cell)) continue;
        request_filter page;
        page.model = model;
        page.batch = batch;
        // Every other state that is shown is the row's own.
        if (state != "paused") page.state = state;
        page.limit = static_cast<std::int64_t>(std::min<std::size_t>(limit + 1, 1000));
        if (where == after.silo) page.after_id = after.id;
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
                // Not only once a worker without the plugin has met it.
                if (!in.models().find(one.model)) list.shown.back().state_detail = unknown_model_text(one.model);
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
    connection& database = in.database(access::report);
    const std::vector<pause_entry> pauses = list_pauses(database);
    const deletion_list list = collect_deletions(in, database, arguments, pauses);
    // A key that nobody has is a mistake, unless it is that of a plugin which was loaded when it was scheduled.
    // With several databases its deletions may be in another one.
    if (arguments.has("--model") && list.shown.empty() && !in.has_silos())
        (void)in.models().at(arguments.text("--model"));
    if (in.out().as_json()) {
        json deletions = json::array();
        for (const deletion_request& one : list.shown) deletions.push_back(request_json(one, pauses));
        json paused = json::array();
        for (const pause_entry& one : pauses) {
            paused.push_back({{"scope", one.scope}, {"name", text_or_null(one.name)}, {"by", one.by}, {"at", one.at}});
        }
        const auto next = [&] {
            const deletion_request& last = list.shown.back();
            return std::string(name_of(last.silo)) + ":" + std::to_string(last.id);
        };
        in.out().print(json{{"deletions", std::move(deletions)},
                            {"pauses", std::move(paused)},
                            {"more", list.more},
                            {"next", list.more ? json(next()) : json(nullptr)}});
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
              option("--limit", "NUMBER", "at most so many (default 1000)"),
              option("--after", "PLACE", "go on where a listing ended, as its `next` says with --json")},
             detail::list_deletions,
             true}};
}

}  // namespace winnow::inline v0::cli
