// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "winnow/cli/json.hpp"
#include "winnow/cli/table.hpp"
#include "winnow/cli/text.hpp"
#include "winnow/core/error.hpp"

namespace winnow::inline v0::cli {

/// Writes all of a text at once. That it could not be written stays noted in the stream, unless its reader has gone,
/// as `head` does when it has seen enough.
inline void write_to(std::FILE* stream, std::string_view text) noexcept {
    errno = 0;
    const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
    if ((std::fflush(stream) != 0 || !written) && errno == EPIPE) std::clearerr(stream);
}

/// Makes the standard streams fit to work with: what is closed leads nowhere, so that no connection to a database gets
/// its number and with it our texts; and a reader that goes does not end the program between two chunks.
inline void prepare_streams() noexcept {
    for (int stream = 0; stream <= STDERR_FILENO; ++stream) {
        if (::fcntl(stream, F_GETFD) == -1) (void)::open("/dev/null", O_RDWR);
    }
    (void)std::signal(SIGPIPE, SIG_IGN);
}

/// Whether a person is looking at a stream.
[[nodiscard]] inline bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

/// Results of commands, on standard output: for people, or one JSON document.
class output {
public:
    output(bool as_json, bool quiet) : as_json_(as_json), quiet_(quiet) {}

    /// With `--json` a command prints exactly one document and nothing else.
    [[nodiscard]] bool as_json() const noexcept { return as_json_; }
    [[nodiscard]] bool quiet() const noexcept { return quiet_; }

    /// A line of the result.
    void line(std::string_view text) const { write_to(stdout, printable(text) + "\n"); }
    /// A line that `--quiet` leaves out.
    void note(std::string_view text) const {
        if (!quiet_) line(text);
    }
    void print(const table& lines) const { write_to(stdout, lines.text()); }
    void print(const json& document) const {
        if (collector_ != nullptr) *collector_ = document;
        else write_to(stdout, text_of(document) + "\n");
    }
    /// Documents are put there instead of being printed, until it is null again.
    /// @return where they went before
    json* collect_into(json* collector) noexcept { return std::exchange(collector_, collector); }
    /// Text that is the result itself, as a script; ended by a line end.
    void print_text(std::string_view text) const {
        write_to(stdout, text);
        if (!text.ends_with('\n')) write_to(stdout, "\n");
    }

private:
    bool as_json_;
    bool quiet_;
    json* collector_ = nullptr;
};

/// A short name of a kind of failure, as `--json` spells it.
[[nodiscard]] constexpr std::string_view name_of(failure kind) noexcept {
    switch (kind) {
        case failure::usage: return "usage";
        case failure::not_found: return "not_found";
        case failure::availability: return "availability";
        case failure::configuration: return "configuration";
        case failure::refused: return "refused";
        case failure::blocked: return "blocked";
        case failure::connection: return "connection";
        case failure::statement: return "statement";
        case failure::hook: return "hook";
    }
    return "unknown";
}

/// An error as `--json` shows it.
[[nodiscard]] inline json error_json(const error& problem) {
    return {{"error",
             {{"kind", std::string(name_of(problem.kind()))},
              {"message", std::string(problem.what())},
              {"hint", text_or_null(problem.hint())},
              {"model", text_or_null(problem.model())},
              {"table", text_or_null(problem.table())},
              {"constraint", text_or_null(problem.constraint())},
              {"sqlstate", text_or_null(problem.sqlstate())},
              {"may_retry", problem.may_retry()},
              {"in_doubt", problem.in_doubt()}}}};
}

/// An error on standard error: one line that says what happened, one that says what to do. With `--json` the
/// same on standard output as well.
inline void report_error(const error& problem, bool as_json) {
    std::string text = "winnow: ";
    const std::string_view what = problem.what();
    for (const char c : what) text += c == '\n' ? std::string("\n") : printable({&c, 1});
    text += '\n';
    if (!problem.hint().empty()) text += "  " + printable(problem.hint()) + "\n";
    write_to(stderr, text);
    if (as_json) write_to(stdout, text_of(error_json(problem)) + "\n");
}

}  // namespace winnow::inline v0::cli
