// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/commands/plan.hpp"
#include "winnow/cli/deleted_rows.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/core/error.hpp"
#include "winnow/deletion/control.hpp"
#include "winnow/deletion/measure.hpp"
#include "winnow/deletion/request.hpp"
#include "winnow/deletion/schedule.hpp"
#include "winnow/store/migrations.hpp"

namespace winnow::inline v0::cli {

namespace detail {

/// The objects that are named, each once: `3 03` is one object, and its rows count once against the cap.
[[nodiscard]] inline std::vector<named_object> objects_of(const environment& in, const given& arguments) {
    std::vector<named_object> objects;
    for (const std::string& id : arguments.all("ID")) {
        named_object one = in.object(arguments.text("KEY"), id);
        const bool known =
            std::any_of(objects.begin(), objects.end(), [&](const named_object& other) { return other.id == one.id; });
        if (!known) objects.push_back(std::move(one));
    }
    return objects;
}

/// What would go with all of the objects. No table is counted further than is needed to say whether the cap
/// is exceeded, and to give an idea.
[[nodiscard]] inline deletion_plan measure_all(const context& with, const std::vector<named_object>& objects,
                                               std::int64_t cap) {
    measure_options how;
    how.cap = std::max<std::int64_t>(cap + 1, 100'000);
    how.each_table = std::chrono::seconds(2);
    deletion_plan all;
    for (const named_object& one : objects) {
        deletion_plan found = plan_deletion(with, one.model, one.key, how);
        all.total += found.total;
        all.complete = all.complete && found.complete;
        for (planned_table& line : found.tables) all.tables.push_back(std::move(line));
        for (std::string& line : found.refusals) all.refusals.push_back(std::move(line));
    }
    add_schema_refusals(with, objects.front().model, all);
    return all;
}

[[nodiscard]] inline std::string amount_text(const deletion_plan& found) {
    return (found.complete ? "" : "at least ") + row_count(found.total);
}

inline void print_scheduled(environment& in, const std::vector<named_object>& objects, const std::string& batch,
                            const deletion_plan& found) {
    connection& database = in.database(access::write);
    const std::vector<std::string> absent = compare_steps(database, in.models().parts(), in.mode()).absent;
    std::vector<std::string> warnings;
    for (const std::string& part : absent) warnings.push_back(describe_absent(part));
    json list = json::array();
    for (const named_object& one : objects) {
        const plan& about = in.models()[one.model];
        request_filter only;
        only.model = about.key;
        only.object_id = one.id;
        for (const deletion_request& row : list_requests(database, about.silo, only)) {
            if (in.out().as_json()) {
                list.push_back({{"model", row.model},
                                {"id", row.object_id},
                                {"guid", row.guid},
                                {"date_scheduled", row.date_scheduled}});
            } else {
                in.out().line(one.name + " is to be deleted " +
                              (row.seconds_until_due <= 0 ? "now, by the next worker"
                                                          : "in " + duration_text(row.seconds_until_due)) +
                              " (due " + row.date_scheduled + " UTC, transaction id " + row.guid + ").");
            }
        }
    }
    if (in.out().as_json()) {
        in.out().print(json{{"scheduled", std::move(list)},
                            {"batch", text_or_null(batch)},
                            {"rows", found.total},
                            {"complete", found.complete},
                            {"refusals", found.refusals},
                            {"warnings", warnings}});
        return;
    }
    if (!batch.empty()) in.out().line("Batch " + batch + ".");
    in.out().line("As things are, " + amount_text(found) + " would go.");
    for (const std::string& refusal : found.refusals) in.out().line("It would be refused: " + refusal);
    for (const std::string& warning : warnings) in.out().line("Beware: " + warning);
    in.out().note("`cancel` takes it back.");
}

inline int run_schedule(environment& in, const given& arguments) {
    // Everything that can be wrong with the words is found before anything is connected to.
    const std::vector<named_object> objects = objects_of(in, arguments);
    const grace until = parse_grace(arguments.text("--in", "30d"));
    const std::string data = arguments.text("--data", "{}");
    (void)parse_json(data, "--data");
    const std::string batch = arguments.id("--batch");
    schedule_options how;
    how.days = until.days;
    how.hours = until.hours;
    how.data = data;
    how.actor = arguments.number("--actor-id");
    how.batch = batch;
    how.confirmed = arguments.has("--yes");
    if (until.days == 0 && until.hours == 0) how.permit = permit_purge;

    const context with = in.with(access::write);
    for (const named_object& one : objects) with.require_reachable(one.model);
    const std::int64_t cap = with.options().integer("deletion.max_rows");
    const deletion_plan found = measure_all(with, objects, cap);
    if (cap > 0 && found.total > cap && !how.confirmed) {
        throw error(failure::refused,
                    "More than " + row_count(cap) + " would go (option deletion.max_rows); nothing was scheduled.")
            .with_model(in.models()[objects.front().model].key)
            .with_hint("`plan` shows what would go. If it is right, say --yes.");
    }
    std::string in_batch = batch;
    if (objects.size() == 1) {
        (void)schedule(with, objects.front().model, objects.front().key, how);
    } else {
        key_set keys(objects.front().key.size());
        for (const named_object& one : objects) keys.push_back(one.key);
        in_batch = schedule_many(with, objects.front().model, keys, how);
    }
    print_scheduled(in, objects, in_batch, found);
    return 0;
}

[[nodiscard]] inline json cancel_json(const cancel_result& result) {
    return {{"answer", std::string(name_of(result.answer))},
            {"guid", text_or_null(result.guid)},
            {"rows_done", result.rows_done},
            {"rows_by_model", deleted_rows_json(result.rows)}};
}

[[nodiscard]] inline std::string cancel_text(const cancel_result& result) {
    switch (result.answer) {
        case cancel_answer::before_start: return "cancelled before start; nothing of it had been deleted.";
        case cancel_answer::stopped: {
            std::string text = "stopped; " + row_count(result.rows_done) + " had been deleted already";
            for (std::size_t i = 0; i < result.rows.size(); ++i) {
                text += (i == 0 ? ": " : ", ") + result.rows[i].first + " " + std::to_string(result.rows[i].second);
            }
            return text + ".";
        }
        case cancel_answer::already_done: return "already done; there is nothing left to cancel.";
        case cancel_answer::not_scheduled: return "not scheduled; there was nothing to cancel.";
    }
    return "unknown";
}

[[nodiscard]] inline bool has_cancelled(const cancel_result& result) {
    return result.answer == cancel_answer::before_start || result.answer == cancel_answer::stopped;
}

inline int cancel_whole_batch(environment& in, const std::string& batch) {
    const std::vector<cancel_result> results = cancel_batch(in.with(access::write), batch);
    bool any = false;
    json list = json::array();
    for (const cancel_result& one : results) {
        any = any || has_cancelled(one);
        if (in.out().as_json()) list.push_back(cancel_json(one));
        else in.out().line(one.guid + ": " + cancel_text(one));
    }
    if (in.out().as_json()) in.out().print(json{{"batch", batch}, {"cancelled", std::move(list)}});
    else if (results.empty()) in.out().line("Batch " + batch + ": not scheduled; there was nothing to cancel.");
    return any ? 0 : 1;
}

inline int run_cancel(environment& in, const given& arguments) {
    const bool by_batch = arguments.has("--batch");
    if (by_batch == arguments.has("KEY") || arguments.has("KEY") != arguments.has("ID")) {
        throw error(failure::usage, "Cancel what?").with_hint("Write `cancel KEY ID` or `cancel --batch ID`.");
    }
    if (by_batch) return cancel_whole_batch(in, arguments.id("--batch"));
    const named_object object = in.object(arguments);
    const cancel_result result = cancel(in.with(access::write), object.model, object.key);
    if (in.out().as_json()) in.out().print(cancel_json(result));
    else in.out().line(object.name + ": " + cancel_text(result));
    return has_cancelled(result) ? 0 : 1;
}

}  // namespace detail

/// `schedule` and `cancel`.
[[nodiscard]] inline std::vector<command> schedule_commands() {
    return {
        {"schedule",
         "schedule objects for deletion",
         {positional("KEY", "key of the model, app.Model"), positionals("ID", "primary keys; several make a batch"),
          option("--in", "TIME", "30d (the default), 12h, 1d12h; 0d: as soon as a worker comes by"),
          option("--actor-id", "NUMBER", "id of the user for whom it is done, handed to hooks"),
          option("--data", "JSON", "handed to hooks"),
          option("--batch", "ID", "batch under which they are listed, paused, cancelled"),
          flag("--yes", "confirm a deletion above the option deletion.max_rows")},
         detail::run_schedule},
        {"cancel",
         "take a scheduled deletion back, or stop a running one",
         {optional_positional("KEY", "key of the model, app.Model"),
          optional_positional("ID", "the object's primary key"), option("--batch", "ID", "every deletion of a batch")},
         detail::run_cancel}};
}

}  // namespace winnow::inline v0::cli
