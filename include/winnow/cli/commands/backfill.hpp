// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/backfill/control.hpp"
#include "winnow/backfill/lock_file.hpp"
#include "winnow/backfill/run.hpp"
#include "winnow/backfill/status.hpp"
#include "winnow/backfill/upgrade.hpp"
#include "winnow/cli/command.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/cli/stop.hpp"
#include "winnow/cli/text.hpp"
#include "winnow/core/error.hpp"
#include "winnow/outbox/drain.hpp"
#include "winnow/outbox/status.hpp"

namespace winnow::inline v0::cli {

namespace detail {

[[nodiscard]] inline std::string measured(const backfill_status& one) {
    if (one.left == backfill_measure::unknown) return "?";
    return (one.left == backfill_measure::estimated ? "about " : "") + std::to_string(one.rows_left);
}

/// What a table's backfill is at, in a few words.
[[nodiscard]] inline std::string stage_text(const backfill_status& one) {
    if (!one.problem.empty()) return one.problem;
    if (!one.record.paused_by.empty()) return "paused by " + one.record.paused_by;
    if (!one.record.last_error.empty()) return one.record.last_error;
    const std::int64_t effective = one.gate.effective();
    if (one.record.stage == backfill_stage::complete && one.record.version > effective)
        return effective == 0 && one.record.never_begun()
                   ? why_closed(one.gate, one.table)
                   : "version " + std::to_string(one.record.version - 1) + " is complete" +
                         (one.mapping_changed ? ", but the mapping has changed" : "");
    if (effective == 0) return why_closed(one.gate, one.table);
    if (one.record.stage == backfill_stage::complete) return "not begun";
    return std::string(name_of(one.record.stage)) + ", next id " + std::to_string(one.record.lower);
}

inline int show_backfills(environment& in, const given& arguments) {
    const context with = in.with(access::report);
    json all = json::array();
    table lines{"table", "target", ">version", ">gate", ">code", ">done", ">left", ">rows/s", "state"};
    for (const backfill_status& one : backfill_statuses(with, arguments.text("KEY"))) {
        const std::string stage = stage_text(one);
        if (in.out().as_json()) {
            all.push_back({{"model", std::string(one.model)},
                           {"table", one.table},
                           {"target", text_or_null(one.target)},
                           {"state", std::string(name_of(one.record.stage))},
                           {"version", one.record.version},
                           {"gate", one.gate.given ? json(*one.gate.given) : json(nullptr)},
                           {"coded_version", one.gate.coded},
                           {"lower_bound", one.record.lower},
                           {"upper_bound", one.record.upper ? json(*one.record.upper) : json(nullptr)},
                           {"rows_done", one.record.rows_done},
                           {"rows_left", one.left == backfill_measure::unknown ? json(nullptr) : json(one.rows_left)},
                           {"rows_left_estimated", one.left == backfill_measure::estimated},
                           {"rows_per_second", one.rows_per_second},
                           {"seconds_left", one.seconds_left ? json(*one.seconds_left) : json(nullptr)},
                           {"paused_by", text_or_null(one.record.paused_by)},
                           {"cursor", std::string(name_of(one.cursor))},
                           {"text", stage}});
            continue;
        }
        lines.add({one.table, one.target, std::to_string(one.record.version),
                   one.gate.given ? std::to_string(*one.gate.given) : "unset", std::to_string(one.gate.coded),
                   std::to_string(one.record.rows_done), measured(one),
                   std::to_string(static_cast<std::int64_t>(one.rows_per_second)), stage});
    }
    if (in.out().as_json()) in.out().print(json{{"backfills", std::move(all)}});
    else if (lines.empty()) in.out().line("No model is replicated from here.");
    else in.out().print(lines);
    return 0;
}

[[nodiscard]] inline json tables_json(const std::vector<backfilled_table>& tables) {
    json all = json::array();
    for (const backfilled_table& one : tables)
        all.push_back({{"model", std::string(one.model)},
                       {"table", one.table},
                       {"ending", std::string(name_of(one.ending))},
                       {"rows", one.rows},
                       {"messages", one.messages},
                       {"rows_per_second", one.rows_per_second},
                       {"why", one.why}});
    return all;
}

inline void print_tables(const output& out, const std::vector<backfilled_table>& tables) {
    table lines{"table", ">rows", ">messages", "ended", "why"};
    for (const backfilled_table& one : tables)
        lines.add({one.table, std::to_string(one.rows), std::to_string(one.messages), std::string(name_of(one.ending)),
                   one.why});
    if (!lines.empty()) out.print(lines);
}

inline int run_backfill(environment& in, const given& arguments) {
    const stop_on_signal watching;
    context with = in.with(access::write);
    with.stop = &stop_on_signal::request();
    const std::string only = arguments.text("KEY");
    if (!only.empty()) (void)with.models.at(only);
    backfill_request request;
    request.max_batch_rate = arguments.number("--rows", 1).value_or(10'000);
    request.force_synchronous = arguments.has("--force");
    request.only = only;
    backfill_report done = backfill_outboxes_for(with, request);
    while (arguments.has("--until-done") && done && !stop_on_signal::asked()) {
        backfill_report more = backfill_outboxes_for(with, request);
        if (!more) break;
        done.rows += more.rows;
        done.messages += more.messages;
        for (std::size_t i = 0; i < more.tables.size(); ++i) {
            more.tables[i].rows += done.tables[i].rows;
            more.tables[i].messages += done.tables[i].messages;
        }
        done.tables = std::move(more.tables);
        done.why = std::move(more.why);
    }
    const bool failed = done.any(backfill_ending::failed);
    if (in.out().as_json()) {
        in.out().print(json{{"rows", done.rows},
                            {"messages", done.messages},
                            {"why", done.why},
                            {"cursor_trouble", text_or_null(done.cursor_trouble)},
                            {"tables", tables_json(done.tables)}});
    } else {
        print_tables(in.out(), done.tables);
        in.out().line(row_count(done.rows) + " backfilled, " + counted(done.messages, "message", "messages") +
                      " written: " + done.why + ".");
        if (!done.cursor_trouble.empty()) in.out().line("Cursors: " + done.cursor_trouble);
    }
    return stop_on_signal::exit_code(failed ? 1 : 0);
}

inline int answer_backfill(const environment& in, bool done, const std::string& text) {
    if (in.out().as_json()) in.out().print(json{{"done", done}, {"text", text}});
    else in.out().line(text);
    return done ? 0 : 1;
}

inline int run_pause_backfill(environment& in, const given& arguments) {
    const std::string key = arguments.text("KEY");
    const bool done = pause_backfill(in.with(access::write), key);
    return answer_backfill(in, done, key + (done ? ": paused, from the next batch on." : ": it was paused already."));
}
inline int run_resume_backfill(environment& in, const given& arguments) {
    const std::string key = arguments.text("KEY");
    const bool done = resume_backfill(in.with(access::write), key);
    return answer_backfill(in, done, key + (done ? ": goes on from where it stopped." : ": it was not paused."));
}
inline int run_restart_backfill(environment& in, const given& arguments) {
    const std::string key = arguments.text("KEY");
    const std::int64_t version = restart_backfill(in.with(access::write), key, arguments.has("--force"));
    return answer_backfill(in, true,
                           key + ": version " + std::to_string(version) + " begins again from its first row.");
}

inline int run_upgrade(environment& in, const given&) {
    if (!in.configured().self_hosted) {
        const std::string text =
            "Nothing was done: this installation is not self-hosted, its backfills are opened by options.";
        if (in.out().as_json()) in.out().print(json{{"done", false}, {"rows", 0}, {"why", text}});
        else in.out().line(text);
        return 0;
    }
    const stop_on_signal watching;
    context with = in.with(access::write);
    with.stop = &stop_on_signal::request();
    upgrade_request request;
    request.self_hosted = true;
    request.drain = [&] {
        std::int64_t delivered = 0;
        for (const silo where : {silo::control, silo::cell})
            if (reaches(in.mode(), where)) delivered += drain(with, where).messages;
        return delivered;
    };
    request.progress = [&](const upgrade_progress& now) {
        if (in.out().quiet() || in.out().as_json()) return;
        std::string text = row_count(now.rows_done) + " done, " +
                           (now.left == backfill_measure::unknown ? "?" : std::to_string(now.rows_left)) + " left, " +
                           std::to_string(static_cast<std::int64_t>(now.rows_per_second)) + " rows/s";
        if (now.seconds_left) text += ", " + std::to_string(static_cast<std::int64_t>(*now.seconds_left)) + " s left";
        if (!now.waiting.empty()) text += "; waiting: " + now.waiting;
        write_to(stderr, text + "\n");
    };
    const upgrade_report done = upgrade(with, request);
    if (in.out().as_json()) {
        in.out().print(json{{"done", done.done},
                            {"stopped", done.stopped},
                            {"rows", done.rows},
                            {"delivered", done.delivered},
                            {"why", done.why},
                            {"tables", tables_json(done.tables)}});
    } else {
        print_tables(in.out(), done.tables);
        in.out().line(row_count(done.rows) + " backfilled, " + counted(done.delivered, "message", "messages") +
                      " delivered: " + done.why + ".");
    }
    return stop_on_signal::exit_code(done.done ? 0 : 1);
}

inline int run_lock(environment& in, const given& arguments) {
    const std::string path = arguments.text("FILE");
    if (path.empty()) {
        in.out().print_text(lock_text(in.models()));
        return 0;
    }
    if (!arguments.has("--check")) {
        std::ofstream file(path, std::ios::binary | std::ios::trunc);
        file << lock_text(in.models());
        file.close();
        if (!file) throw error(failure::usage, "The lock file " + path + " cannot be written.");
        in.out().note("Wrote " + path + ". Keep it with the code.");
        return 0;
    }
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw error(failure::usage, "The lock file " + path + " cannot be read.")
            .with_hint("Write it with `lock FILE`.");
    const std::string problems =
        lock_problems(in.models(), std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
    if (in.out().as_json()) in.out().print(json{{"agrees", problems.empty()}, {"problems", problems}});
    else if (problems.empty()) in.out().line(path + " agrees with the code.");
    else in.out().print_text(problems);
    return problems.empty() ? 0 : 1;
}

}  // namespace detail

/// `backfill status|run|pause|resume|restart`, `upgrade` and `lock`.
[[nodiscard]] inline std::vector<command> backfill_commands() {
    const argument key = positional("KEY", "key of the model, app.Model");
    const argument maybe = optional_positional("KEY", "one model only");
    const argument force = flag("--force", "the code's versions count, whatever the options say");
    return {
        {"backfill status", "how far each table is, and why it does not go on", {maybe}, detail::show_backfills, true},
        {"backfill run",
         "write messages for rows that were there before; exit code 1 if a table failed",
         {maybe, option("--rows", "NUMBER", "at most so many rows; 10 000 by default"), force,
          flag("--until-done", "go on until nothing is left")},
         detail::run_backfill,
         true},
        {"backfill pause", "hold a model's backfill from the next batch on", {key}, detail::run_pause_backfill},
        {"backfill resume", "let it go on from where it stopped", {key}, detail::run_resume_backfill},
        {"backfill restart", "begin its version again", {key, force}, detail::run_restart_backfill},
        {"upgrade", "self-hosted: backfill everything and deliver it", {}, detail::run_upgrade, true},
        {"lock",
         "print, write or check the file that remembers what copies are made of",
         {optional_positional("FILE", "the lock file; without it it is printed"),
          flag("--check", "compare it with the code; exit code 1 if they differ")},
         detail::run_lock}};
}

}  // namespace winnow::inline v0::cli
