// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace winnow::inline v0 {

/// What kind of thing went wrong. Code that retries reads `may_retry()`, never this.
enum class failure : unsigned char {
    usage,          ///< the caller asked for something that makes no sense; nothing was done
    not_found,      ///< an object, a model or a scheduled deletion that does not exist
    availability,   ///< the silo mode of this process does not reach the model's silo
    configuration,  ///< a URL, an option, or winnow's own tables
    refused,        ///< a rule forbids it: `restrict`, a cap, an undeclared foreign key
    blocked,        ///< rows that will not go; a person has to look
    connection,     ///< the database cannot be reached or went away
    statement,      ///< the database rejected a statement
    hook,           ///< user code (hook, external task) failed
};

/// The root of all run-time errors.
///
/// One class with properties instead of a family of classes: retry code asks `may_retry()` and
/// `in_doubt()`, people read `what()` and `hint()`. Properties that do not apply are empty.
class error : public std::runtime_error {
public:
    error(failure kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}

    [[nodiscard]] failure kind() const noexcept { return kind_; }
    /// Key of the model concerned, as `tracker.Event`.
    [[nodiscard]] const std::string& model() const noexcept { return model_; }
    [[nodiscard]] const std::string& table() const noexcept { return table_; }
    [[nodiscard]] const std::string& constraint() const noexcept { return constraint_; }
    [[nodiscard]] const std::string& statement() const noexcept { return statement_; }
    /// SQLSTATE on PostgreSQL; on SQLite the name of the result code, as `SQLITE_BUSY`.
    [[nodiscard]] const std::string& sqlstate() const noexcept { return sqlstate_; }
    /// True when the same work may succeed if it is simply tried again.
    [[nodiscard]] bool may_retry() const noexcept { return may_retry_; }
    /// True when a commit was sent and its outcome is unknown: look it up, do not repeat it.
    [[nodiscard]] bool in_doubt() const noexcept { return in_doubt_; }
    /// What to do about it, one sentence.
    [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

    error& with_model(std::string_view text) {
        model_ = text;
        return *this;
    }
    error& with_table(std::string_view text) {
        table_ = text;
        return *this;
    }
    error& with_constraint(std::string_view text) {
        constraint_ = text;
        return *this;
    }
    error& with_statement(std::string_view text) {
        statement_ = text;
        return *this;
    }
    error& with_sqlstate(std::string_view text) {
        sqlstate_ = text;
        return *this;
    }
    error& with_retry(bool yes) {
        may_retry_ = yes;
        return *this;
    }
    error& with_doubt(bool yes) {
        in_doubt_ = yes;
        return *this;
    }
    error& with_hint(std::string_view text) {
        hint_ = text;
        return *this;
    }

private:
    failure kind_;
    bool may_retry_ = false;
    bool in_doubt_ = false;
    std::string model_;
    std::string table_;
    std::string constraint_;
    std::string statement_;
    std::string sqlstate_;
    std::string hint_;
};

/// A model was used in a process whose silo mode does not reach the model's silo. Nothing was written.
class availability_error : public error {
public:
    explicit availability_error(const std::string& what) : error(failure::availability, what) {}
};

}  // namespace winnow::inline v0
