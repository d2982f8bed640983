// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/cli/stop.hpp"
#include "winnow/cli/text.hpp"
#include "winnow/core/error.hpp"
#include "winnow/outbox/dead.hpp"
#include "winnow/outbox/drain.hpp"
#include "winnow/outbox/status.hpp"
#include "winnow/plan/silo.hpp"

namespace winnow::inline v0::cli {

namespace detail {

/// Calls `work(silo)` for each silo whose outbox is in this database.
template <class Work>
void each_outbox(const environment& in, const Work& work) {
    for (const silo where : {silo::control, silo::cell}) {
        if (reaches(in.mode(), where)) work(where);
    }
}

[[nodiscard]] inline json totals_json(const outbox_totals& found, silo where) {
    return {
        {"outbox", std::string(name_of(where))},
        {"messages", found.messages},
        {"due", found.due},
        {"retrying", found.retrying},
        {"dead", found.dead},
        {"shards", found.shards},
        {"deepest_shard", found.deepest},
        {"skipped_shards", found.skipped},
        {"waiting_shards", found.waiting},
        {"oldest_due_seconds", found.oldest_due_seconds},
        {"oldest_transaction_seconds", found.oldest_transaction < 0 ? json(nullptr) : json(found.oldest_transaction)},
        {"dead_rows", found.dead_rows < 0 ? json(nullptr) : json(found.dead_rows)}};
}

inline int outbox_status(environment& in, const given& arguments) {
    const context with = in.with(access::report);
    const std::int64_t limit = arguments.number("--shards", 1).value_or(10);
    json all = json::array();
    each_outbox(in, [&](silo where) {
        const outbox_routes routes(with.models, where);
        const outbox_totals found = count_outbox(with, where);
        const std::vector<shard_depth> deepest = shard_depths(with, where, limit);
        if (in.out().as_json()) {
            json shards = json::array();
            for (const shard_depth& one : deepest) {
                shards.push_back({{"scope", routes.scope_name(one.shard.scope)},
                                  {"identifier", one.shard.identifier},
                                  {"cell", text_or_null(one.shard.cell_name)},
                                  {"messages", one.messages},
                                  {"dead", one.dead},
                                  {"oldest_seconds", one.oldest_seconds},
                                  {"held_by", text_or_null(one.held_by)},
                                  {"skipped_by", text_or_null(one.skipped_by)},
                                  {"waiting_for", text_or_null(one.waiting_for)}});
            }
            json entry = totals_json(found, where);
            entry["deepest"] = std::move(shards);
            all.push_back(std::move(entry));
            return;
        }
        in.out().line(std::string(name_of(where)) + " outbox: " + counted(found.messages, "message", "messages") +
                      " in " + counted(found.shards, "shard", "shards") + ", " + std::to_string(found.due) + " due, " +
                      std::to_string(found.retrying) + " to be tried again, " + std::to_string(found.dead) + " dead.");
        if (deepest.empty()) return;
        table lines{"shard", ">messages", ">dead", ">oldest", "state"};
        for (const shard_depth& one : deepest) {
            const std::string state = !one.skipped_by.empty()    ? "skipped by " + one.skipped_by
                                      : !one.waiting_for.empty() ? "waits: " + one.waiting_for
                                      : !one.held_by.empty()     ? "held by " + one.held_by
                                                                 : "";
            lines.add({routes.text_of(one.shard), std::to_string(one.messages), std::to_string(one.dead),
                       std::to_string(static_cast<std::int64_t>(one.oldest_seconds)) + " s", state});
        }
        in.out().print(lines);
    });
    if (in.out().as_json()) in.out().print(json{{"outboxes", std::move(all)}});
    return 0;
}

inline int outbox_drain(environment& in, const given&) {
    const stop_on_signal watching;
    context with = in.with(access::write);
    with.stop = &stop_on_signal::request();
    drain_report done;
    each_outbox(in, [&](silo where) { done += drain(with, where); });
    if (in.out().as_json()) {
        in.out().print(json{{"messages", done.messages},
                            {"objects", done.objects},
                            {"failed", done.failed},
                            {"dead", done.dead},
                            {"held", done.held},
                            {"problems", done.problems}});
    } else {
        in.out().line(counted(done.messages, "message", "messages") + " delivered, about " +
                      counted(done.objects, "object", "objects") + "; " + std::to_string(done.failed) + " failed, " +
                      std::to_string(done.dead) + " dead." +
                      (done.held ? " Some shards were left to a worker that is at them." : ""));
        for (const std::string& problem : done.problems) in.out().line("  " + problem);
    }
    return stop_on_signal::exit_code(done.failed == 0 && done.dead == 0 && done.problems.empty() ? 0 : 1);
}

inline int outbox_dead(environment& in, const given& arguments) {
    const context with = in.with(access::report);
    const std::int64_t limit = arguments.number("--limit", 1).value_or(100);
    const failed_kind kind = arguments.has("--retrying") ? failed_kind::retrying : failed_kind::dead;
    json all = json::array();
    table lines{"outbox", ">message", "category", ">object", "shard", ">attempts", "since", "error"};
    each_outbox(in, [&](silo where) {
        const outbox_routes routes(with.models, where);
        for (const failed_message& one : failed_messages(with, where, kind, 0, limit)) {
            if (in.out().as_json())
                all.push_back({{"outbox", std::string(name_of(where))},
                               {"message", one.id},
                               {"category", one.category_name},
                               {"object", one.object},
                               {"scope", routes.scope_name(one.shard.scope)},
                               {"identifier", one.shard.identifier},
                               {"cell", text_or_null(one.shard.cell_name)},
                               {"attempts", one.attempts},
                               {"added_at", one.added_at},
                               {"dead_at", text_or_null(one.dead_at)},
                               {"due_at", one.due_at},
                               {"error", one.last_error}});
            else
                lines.add({std::string(name_of(where)), std::to_string(one.id), one.category_name,
                           std::to_string(one.object), routes.text_of(one.shard), std::to_string(one.attempts),
                           one.dead_at.empty() ? one.added_at : one.dead_at, one.last_error});
        }
    });
    if (in.out().as_json()) in.out().print(json{{"messages", std::move(all)}});
    else if (lines.empty())
        in.out().line(kind == failed_kind::dead ? "No message is dead." : "No message is tried again.");
    else in.out().print(lines);
    return 0;
}

/// The outbox that a message id is meant of: named, or the only one that this process has.
[[nodiscard]] inline silo chosen_outbox(const environment& in, const given& arguments) {
    const std::string named = arguments.text("--outbox");
    if (named == "control") return silo::control;
    if (named == "cell") return silo::cell;
    if (in.mode() == silo_mode::control) return silo::control;
    if (in.mode() == silo_mode::cell) return silo::cell;
    throw error(failure::usage, "Which outbox? Both silos number their messages.")
        .with_hint("Give --outbox control or --outbox cell.");
}

[[nodiscard]] inline std::int64_t message_of(const given& arguments) {
    const auto id = arguments.number("MESSAGE", 1);
    if (!id) throw error(failure::usage, "Which message?").with_hint("`outbox dead` lists them with their numbers.");
    return *id;
}

inline int answer_for_message(const environment& in, bool done, std::string_view verb, std::int64_t id) {
    const std::string text = done ? "Message " + std::to_string(id) + ": " + std::string(verb) + "."
                                  : "There is no dead message " + std::to_string(id) + ".";
    if (in.out().as_json()) in.out().print(json{{"done", done}, {"text", text}});
    else in.out().line(text);
    return done ? 0 : 1;
}

inline int outbox_replay(environment& in, const given& arguments) {
    const context with = in.with(access::write);
    if (!arguments.has("--all")) {
        const std::int64_t id = message_of(arguments);
        return answer_for_message(in, replay_message(with, chosen_outbox(in, arguments), id), "due again", id);
    }
    std::int64_t replayed = 0;
    each_outbox(in, [&](silo where) { replayed += replay_dead(with, where); });
    if (in.out().as_json()) in.out().print(json{{"replayed", replayed}});
    else in.out().line(counted(replayed, "message is", "messages are") + " due again.");
    return 0;
}

inline int outbox_skip(environment& in, const given& arguments) {
    const context with = in.with(access::write);
    if (!arguments.has("--shard")) {
        const std::int64_t id = message_of(arguments);
        return answer_for_message(in, skip_message(with, chosen_outbox(in, arguments), id), "given up and deleted", id);
    }
    const silo where = chosen_outbox(in, arguments);
    const outbox_routes routes(with.models, where);
    const outbox_shard shard = parse_shard(routes, where, arguments.text("--shard"));
    const bool end = arguments.has("--end");
    const bool done = end ? unskip_shard(with, shard) : skip_shard(with, shard);
    const std::string text = "Shard " + routes.text_of(shard) +
                             (end    ? done ? ": goes on." : ": it was not skipped."
                              : done ? ": left alone, from the next turn on."
                                     : ": it was skipped already.");
    if (in.out().as_json()) in.out().print(json{{"done", done}, {"text", text}});
    else in.out().line(text);
    return done ? 0 : 1;
}

}  // namespace detail

/// `outbox status`, `drain`, `dead`, `replay` and `skip`.
[[nodiscard]] inline std::vector<command> outbox_commands() {
    const argument which = option("--outbox", "SILO", "whose messages: control or cell", {"control", "cell"});
    return {{"outbox status",
             "messages that wait, and the deepest shards",
             {option("--shards", "NUMBER", "how many shards to show; 10 by default")},
             detail::outbox_status,
             true},
            {"outbox drain", "deliver what is due; exit code 1 if a message failed", {}, detail::outbox_drain, true},
            {"outbox dead",
             "messages that are not tried any more, with the reason",
             {option("--limit", "NUMBER", "how many; 100 by default"),
              flag("--retrying", "those that failed and are tried again instead")},
             detail::outbox_dead,
             true},
            {"outbox replay",
             "try a dead message again",
             {optional_positional("MESSAGE", "its number, as `outbox dead` shows it"),
              flag("--all", "all dead messages"), which},
             detail::outbox_replay},
            {"outbox skip",
             "give a dead message up, or leave a shard alone",
             {optional_positional("MESSAGE", "its number, as `outbox dead` shows it"),
              option("--shard", "SHARD", "SCOPE:IDENTIFIER or SCOPE:IDENTIFIER:CELL"),
              flag("--end", "let the shard go on"), which},
             detail::outbox_skip}};
}

}  // namespace winnow::inline v0::cli
