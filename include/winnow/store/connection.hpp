// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/value.hpp"
#include "winnow/store/file_turns.hpp"
#include "winnow/store/rows.hpp"

namespace winnow::inline v0 {

/// One bound parameter: a value, or a set of key tuples. Borrows; lives for one call.
class parameter {
public:
    parameter(const value& v) : held_(&v) {}                         // NOLINT(google-explicit-constructor)
    parameter(value&& v) : held_(std::move(v)) {}                    // NOLINT(google-explicit-constructor)
    parameter(std::int64_t v) : held_(value(v)) {}                   // NOLINT(google-explicit-constructor)
    parameter(std::string_view v) : held_(value(std::string(v))) {}  // NOLINT(google-explicit-constructor)
    parameter(const char* v) : parameter(std::string_view(v)) {}     // NOLINT(google-explicit-constructor)
    parameter(bool v) : held_(value(v)) {}                           // NOLINT(google-explicit-constructor)
    parameter(null_value) : held_(value(null_value{})) {}            // NOLINT(google-explicit-constructor)
    parameter(const key_set& keys) : held_(&keys) {}                 // NOLINT(google-explicit-constructor)

    [[nodiscard]] const key_set* as_set() const noexcept {
        const auto* p = std::get_if<const key_set*>(&held_);
        return p == nullptr ? nullptr : *p;
    }
    /// Precondition: `as_set()` is null.
    [[nodiscard]] const value& as_value() const noexcept {
        if (const auto* p = std::get_if<const value*>(&held_)) return **p;
        return *std::get_if<value>(&held_);
    }

private:
    std::variant<value, const value*, const key_set*> held_;
};

/// Whether a transaction will write. On SQLite a writing one starts as a writer (S2).
enum class transaction_kind : unsigned char { read, write };

/// Bounds of one transaction's waits. Zero means: no bound.
struct transaction_limits {
    std::chrono::milliseconds lock_timeout{0};       ///< PostgreSQL: one wait for one lock (R8)
    std::chrono::milliseconds statement_timeout{0};  ///< one statement; on SQLite by interrupt
};

/// One session with one database, with the database's kind erased.
///
/// Not thread-safe; a connection is used by one thread at a time. All member functions throw
/// `winnow::error`; after a lost connection `usable()` is false and the object only serves to be destroyed.
class connection {
public:
    connection() = default;
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;
    virtual ~connection() = default;

    [[nodiscard]] virtual dialect kind() const noexcept = 0;
    /// What it is connected to, without any password; fit for logs.
    [[nodiscard]] virtual std::string description() const = 0;
    [[nodiscard]] virtual bool usable() const noexcept = 0;
    [[nodiscard]] virtual bool read_only() const = 0;

    /// Runs a constant statement, prepared once per connection and kept.
    virtual rows execute(std::string_view statement, std::span<const parameter> parameters) = 0;
    /// Runs a composed statement once, without keeping it.
    virtual rows execute_once(std::string_view statement, std::span<const parameter> parameters) = 0;
    /// Runs several statements separated by semicolons, without parameters.
    virtual void execute_script(std::string_view script) = 0;

    /// Starts a transaction: READ COMMITTED on PostgreSQL whatever the role's default (R1), IMMEDIATE
    /// for a writing one on SQLite.
    virtual void begin(transaction_kind kind, const transaction_limits& limits) = 0;
    /// Commits. Deferred constraints fail here with their name. A commit whose outcome is unknown is an
    /// error with `in_doubt()`. After any failed commit no transaction is open.
    virtual void commit() = 0;
    virtual void rollback() noexcept = 0;
    [[nodiscard]] virtual bool in_transaction() const noexcept = 0;

    /// Bounds the statements that follow; used inside a transaction.
    virtual void set_limits(const transaction_limits& limits) = 0;
    /// PostgreSQL: `deadlock_timeout` of the server; zero on SQLite.
    [[nodiscard]] virtual std::chrono::milliseconds deadlock_timeout() = 0;
    /// Ends the statement that runs at this moment, if one does: it fails like one that took too long. The only call
    /// that another thread may make while the connection is in use; it must exist until the call returns.
    virtual void interrupt() noexcept {}
    /// Host name and process id of this process, for lease owners.
    [[nodiscard]] virtual std::string session_name() const = 0;
    /// When others last had a turn, where there is one writer at a time. Of this object, whatever is behind it.
    [[nodiscard]] file_turns& turns() noexcept { return turns_; }

    rows execute(std::string_view statement, std::initializer_list<parameter> parameters = {}) {
        return execute(statement, std::span<const parameter>(parameters.begin(), parameters.size()));
    }
    rows execute_once(std::string_view statement, std::initializer_list<parameter> parameters) {
        return execute_once(statement, std::span<const parameter>(parameters.begin(), parameters.size()));
    }
    rows execute(const dialect_text& statement, std::initializer_list<parameter> parameters = {}) {
        return execute(statement[kind()], parameters);
    }
    rows execute(const dialect_text& statement, std::span<const parameter> parameters) {
        return execute(statement[kind()], parameters);
    }

private:
    file_turns turns_;
};

using connection_ptr = std::unique_ptr<connection>;

/// Opens connections to one database.
class connector {
public:
    connector() = default;
    connector(const connector&) = delete;
    connector& operator=(const connector&) = delete;
    virtual ~connector() = default;
    [[nodiscard]] virtual dialect kind() const noexcept = 0;
    /// The URL without its password.
    [[nodiscard]] virtual std::string description() const = 0;
    [[nodiscard]] virtual connection_ptr open() = 0;
};

}  // namespace winnow::inline v0
