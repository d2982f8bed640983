// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "winnow/cli/text.hpp"
#include "winnow/context/observer.hpp"

namespace winnow::inline v0::cli {

/// Log lines on standard error: moment (UTC), level, message, then `name=text` for each label.
class log_writer {
public:
    /// @param least lines below this level are left out
    explicit log_writer(log_level least) : logger_("winnow", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
        logger_.set_formatter(
            std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc));
        logger_.set_level(level_of(least));
    }

    [[nodiscard]] bool wants(log_level level) const { return logger_.should_log(level_of(level)); }

    void write(log_level level, std::string_view message, std::initializer_list<label> labels) {
        if (!wants(level)) return;
        std::string line = printable(message);
        for (const label& one : labels) {
            line += ' ';
            line += one.name;
            line += '=';
            const bool plain = !one.text.empty() && one.text.find_first_of(" \"=") == std::string_view::npos;
            line += plain ? printable(one.text) : quoted(one.text);
        }
        logger_.log(level_of(level), spdlog::string_view_t(line.data(), line.size()));
    }

private:
    static spdlog::level::level_enum level_of(log_level level) {
        switch (level) {
            case log_level::debug: return spdlog::level::debug;
            case log_level::info: return spdlog::level::info;
            case log_level::warning: return spdlog::level::warn;
            case log_level::error: return spdlog::level::err;
        }
        return spdlog::level::info;
    }
    static std::string quoted(std::string_view text) {
        std::string out = "\"";
        for (const char c : printable(text)) {
            if (c == '"') out += '\\';
            out += c;
        }
        return out + "\"";
    }

    spdlog::logger logger_;
};

}  // namespace winnow::inline v0::cli
