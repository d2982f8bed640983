// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/core/error.hpp"

namespace winnow::inline v0::cli {

class environment;

/// One argument of a command, as `positional`, `option` and `flag` make it.
struct argument {
    std::string name;                    ///< `KEY`, `--in` or `--yes`
    std::string meaning;                 ///< for the help text
    std::string placeholder{};           ///< what stands for an option's value in the help text; empty for a flag
    std::vector<std::string> choices{};  ///< the only values allowed; empty: any
    bool required = false;
    bool many = false;  ///< positional only: one or more

    [[nodiscard]] bool is_positional() const noexcept { return !name.starts_with('-'); }
};

/// What has to be given: `KEY`.
[[nodiscard]] inline argument positional(std::string name, std::string meaning) {
    return {.name = std::move(name), .meaning = std::move(meaning), .required = true};
}
/// What may be given after the others.
[[nodiscard]] inline argument optional_positional(std::string name, std::string meaning) {
    return {.name = std::move(name), .meaning = std::move(meaning)};
}
/// One or more of them.
[[nodiscard]] inline argument positionals(std::string name, std::string meaning) {
    return {.name = std::move(name), .meaning = std::move(meaning), .required = true, .many = true};
}
/// `--in TIME`.
[[nodiscard]] inline argument option(std::string name, std::string placeholder, std::string meaning,
                                     std::vector<std::string> choices = {}) {
    return {.name = std::move(name),
            .meaning = std::move(meaning),
            .placeholder = std::move(placeholder),
            .choices = std::move(choices)};
}
/// `--yes`.
[[nodiscard]] inline argument flag(std::string name, std::string meaning) {
    return {.name = std::move(name), .meaning = std::move(meaning)};
}

/// The arguments that a command was given, by the names under which it declared them.
class given {
public:
    void add(std::string_view name, std::string text) { values_[std::string(name)].push_back(std::move(text)); }

    /// Whether it was given at all; for a flag: whether it is set.
    [[nodiscard]] bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
    /// Its text, or `otherwise`.
    [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise = {}) const {
        const auto found = values_.find(name);
        return found == values_.end() ? std::string(otherwise) : found->second.back();
    }
    /// The text of an option that names one thing, or nothing when it was not given.
    /// @throws error of kind `usage` for an empty text, as a variable of a shell that is not set gives: to a filter
    ///         it would mean everything
    [[nodiscard]] std::string id(std::string_view name) const {
        if (has(name) && text(name).empty())
            throw error(failure::usage, std::string(name) + " has to name something, and is empty.")
                .with_hint("Leave it out, or check the variable that it comes from.");
        return text(name);
    }
    /// Every value of an argument that may be given several times.
    [[nodiscard]] std::vector<std::string> all(std::string_view name) const {
        const auto found = values_.find(name);
        return found == values_.end() ? std::vector<std::string>{} : found->second;
    }
    /// A whole number of at least `least`, or nothing when it was not given.
    /// @throws error of kind `usage` for anything else
    [[nodiscard]] std::optional<std::int64_t> number(
        std::string_view name, std::int64_t least = std::numeric_limits<std::int64_t>::min()) const {
        if (!has(name)) return std::nullopt;
        const std::string digits = text(name);
        std::int64_t found = 0;
        const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), found);
        if (fault != std::errc{} || end != digits.data() + digits.size() || found < least) {
            throw error(failure::usage, std::string(name) + " takes a whole number" +
                                            (least > 0    ? " greater than 0"
                                             : least == 0 ? " that is not negative"
                                                          : "") +
                                            ", not `" + digits + "`.");
        }
        return found;
    }

private:
    std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

/// One command of a program: winnow's own are made of these, and an application adds its own in the same way.
struct command {
    std::string name;         ///< `plan`, or with its group `deletions list`
    std::string description;  ///< one line for the help text
    std::vector<argument> arguments{};
    /// Does the work. @return the exit code: 0 done, 1 refused or failed. Errors may be thrown.
    std::function<int(environment&, const given&)> run{};
    /// Where the silos have databases of their own and none was chosen, it is run in each of them.
    bool every_silo = false;
    /// It is run without plugins being loaded, and over the program's own models only.
    bool without_plugins = false;
};

}  // namespace winnow::inline v0::cli
