// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "winnow/cli/json.hpp"
#include "winnow/cli/text.hpp"
#include "winnow/context/observer.hpp"

namespace winnow::inline v0::cli {

/// How log lines are written.
enum class log_format : unsigned char {
    text,        ///< moment (UTC), level, message, then `name=text` for each label
    structured,  ///< one JSON object a line: `time`, `level`, `message`, then each label
};

/// Log lines on standard error.
class log_writer {
public:
    /// @param least lines below this level are left out
    explicit log_writer(log_level least, log_format format = log_format::text)
        : logger_("winnow", std::make_shared<spdlog::sinks::stderr_sink_mt>()), format_(format) {
        const char* const pattern = format == log_format::structured
                                        ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                                        : "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
        logger_.set_formatter(std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc));
        logger_.set_level(level_of(least));
    }

    [[nodiscard]] bool wants(log_level level) const { return logger_.should_log(level_of(level)); }

    void write(log_level level, std::string_view message, std::initializer_list<label> labels) {
        if (!wants(level)) return;
        const std::string line = format_ == log_format::structured ? members(message, labels) : words(message, labels);
        logger_.log(level_of(level), spdlog::string_view_t(line.data(), line.size()));
    }

private:
    static std::string words(std::string_view message, std::initializer_list<label> labels) {
        std::string line = printable(message);
        for (const label& one : labels) {
            line += ' ';
            line += one.name;
            line += '=';
            const bool plain = !one.text.empty() && one.text.find_first_of(" \"=") == std::string_view::npos;
            line += plain ? printable(one.text) : quoted(one.text);
        }
        return line;
    }
    /// Without the braces, which are the pattern's.
    static std::string members(std::string_view message, std::initializer_list<label> labels) {
        json line = {{"message", std::string(message)}};
        for (const label& one : labels) line[std::string(one.name)] = std::string(one.text);
        const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace);
        return text.substr(1, text.size() - 2);
    }
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
    log_format format_;
};

}  // namespace winnow::inline v0::cli
