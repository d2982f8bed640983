// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sqlite3.h>

#include "winnow/core/error.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/foreign_keys.hpp"
#include "winnow/store/open.hpp"
#include "winnow/store/session_name.hpp"
#include "winnow/store/set_text.hpp"
#include "winnow/store/sqlite_codes.hpp"
#include "winnow/store/sqlite_options.hpp"
#include "winnow/store/text_hash.hpp"

namespace winnow::inline v0 {

namespace detail {

struct sqlite_closer {
    void operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
};
struct sqlite_finalizer {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};
struct sqlite_resetter {
    void operator()(sqlite3_stmt* statement) const noexcept {
        sqlite3_reset(statement);
        sqlite3_clear_bindings(statement);
    }
};
using sqlite_statement = std::unique_ptr<sqlite3_stmt, sqlite_finalizer>;

/// What SQLite says about its last failure, as an error of ours.
[[nodiscard]] inline error sqlite_error(sqlite3* database, int code, const std::string& description,
                                        std::string_view statement) {
    const int primary = code & 0xFF;
    const std::string message = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
    const bool lost = primary == SQLITE_CANTOPEN || primary == SQLITE_NOTADB || primary == SQLITE_CORRUPT ||
                      primary == SQLITE_IOERR || primary == SQLITE_NOMEM;
    error out(lost ? failure::connection : failure::statement, description + ": " + message);
    out.with_sqlstate(sqlite_code_name(code)).with_statement(statement).with_hint(sqlite_hint(primary));
    if (message.starts_with("no such table") || message.starts_with("no such column"))
        out.with_hint(message.find("winnow_") != std::string::npos
                          ? "One of winnow's own tables is gone or changed: restore it from the output of ddl."
                          : "Compare the models with the live schema: run check.");
    out.with_retry(primary == SQLITE_BUSY || primary == SQLITE_LOCKED || primary == SQLITE_INTERRUPT ||
                   primary == SQLITE_PROTOCOL);
    if (primary == SQLITE_CONSTRAINT) {
        // "UNIQUE constraint failed: table.column" is the only place where the table is named.
        const std::size_t colon = message.find("constraint failed: ");
        if (colon != std::string::npos) {
            const std::string name = message.substr(colon + 19);
            const std::size_t dot = name.find('.');
            out.with_constraint(name);
            if (dot != std::string::npos) out.with_table(name.substr(0, dot));
        }
    }
    return out;
}

}  // namespace detail

/// One session with one SQLite file. Opened with foreign keys on (read back, S1), write-ahead logging and
/// a busy time-out; writing transactions start as writers (S2).
class sqlite_connection final : public connection {
public:
    /// \throws error(failure::connection) when the file cannot be opened or is no database;
    ///         error(failure::refused) when SQLite does not enforce foreign keys.
    explicit sqlite_connection(const sqlite_options& options) : description_("sqlite:" + options.path) {
        if (sqlite3_libversion_number() < oldest_version) {
            throw error(failure::configuration,
                        "SQLite " + std::string(sqlite3_libversion()) + " is too old; 3.37 is needed");
        }
        open_file(options);
        sqlite3_busy_timeout(database_.get(), static_cast<int>(options.busy_timeout.count()));
        execute_script("PRAGMA foreign_keys = ON");
        check_foreign_keys();
        // Reads the header, so that a file that is no database fails here and not in the middle of work.
        (void)execute_once("PRAGMA schema_version", {});
        if (!read_only()) log_ahead();
        keep_more_in_memory();
    }

    [[nodiscard]] dialect kind() const noexcept override { return dialect::sqlite; }
    [[nodiscard]] std::string description() const override { return description_; }
    [[nodiscard]] bool usable() const noexcept override { return usable_; }
    [[nodiscard]] bool read_only() const override { return sqlite3_db_readonly(database_.get(), "main") == 1; }

    using connection::execute;
    using connection::execute_once;

    rows execute(std::string_view statement, std::span<const parameter> parameters) override {
        auto found = statements_.find(statement);
        if (found == statements_.end()) {
            if (statements_.size() >= kept_statements) statements_.clear();
            found = statements_.emplace(std::string(statement), prepare(statement, SQLITE_PREPARE_PERSISTENT)).first;
        }
        return run(found->second.get(), statement, parameters);
    }

    rows execute_once(std::string_view statement, std::span<const parameter> parameters) override {
        const detail::sqlite_statement prepared = prepare(statement, 0);
        return run(prepared.get(), statement, parameters);
    }

    void execute_script(std::string_view script) override {
        require_open_transaction(script);
        const std::string text(script);
        start_clock();
        const int code = sqlite3_exec(database_.get(), text.c_str(), nullptr, nullptr, nullptr);
        if (code != SQLITE_OK) throw failed(script);
    }

    void begin(transaction_kind kind, const transaction_limits& limits) override {
        if (in_transaction()) throw error(failure::usage, description_ + ": a transaction is open already");
        if (kind == transaction_kind::write) {
            if (read_only()) {
                throw error(failure::refused, description_ + " is open for reading only")
                    .with_sqlstate("SQLITE_READONLY")
                    .with_hint(detail::sqlite_hint(SQLITE_READONLY));
            }
            check_foreign_keys();
        }
        set_limits({});
        (void)execute(kind == transaction_kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
        begun_ = true;
        set_limits(limits);
    }

    void commit() override {
        require_open_transaction("COMMIT");
        if (!begun_) throw error(failure::usage, description_ + ": no transaction is open");
        set_limits({});
        try {
            (void)execute("COMMIT");
        } catch (error& problem) {
            if (problem.sqlstate() == "SQLITE_CONSTRAINT_FOREIGNKEY") {
                set_limits({.statement_timeout = std::chrono::seconds{2}});  // the look reads whole tables
                name_dangling_reference(*this, problem);
            }
            rollback();  // a refused commit leaves the transaction open and the file locked (S3)
            throw;
        }
        begun_ = false;
    }

    void rollback() noexcept override {
        begun_ = false;
        set_limits({});
        // SQLITE_FULL and others roll back by themselves; a second ROLLBACK would be an error (S4).
        if (!in_transaction()) return;
        sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
        if (in_transaction()) usable_ = false;
    }

    /// False as soon as SQLite has rolled the transaction back, whoever asked for it.
    [[nodiscard]] bool in_transaction() const noexcept override {
        return database_ != nullptr && sqlite3_get_autocommit(database_.get()) == 0;
    }

    /// Only `statement_timeout` means something here: a statement is interrupted when it is over.
    void set_limits(const transaction_limits& limits) noexcept override {
        limit_ = limits.statement_timeout;
        if (limit_.count() > 0) {
            sqlite3_progress_handler(database_.get(), instructions_between_looks, &sqlite_connection::is_late, this);
        } else {
            sqlite3_progress_handler(database_.get(), 0, nullptr, nullptr);
        }
    }

    [[nodiscard]] std::chrono::milliseconds deadlock_timeout() override { return std::chrono::milliseconds{0}; }
    void interrupt() noexcept override { sqlite3_interrupt(database_.get()); }
    [[nodiscard]] std::string session_name() const override { return session_name_of_process(); }

private:
    static constexpr int oldest_version = 3'037'000;  // RETURNING, pragma_table_list
    static constexpr std::size_t kept_statements = 1'000;
    static constexpr int instructions_between_looks = 2'000;

    static int is_late(void* self) {
        return std::chrono::steady_clock::now() > static_cast<const sqlite_connection*>(self)->deadline_ ? 1 : 0;
    }

    void open_file(const sqlite_options& options) {
        int flags = SQLITE_OPEN_NOMUTEX;
        switch (options.mode) {
            case sqlite_mode::read_only: flags |= SQLITE_OPEN_READONLY; break;
            case sqlite_mode::read_write: flags |= SQLITE_OPEN_READWRITE; break;
            case sqlite_mode::create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE; break;
        }
        std::string name = options.path;
        if (options.immutable) {
            flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
            name = "file:";
            for (const char c : options.path) {
                if (c == '%') name += "%25";
                else if (c == '?') name += "%3f";
                else if (c == '#') name += "%23";
                else name += c;
            }
            name += "?immutable=1";
        }
        sqlite3* opened = nullptr;
        const int code = sqlite3_open_v2(name.c_str(), &opened, flags, nullptr);
        database_.reset(opened);
        if (code != SQLITE_OK) throw detail::sqlite_error(opened, code, description_, {});
        sqlite3_extended_result_codes(opened, 1);
    }

    /// Readers then never wait for the writer. The switch needs the file alone for a moment; when another
    /// process has it, that one switches or the next connection does: only speed depends on it.
    void log_ahead() {
        const std::string mode = execute_once("PRAGMA journal_mode", {}).text(0, 0);
        if (mode != "delete" && mode != "truncate" && mode != "persist") return;
        try {
            (void)execute_once("PRAGMA journal_mode = WAL", {});
        } catch (const error& problem) {
            if (!problem.may_retry()) throw;
        }
    }

    /// Sets of rows lie all over the indices of a large table. With what SQLite takes by itself, 2 MB of cache and a
    /// checkpoint for each 4 MB of log, the same pages are read and written several times a transaction.
    void keep_more_in_memory() {
        (void)execute_once("PRAGMA cache_size = -8000", {});
        (void)execute_once("PRAGMA wal_autocheckpoint = 4000", {});
    }

    void check_foreign_keys() const {
        int enforced = 0;
        sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_ENABLE_FKEY, -1, &enforced);
        if (enforced == 1) return;
        throw error(failure::refused, description_ + ": foreign keys are not enforced on this connection (S1)")
            .with_hint("Link a SQLite that is built with foreign keys, and leave PRAGMA foreign_keys alone.");
    }

    /// SQLite may end a transaction by itself (S4). What follows would then commit one by one.
    void require_open_transaction(std::string_view statement) const {
        if (!begun_ || in_transaction()) return;
        throw error(failure::statement, description_ + ": SQLite has rolled this transaction back after an error")
            .with_statement(statement)
            .with_sqlstate("SQLITE_ABORT")
            .with_hint("Roll back and start the transaction again.");
    }

    void start_clock() noexcept {
        if (limit_.count() > 0) deadline_ = std::chrono::steady_clock::now() + limit_;
    }

    [[nodiscard]] error failed(std::string_view statement) const {
        return detail::sqlite_error(database_.get(), sqlite3_extended_errcode(database_.get()), description_,
                                    statement);
    }

    [[nodiscard]] detail::sqlite_statement prepare(std::string_view statement, unsigned flags) {
        sqlite3_stmt* made = nullptr;
        const char* rest = nullptr;
        const int code = sqlite3_prepare_v3(database_.get(), statement.data(), static_cast<int>(statement.size()),
                                            flags, &made, &rest);
        detail::sqlite_statement prepared(made);
        if (code != SQLITE_OK) throw failed(statement);
        const std::string_view tail(rest, static_cast<std::size_t>(statement.data() + statement.size() - rest));
        if (made == nullptr || tail.find_first_not_of("; \t\r\n") != std::string_view::npos) {
            throw error(failure::usage, description_ + ": exactly one statement is expected").with_statement(statement);
        }
        return prepared;
    }

    /// Number of the parameter that belongs in a place. `$2` is the second one, as on PostgreSQL; to SQLite it is
    /// a name like any other, and names get their places in the order of their first use.
    [[nodiscard]] static std::size_t parameter_at(sqlite3_stmt* prepared, int place) noexcept {
        const char* const name = sqlite3_bind_parameter_name(prepared, place);
        if (name == nullptr || *name != '$') return static_cast<std::size_t>(place);
        std::size_t number = 0;
        const char* const end = name + std::char_traits<char>::length(name);
        const bool numbered = std::from_chars(name + 1, end, number).ptr == end && number != 0;
        return numbered ? number : static_cast<std::size_t>(place);
    }

    void bind(sqlite3_stmt* prepared, int index, const parameter& given, std::string_view statement) {
        const auto bind_text = [&](std::string_view text, sqlite3_destructor_type lifetime) {
            return sqlite3_bind_text64(prepared, index, text.data() == nullptr ? "" : text.data(), text.size(),
                                       lifetime, SQLITE_UTF8);
        };
        int code = SQLITE_OK;
        if (const key_set* keys = given.as_set()) {
            code = bind_text(json_array_text(*keys), SQLITE_TRANSIENT);
        } else if (const value& v = given.as_value(); const auto* integer = std::get_if<std::int64_t>(&v)) {
            code = sqlite3_bind_int64(prepared, index, *integer);
        } else if (const auto* real = std::get_if<double>(&v)) {
            code = sqlite3_bind_double(prepared, index, *real);
        } else if (const auto* boolean = std::get_if<bool>(&v)) {
            code = sqlite3_bind_int(prepared, index, *boolean ? 1 : 0);
        } else if (const auto* text = std::get_if<std::string>(&v)) {
            code = bind_text(*text, SQLITE_STATIC);
        } else {
            code = sqlite3_bind_null(prepared, index);
        }
        if (code != SQLITE_OK) throw failed(statement);
    }

    rows run(sqlite3_stmt* prepared, std::string_view statement, std::span<const parameter> parameters) {
        require_open_transaction(statement);
        const int places = sqlite3_bind_parameter_count(prepared);
        std::size_t expected = 0;
        for (int place = 1; place <= places; ++place) expected = std::max(expected, parameter_at(prepared, place));
        if (expected != parameters.size()) {
            throw error(failure::usage, description_ + ": the statement takes " + std::to_string(expected) +
                                            " parameters and got " + std::to_string(parameters.size()))
                .with_statement(statement);
        }
        const std::unique_ptr<sqlite3_stmt, detail::sqlite_resetter> scope(prepared);
        for (int place = 1; place <= places; ++place) {
            bind(prepared, place, parameters[parameter_at(prepared, place) - 1], statement);
        }
        start_clock();
        std::vector<value> cells;
        int code = sqlite3_step(prepared);
        const int width = sqlite3_column_count(prepared);
        for (; code == SQLITE_ROW; code = sqlite3_step(prepared)) {
            for (int column = 0; column < width; ++column) cells.push_back(read(prepared, column));
        }
        if (code != SQLITE_DONE) throw failed(statement);
        const std::int64_t affected = sqlite3_stmt_readonly(prepared) != 0 ? 0 : sqlite3_changes64(database_.get());
        return rows(static_cast<std::size_t>(width), std::move(cells), affected);
    }

    [[nodiscard]] static value read(sqlite3_stmt* prepared, int column) {
        switch (sqlite3_column_type(prepared, column)) {
            case SQLITE_INTEGER: return static_cast<std::int64_t>(sqlite3_column_int64(prepared, column));
            case SQLITE_FLOAT: return sqlite3_column_double(prepared, column);
            case SQLITE_NULL: return null_value{};
            default: break;
        }
        // Text too is taken as bytes: the encoding is UTF-8 in both, and nothing is converted.
        const bool is_text = sqlite3_column_type(prepared, column) == SQLITE_TEXT;
        const void* bytes = is_text ? static_cast<const void*>(sqlite3_column_text(prepared, column))
                                    : sqlite3_column_blob(prepared, column);
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(prepared, column));
        return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
    }

    std::string description_;
    std::unique_ptr<sqlite3, detail::sqlite_closer> database_;
    text_table<detail::sqlite_statement> statements_;
    std::chrono::milliseconds limit_{0};
    std::chrono::steady_clock::time_point deadline_;
    bool begun_ = false;
    bool usable_ = true;
};

/// Opens connections to one SQLite file.
class sqlite_connector final : public connector {
public:
    explicit sqlite_connector(sqlite_options options) : options_(std::move(options)) {}

    [[nodiscard]] dialect kind() const noexcept override { return dialect::sqlite; }
    [[nodiscard]] std::string description() const override { return "sqlite:" + options_.path; }
    [[nodiscard]] connection_ptr open() override { return std::make_unique<sqlite_connection>(options_); }
    [[nodiscard]] const sqlite_options& options() const noexcept { return options_; }

private:
    sqlite_options options_;
};

/// Driver of `sqlite:` URLs, for `open_connector`.
inline constexpr driver sqlite_driver{{"sqlite", ""}, [](std::string_view url) -> connector_ptr {
                                          return std::make_unique<sqlite_connector>(parse_sqlite_url(url));
                                      }};

}  // namespace winnow::inline v0
