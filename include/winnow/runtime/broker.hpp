// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/plan/silo.hpp"

namespace winnow::inline v0 {

/// A piece of work for any worker that serves a silo. What is to be done stands in the database; a task only says
/// where to look, so that one that is lost or comes twice changes nothing but the time that it takes.
struct task {
    std::string kind;  ///< `run_deletion`, `drain_outbox`, or the name of a job
    winnow::silo silo = winnow::silo::cell;
    std::string cell;      ///< whose database; empty in the control silo
    std::string argument;  ///< for a deletion its guid
    int attempt = 1;
    double deadline_seconds = 0;  ///< a budget for who does it; 0: its own
};

/// A task that a worker has, until it says what came of it or falls silent.
struct taken_task {
    task what;
    std::string queue;
    std::string id;     ///< of the broker
    std::string owner;  ///< under whose name it was taken
};

/// How much there is in the queues that a broker serves.
struct broker_statistics {
    std::int64_t waiting = 0;
    std::int64_t delayed = 0;  ///< not before some later time
    std::int64_t running = 0;  ///< taken and not done
};

/// Queue of a silo's tasks: `control`, or `cell:us`.
[[nodiscard]] inline std::string queue_of(silo where, std::string_view cell) {
    return where == silo::control ? std::string("control") : "cell:" + std::string(cell);
}
[[nodiscard]] inline std::string queue_of(const task& of) { return queue_of(of.silo, of.cell); }

/// Carries tasks between workers. One object is used by one thread; those of one place share its content, however many
/// processes they are in. Each task is taken by one worker at a time, the oldest first as far as it goes; a task whose
/// worker falls silent is taken again by another. Everything throws `error` of kind `connection` when the place cannot
/// be reached.
class broker {
public:
    broker() = default;
    broker(const broker&) = delete;
    broker& operator=(const broker&) = delete;
    virtual ~broker() = default;

    /// For messages: `Redis at …`.
    [[nodiscard]] virtual std::string description() const = 0;
    /// Whether tasks of this queue go here.
    [[nodiscard]] virtual bool serves(std::string_view queue) const = 0;
    /// @param delay_seconds not to be taken before
    virtual void push(const task& what, double delay_seconds = 0) = 0;
    /// The next task of the queues that are served; waits for one, at most `patience`.
    [[nodiscard]] virtual std::optional<taken_task> take(std::chrono::milliseconds patience) = 0;
    /// It is done and goes. @return false when another worker has it by now
    virtual bool done(const taken_task& which) = 0;
    /// It is put back, with one attempt more. @return as `done`
    virtual bool retry(const taken_task& which, double delay_seconds) = 0;
    /// The worker lives: it keeps the task for another lease. Any broker of the same place may say so. @return as `done`
    virtual bool extend(const taken_task& which) = 0;
    [[nodiscard]] virtual broker_statistics statistics() = 0;
};

/// Queues that a broker serves, and for how long a silent worker keeps a task.
struct broker_options {
    std::vector<std::string> queues;
    double lease_seconds = 60;
    std::string owner;  ///< who takes tasks; unique among all that do at the same time

    [[nodiscard]] bool serves(std::string_view queue) const {
        for (const std::string& one : queues)
            if (one == queue) return true;
        return false;
    }
};

/// A task as one text, for a place that keeps texts. @see parse_task
[[nodiscard]] inline std::string text_of_task(const task& what) {
    return what.kind + '\n' + std::string(name_of(what.silo)) + '\n' + what.cell + '\n' + std::to_string(what.attempt) +
           '\n' + std::to_string(static_cast<std::int64_t>(what.deadline_seconds * 1000)) + '\n' + what.argument;
}

/// Reads what `text_of_task` wrote; nothing for any other text.
[[nodiscard]] inline std::optional<task> parse_task(std::string_view text) {
    const auto line = [&]() -> std::optional<std::string_view> {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return std::nullopt;
        const std::string_view found = text.substr(0, end);
        text.remove_prefix(end + 1);
        return found;
    };
    const auto number = [&](std::int64_t& to) {
        const std::optional<std::string_view> digits = line();
        if (!digits) return false;
        const auto [end, fault] = std::from_chars(digits->data(), digits->data() + digits->size(), to);
        return fault == std::errc{} && end == digits->data() + digits->size();
    };
    task made;
    const auto kind = line();
    const auto where = line();
    const auto cell = line();
    std::int64_t attempt = 0;
    std::int64_t milliseconds = 0;
    if (!kind || !where || !cell || !number(attempt) || !number(milliseconds)) return std::nullopt;
    if (kind->empty() || attempt < 1 || attempt > 1'000'000 || (*where != "control" && *where != "cell"))
        return std::nullopt;
    made.kind = *kind;
    made.silo = *where == "control" ? silo::control : silo::cell;
    made.cell = *cell;
    made.attempt = static_cast<int>(attempt);
    made.deadline_seconds = static_cast<double>(milliseconds) / 1000;
    made.argument = text;
    return made;
}

}  // namespace winnow::inline v0
