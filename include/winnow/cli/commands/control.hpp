// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/core/error.hpp"
#include "winnow/core/letters.hpp"
#include "winnow/deletion/control.hpp"

namespace winnow::inline v0::cli {

namespace detail {

/// The answer of a command that changes one thing. @return the exit code
inline int answer(const output& out, bool changed, std::string_view json_name, const std::string& text) {
    if (out.as_json()) out.print(json{{std::string(json_name), changed}, {"text", text}});
    else out.line(text);
    return changed ? 0 : 1;
}

inline int run_retry(environment& in, const given& arguments) {
    const named_object object = in.object(arguments);
    const bool done = retry(in.with(access::write), object.model, object.key);
    return answer(in.out(), done, "retried",
                  object.name + (done ? ": due again, goes on from what is left."
                                      : ": there is no failed, blocked or waiting deletion to retry."));
}

inline int run_confirm(environment& in, const given& arguments) {
    const named_object object = in.object(arguments);
    const bool done = confirm(in.with(access::write), object.model, object.key);
    return answer(in.out(), done, "confirmed",
                  object.name + (done ? ": confirmed, however many rows it takes." : ": not scheduled."));
}

/// What `pause` and `resume` are about.
struct pause_target {
    pause_scope scope = pause_scope::all;
    std::string name;
    bool object = false;
    std::string text;  ///< for people
};

[[nodiscard]] inline pause_target target_of(environment& in, const given& arguments, std::string_view verb) {
    const int ways = (arguments.has("--all") ? 1 : 0) + (arguments.has("--model") ? 1 : 0) +
                     (arguments.has("--batch") ? 1 : 0) + (arguments.has("KEY") ? 1 : 0);
    if (ways != 1 || arguments.has("KEY") != arguments.has("ID")) {
        std::string question(verb);
        question[0] = winnow::detail::upper(question[0]);
        throw error(failure::usage, question + " what?")
            .with_hint("Give one of --all, --model KEY, --batch ID, or KEY ID.");
    }
    if (arguments.has("--all")) return {pause_scope::all, {}, false, "everything"};
    if (arguments.has("--batch"))
        return {pause_scope::batch, arguments.id("--batch"), false, "batch " + arguments.text("--batch")};
    if (arguments.has("--model")) {
        (void)in.models().at(arguments.text("--model"));
        return {pause_scope::model, arguments.text("--model"), false, "model " + arguments.text("--model")};
    }
    return {pause_scope::all, {}, true, in.object(arguments).name};
}

inline int run_pause(environment& in, const given& arguments) {
    const pause_target target = target_of(in, arguments, "pause");
    const context with = in.with(access::write);
    bool done = true;
    if (target.object) {
        const named_object object = in.object(arguments);
        done = pause(with, object.model, object.key);
    } else {
        pause(with, target.scope, target.name);
    }
    return answer(in.out(), done, "paused",
                  target.text + (done ? ": paused; a running chunk was the last." : ": not scheduled."));
}

inline int run_resume(environment& in, const given& arguments) {
    const pause_target target = target_of(in, arguments, "resume");
    const context with = in.with(access::write);
    bool done = false;
    if (target.object) {
        const named_object object = in.object(arguments);
        done = resume(with, object.model, object.key);
    } else {
        done = resume(with, target.scope, target.name);
    }
    return answer(in.out(), done, "resumed",
                  target.text + (done            ? ": resumed."
                                 : target.object ? ": not scheduled."
                                                 : ": was not paused."));
}

}  // namespace detail

/// `deletions retry`, `confirm`, `pause` and `resume`.
[[nodiscard]] inline std::vector<command> control_commands() {
    const std::vector<argument> object = {positional("KEY", "key of the model, app.Model"),
                                          positional("ID", "the object's primary key")};
    const std::vector<argument> target = {
        optional_positional("KEY", "key of the model, app.Model"),
        optional_positional("ID", "the object's primary key"), flag("--all", "everything"),
        option("--model", "KEY", "every deletion of a model"), option("--batch", "ID", "every deletion of a batch")};
    return {{"deletions retry", "let a failed or blocked deletion go on", object, detail::run_retry},
            {"deletions confirm", "let a deletion above the option deletion.max_rows go", object, detail::run_confirm},
            {"deletions pause", "stop everything, a model, a batch or one object, within one chunk", target,
             detail::run_pause, true},
            {"deletions resume", "end such a pause", target, detail::run_resume, true}};
}

}  // namespace winnow::inline v0::cli
