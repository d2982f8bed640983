// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/deleted_rows.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/cli/request_text.hpp"
#include "winnow/core/error.hpp"
#include "winnow/deletion/audit.hpp"
#include "winnow/deletion/request.hpp"
#include "winnow/deletion/why.hpp"

namespace winnow::inline v0::cli {

namespace detail {

[[nodiscard]] inline json audit_json(const std::vector<audit_entry>& entries) {
    json list = json::array();
    for (const audit_entry& one : entries) {
        list.push_back({{"at", one.happened_at},
                        {"action", one.action},
                        {"model", text_or_null(one.model)},
                        {"id", text_or_null(one.object_id)},
                        {"guid", text_or_null(one.guid)},
                        {"batch", text_or_null(one.batch)},
                        {"actor", text_or_null(one.actor)},
                        {"detail", text_or_null(one.detail)},
                        {"rows_done", one.rows_done},
                        {"rows_by_model", stored_json(one.progress)}});
    }
    return list;
}

inline void print_audit(const output& out, const std::vector<audit_entry>& entries, bool with_object) {
    table lines{"when (UTC)", "what", "object", "by", ">rows", "detail"};
    for (const audit_entry& one : entries) {
        lines.add({one.happened_at, one.action,
                   with_object && !one.model.empty() ? one.model + " " + one.object_id : "", one.actor,
                   one.rows_done == 0 ? "" : std::to_string(one.rows_done), one.detail});
    }
    if (!lines.empty()) out.print(lines);
}

/// What is known of one deletion, a line each; what the sentence `why` says already is left out.
inline void print_request(const output& out, const deletion_request& one, const std::vector<pause_entry>& pauses,
                          std::string_view why) {
    const auto fact = [&](std::string_view name, const std::string& text) {
        if (text.empty()) return;
        std::string line = "  ";
        line += name;
        line.append(name.size() < 14 ? 14 - name.size() : 1, ' ');
        out.line(line + text);
    };
    const auto unless_said = [&](const std::string& text) {
        return why.find(text) == std::string_view::npos ? text : std::string();
    };
    fact("state", shown_state(one, pauses) + " since " + one.state_since + " UTC");
    fact("why", unless_said(detail_text(one, pauses)));
    fact("scheduled", one.date_added + " UTC");
    fact("due", one.date_scheduled + " UTC");
    fact("rows", progress_text(one));
    fact("attempts", one.attempts == 0 ? "" : std::to_string(one.attempts));
    fact("last error", unless_said(one.last_error));
    fact("worker",
         one.in_progress ? one.lease_owner + ", lease for another " + duration_text(one.lease_seconds_left) : "");
    fact("batch", one.batch.value_or(""));
    fact("actor id", one.actor ? std::to_string(*one.actor) : "");
    fact("confirmed", one.confirmed ? "yes, however many rows it takes" : "");
    fact("data", one.data == "{}" ? "" : one.data);
    fact("transaction", one.guid);
}

/// A deletion whose model is not there: found by the texts of its key and id.
[[nodiscard]] inline std::optional<deletion_request> find_of_unknown_model(environment& in, const given& arguments) {
    const std::string key = arguments.text("KEY");
    const std::string id = arguments.text("ID");
    if (in.models().find(key)) return std::nullopt;
    connection& database = in.database(access::report);
    request_filter only;
    only.model = key;
    only.object_id = id;
    for (const silo where : {silo::control, silo::cell}) {
        if (!reaches(in.mode(), where)) continue;
        std::vector<deletion_request> found = list_requests(database, where, only);
        if (!found.empty()) return std::move(found.front());
    }
    return std::nullopt;
}

inline int show_deletion(environment& in, const given& arguments) {
    if (const std::optional<deletion_request> unknown = find_of_unknown_model(in, arguments)) {
        const context with = in.with(access::report);
        const std::string why = why_not_gone(with, *unknown);
        const std::vector<pause_entry> pauses = list_pauses(with.database);
        const std::vector<audit_entry> audit = list_audit(with.database, unknown->model, unknown->object_id);
        if (in.out().as_json()) {
            in.out().print(json{{"why", why},
                                {"deletion", request_json(*unknown, pauses)},
                                {"rows_by_model", deleted_rows_json(row_counts{})},
                                {"audit", audit_json(audit)}});
            return 0;
        }
        in.out().line(why);
        print_request(in.out(), *unknown, pauses, why);
        print_audit(in.out(), audit, false);
        return 0;
    }
    const named_object object = in.object(arguments);
    const context with = in.with(access::report);
    const plan& about = in.models()[object.model];
    with.require_reachable(object.model);
    request_filter only;
    only.model = about.key;
    only.object_id = object.id;
    const std::vector<deletion_request> found = list_requests(with.database, about.silo, only);
    const std::vector<audit_entry> audit = list_audit(with.database, about.key, object.id);
    if (found.empty() && audit.empty()) {
        throw error(failure::not_found, object.name + " is not scheduled for deletion and never was.")
            .with_model(about.key);
    }
    const std::string why = why_not_gone(with, object.model, object.key);
    const std::vector<pause_entry> pauses = list_pauses(with.database);
    const row_counts counts = found.empty() ? row_counts{} : counts_of(with.database, about.silo, found.front().id);
    if (in.out().as_json()) {
        in.out().print(json{{"why", why},
                            {"deletion", found.empty() ? json(nullptr) : request_json(found.front(), pauses)},
                            {"rows_by_model", deleted_rows_json(counts)},
                            {"audit", audit_json(audit)}});
        return 0;
    }
    in.out().line(why);
    if (!found.empty()) print_request(in.out(), found.front(), pauses, why);
    print_deleted_rows(in.out(), in.models(), counts, with.database.kind());
    print_audit(in.out(), audit, false);
    return 0;
}

inline int show_audit(environment& in, const given& arguments) {
    const std::string key = arguments.text("KEY");
    std::string id;
    if (arguments.has("ID")) id = in.object(arguments).id;
    else if (arguments.has("KEY")) (void)in.models().at(key);
    connection& database = in.database(access::report);
    const std::vector<audit_entry> entries =
        list_audit(database, key, id, arguments.number("--limit", 1).value_or(1000));
    if (in.out().as_json()) in.out().print(json{{"audit", audit_json(entries)}});
    else if (entries.empty()) in.out().line("The audit has nothing about it.");
    else print_audit(in.out(), entries, true);
    return 0;
}

}  // namespace detail

/// `deletions show` and `deletions audit`.
[[nodiscard]] inline std::vector<command> show_commands() {
    return {{"deletions show",
             "why an object is not gone yet, and everything known about its deletion",
             {positional("KEY", "key of the model, app.Model"), positional("ID", "the object's primary key")},
             detail::show_deletion},
            {"deletions audit",
             "who did what to which deletion, and how it ended",
             {optional_positional("KEY", "only of this model"), optional_positional("ID", "only of this object"),
              option("--limit", "NUMBER", "at most so many lines (default 1000)")},
             detail::show_audit,
             true}};
}

}  // namespace winnow::inline v0::cli
