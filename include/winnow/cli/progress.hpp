// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>

#include "winnow/cli/log.hpp"
#include "winnow/cli/output.hpp"
#include "winnow/cli/text.hpp"
#include "winnow/context/observer.hpp"

namespace winnow::inline v0::cli {

/// Shows on standard error what the engine does: log lines, and how far a deletion is. On a terminal that is
/// one line, written over again; elsewhere a plain line every few seconds.
class progress_display final : public observer {
public:
    /// @param quiet no progress, and only errors are logged
    /// @param format of the log lines; as JSON there is nothing but log lines, one a line
    explicit progress_display(bool quiet, log_format format = log_format::text)
        : quiet_(quiet),
          terminal_(is_terminal(stderr) && format == log_format::text),
          structured_(format == log_format::structured),
          log_(quiet       ? log_level::error
               : terminal_ ? log_level::warning
                           : log_level::info,
               format) {}
    /// However the command ended, what is written next begins on a line of its own.
    ~progress_display() override { clear(); }

    void log(log_level level, std::string_view message, std::initializer_list<label> labels) override {
        if (!log_.wants(level)) return;
        clear();
        log_.write(level, message, labels);
    }

    /// A pass over a deletion begins; its rate counts from here.
    void start(std::string_view transaction_id, std::int64_t rows_done) {
        const moment at = std::chrono::steady_clock::now();
        current_ = transaction_id;
        started_ = at;
        rows_at_start_ = rows_done;
        fresh_ = terminal_;
        shown_ = at - std::chrono::seconds(4);  // where nobody looks, a deletion of a second needs no line
    }

    void progress(const deletion_progress& now) override {
        if (quiet_) return;
        if (now.transaction_id != current_) start(now.transaction_id, now.rows_done);
        const moment at = std::chrono::steady_clock::now();
        const std::chrono::duration<double> since_shown = at - shown_;
        if (!fresh_ && since_shown.count() < (terminal_ ? 0.1 : 5.0)) return;
        fresh_ = false;
        shown_ = at;
        const std::string text = line_of(now, std::chrono::duration<double>(at - started_).count());
        if (structured_) {
            log_.write(log_level::info, "deletion progress",
                       {{"transaction_id", now.transaction_id},
                        {"model", now.model},
                        {"object_id", now.object_id},
                        {"rows_done", std::to_string(now.rows_done)},
                        {"at", now.current_model}});
            return;
        }
        if (!terminal_) {
            write_to(stderr, text + "\n");
            return;
        }
        write_to(stderr, "\r" + text + "\x1b[K");
        visible_ = true;
    }

    /// Takes the line off the terminal, so that something else can be written.
    void clear() noexcept {
        if (visible_) write_to(stderr, "\r\x1b[K");
        visible_ = false;
    }

private:
    using moment = std::chrono::steady_clock::time_point;

    [[nodiscard]] std::string line_of(const deletion_progress& now, double seconds) const {
        std::string text =
            std::string(now.model) + " " + printable(now.object_id) + ": " + std::to_string(now.rows_done);
        if (now.rows_total >= 0) {
            text += " of " + std::to_string(now.rows_total) + " rows";
            if (now.rows_total > 0) text += ", " + std::to_string(now.rows_done * 100 / now.rows_total) + " %";
        } else {
            text += " rows";
        }
        const double rate = now.rows_per_second > 0 ? now.rows_per_second
                            : seconds > 0           ? static_cast<double>(now.rows_done - rows_at_start_) / seconds
                                                    : 0;
        if (rate > 0) {
            text += ", " + std::to_string(static_cast<std::int64_t>(rate)) + " rows/s";
            const std::int64_t left = now.rows_total - now.rows_done;
            if (now.rows_total >= 0 && left > 0)
                text += ", " + duration_text(static_cast<double>(left) / rate) + " left";
        }
        if (!now.current_model.empty()) text += ", at " + std::string(now.current_model);
        return text;
    }

    bool quiet_;
    bool terminal_;
    bool structured_;
    log_writer log_;
    std::string current_;
    moment started_{};
    moment shown_{};
    std::int64_t rows_at_start_ = 0;
    bool fresh_ = false;
    bool visible_ = false;
};

}  // namespace winnow::inline v0::cli
