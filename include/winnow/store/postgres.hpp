// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/open.hpp"
#include "winnow/store/postgres_library.hpp"
#include "winnow/store/postgres_message.hpp"
#include "winnow/store/postgres_options.hpp"
#include "winnow/store/postgres_text.hpp"
#include "winnow/store/session_name.hpp"
#include "winnow/store/silence_watch.hpp"
#include "winnow/store/set_text.hpp"
#include "winnow/store/text_hash.hpp"

namespace winnow::inline v0 {

namespace detail {

inline void add_parameter(pqxx_version::bound_parameters& out, const parameter& given) {
    if (const key_set* keys = given.as_set()) {
        for (std::size_t column = 0; column < keys->width(); ++column) out.add(array_text(*keys, column));
    } else if (is_null(given.as_value())) {
        out.add_null();
    } else {
        out.add(parameter_text(given.as_value()));
    }
}

}  // namespace detail

/// One session with a PostgreSQL server.
///
/// Transactions are begun and committed by statements of our own, so that a commit whose answer never
/// came is known as such. Session settings are made once and read back (section 1 of the rules).
class postgres_connection final : public connection {
public:
    /// \throws error(failure::connection) when the server cannot be reached or refuses the login;
    ///         error(failure::configuration) when a session setting does not hold.
    explicit postgres_connection(const postgres_options& options) : description_(redacted(options.url)) {
        try {
            session_ = std::make_unique<pqxx::connection>(with_connection_defaults(options.url));
            pqxx_version::speak_verbosely(*session_);
            answers_.watch(session_->sock(), options.answer_timeout);
            work_ = std::make_unique<pqxx::nontransaction>(*session_);
        } catch (const std::exception& problem) {
            std::string why = problem.what();
            std::replace_if(why.begin(), why.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
            why.erase(why.find_last_not_of(' ') + 1);
            throw error(failure::connection, "cannot connect to " + description_ + ": " + why)
                .with_sqlstate("08001")
                .with_retry(true)
                .with_hint("Check that the server runs, and the host, database, user and password of the URL.");
        }
        apply_settings(options);
        const rows facts =
            execute_once("SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean, "
                         "(SELECT setting::bigint FROM pg_settings WHERE name = 'deadlock_timeout')",
                         {});
        read_only_ = facts.integer(0, 0) != 0;
        deadlock_timeout_ = std::chrono::milliseconds{facts.integer(0, 1)};
    }

    [[nodiscard]] dialect kind() const noexcept override { return dialect::postgres; }
    [[nodiscard]] std::string description() const override { return description_; }
    [[nodiscard]] bool usable() const noexcept override { return !lost_ && session_->is_open(); }
    /// A standby, or a role whose transactions are read-only by default.
    [[nodiscard]] bool read_only() const override { return read_only_; }

    using connection::execute;
    using connection::execute_once;

    rows execute(std::string_view statement, std::span<const parameter> parameters) override {
        const pqxx_version::bound_parameters given = bound(parameters);
        return guarded(statement, [&] {
            auto found = prepared_.find(statement);
            if (found == prepared_.end()) {
                if (prepared_.size() >= kept_statements)
                    return pqxx_version::run(*work_, std::string(statement), given);
                const std::string name = "winnow_" + std::to_string(++names_given_);
                session_->prepare(name, std::string(statement));
                found = prepared_.emplace(statement, name).first;
            }
            return pqxx_version::run_prepared(*work_, found->second, given);
        });
    }

    rows execute_once(std::string_view statement, std::span<const parameter> parameters) override {
        const pqxx_version::bound_parameters given = bound(parameters);
        return guarded(statement, [&] { return pqxx_version::run(*work_, std::string(statement), given); });
    }

    void execute_script(std::string_view script) override {
        (void)guarded(script, [&] { return work_->exec(std::string(script)); });
    }

    void begin(transaction_kind kind, const transaction_limits& limits) override {
        if (open_) throw error(failure::usage, description_ + ": a transaction is open already");
        std::string text = "BEGIN ISOLATION LEVEL READ COMMITTED";
        if (kind == transaction_kind::read) text += " READ ONLY";
        answers_.expect(limits.statement_timeout);
        open_ = true;  // from the first word on: a limit that the server refuses leaves a failed transaction
        writes_ = kind == transaction_kind::write;
        try {
            execute_script(text + "; " + detail::limits_statement(limits));
        } catch (...) {
            rollback();
            throw;
        }
    }

    void commit() override {
        if (!open_) throw error(failure::usage, description_ + ": no transaction is open");
        try {
            // A COMMIT of a failed transaction rolls back and reports success; this statement fails there.
            if (writes_) execute_script("SET CONSTRAINTS ALL IMMEDIATE");
        } catch (const error&) {
            rollback();
            throw;
        }
        open_ = false;
        answers_.expect({});
        try {
            execute_script("COMMIT");
        } catch (error& problem) {
            if (!usable()) {
                throw error(failure::connection, description_ + ": the connection was lost while COMMIT was under way" +
                                                     (answers_.broken() ? "; " + answers_.text() : std::string()))
                    .with_sqlstate(problem.sqlstate())
                    .with_statement("COMMIT")
                    .with_doubt(writes_)
                    .with_retry(!writes_)
                    .with_hint("The commit may have happened: look it up before doing the work again.");
            }
            open_ = true;
            rollback();
            throw;
        }
    }

    void rollback() noexcept override {
        if (!std::exchange(open_, false) || !usable()) return;
        answers_.expect({});
        answers_.begin();
        try {
            work_->exec("ROLLBACK");
        } catch (...) {
            lost_ = true;
        }
        if (answers_.end()) lost_ = true;
    }

    [[nodiscard]] bool in_transaction() const noexcept override { return open_ && usable(); }

    void set_limits(const transaction_limits& limits) override {
        execute_script(detail::limits_statement(limits));
        answers_.expect(limits.statement_timeout);
    }

    [[nodiscard]] std::chrono::milliseconds deadlock_timeout() override { return deadlock_timeout_; }
    void interrupt() noexcept override {
        try {
            session_->cancel_query();
        } catch (const std::exception&) {}  // it cannot be asked; then its answer does not come either
    }
    [[nodiscard]] std::string session_name() const override { return session_name_of_process(); }

private:
    static constexpr std::size_t kept_statements = 1'000;

    /// Sets and reads back what correctness depends on; a pooler that swallows settings is noticed here.
    void apply_settings(const postgres_options& options) {
        const std::array<std::pair<std::string_view, std::string>, 7> settings{{
            {"row_security", "off"},  // a policy that hides rows is an error instead of a short answer
            {"standard_conforming_strings", "on"},
            {"client_encoding", "UTF8"},
            {"bytea_output", "hex"},
            {"extra_float_digits", "1"},
            {"client_min_messages", "error"},
            {"idle_in_transaction_session_timeout", std::to_string(options.idle_in_transaction_timeout.count()) + "ms"},
        }};
        for (const auto& [name, text] : settings)
            (void)execute_once("SELECT set_config($1, $2, false)", {name, std::string_view(text)});
        const rows held =
            execute_once("SELECT current_setting('row_security'), (SELECT setting FROM pg_settings WHERE name = "
                         "'idle_in_transaction_session_timeout')",
                         {});
        if (held.text(0, 0) != "off" ||
            held.text(0, 1) != std::to_string(options.idle_in_transaction_timeout.count())) {
            throw error(failure::configuration, description_ + ": the server does not keep this session's settings")
                .with_hint(
                    "Connect to the server itself, or let the pooler keep one server session per client session.");
        }
        if (session_->server_version() < 140'000) return;
        try {
            (void)execute_once("SELECT set_config('client_connection_check_interval', $1, false)",
                               {std::string_view(std::to_string(options.connection_check_interval.count()))});
        } catch (const error& problem) {
            if (!usable()) throw;  // else: a platform that cannot look; nothing depends on it
            (void)problem;
        }
    }

    [[nodiscard]] static pqxx_version::bound_parameters bound(std::span<const parameter> parameters) {
        pqxx_version::bound_parameters given;
        for (const parameter& each : parameters) detail::add_parameter(given, each);
        return given;
    }

    /// Runs, reads the answer to its end, and turns every exception into an error of ours.
    template <class Run> rows guarded(std::string_view statement, Run&& run) {
        if (!usable()) throw lost(statement, {}, "the connection was lost earlier");
        answers_.begin();
        try {
            const pqxx::result answer = run();
            // An answer that came just after its time came through a session that has been ended since.
            if (answers_.end()) throw lost(statement, {}, answers_.text());
            return read(answer, statement);
        } catch (const error&) {
            throw;
        } catch (const std::exception& problem) {
            if (answers_.end()) throw lost(statement, {}, answers_.text());
            throw translated(problem, statement);
        }
    }

    [[nodiscard]] static rows read(const pqxx::result& result, std::string_view statement) {
        const auto width = static_cast<int>(result.columns());
        const auto height = static_cast<int>(result.size());
        std::vector<std::uint32_t> types;
        for (int column = 0; column < width; ++column) {
            types.push_back(static_cast<std::uint32_t>(result.column_type(column)));
        }
        std::vector<value> cells;
        cells.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
        for (int row = 0; row < height; ++row) {
            for (int column = 0; column < width; ++column) {
                const auto line = result[static_cast<pqxx::result::size_type>(row)];
                if (line[static_cast<pqxx::row::size_type>(column)].is_null()) {
                    cells.emplace_back(null_value{});
                } else {
                    cells.push_back(detail::read_cell(pqxx_version::bytes_of(result, row, column),
                                                      types[static_cast<std::size_t>(column)]));
                }
            }
        }
        // The server counts rows read as well; a reader has affected none.
        const bool reads = statement.starts_with("SELECT") || statement.starts_with("select");
        const std::int64_t affected = reads ? 0 : static_cast<std::int64_t>(result.affected_rows());
        return rows(static_cast<std::size_t>(width), std::move(cells), affected);
    }

    [[nodiscard]] error lost(std::string_view statement, std::string_view sqlstate, const std::string& why) {
        lost_ = true;
        answers_.forget();
        error gone(failure::connection, description_ + ": " + why);
        gone.with_statement(statement).with_sqlstate(sqlstate.empty() ? "08006" : sqlstate).with_retry(true);
        gone.with_hint(answers_.hint());
        return gone;
    }

    [[nodiscard]] error translated(const std::exception& problem, std::string_view statement) {
        postgres_message message = read_postgres_message(problem.what());
        if (const auto* from_server = dynamic_cast<const pqxx::sql_error*>(&problem)) {
            if (!from_server->sqlstate().empty()) message.sqlstate = from_server->sqlstate();
        }
        if (ends_session(message.sqlstate) || !session_->is_open()) {
            return lost(statement, message.sqlstate, "the connection was lost: " + message.text);
        }
        error out(failure::statement, description_ + ": " + message.text);
        out.with_statement(statement).with_sqlstate(message.sqlstate).with_table(message.table);
        out.with_constraint(message.constraint).with_retry(may_retry_sqlstate(message.sqlstate));
        out.with_hint(postgres_hint(message.sqlstate));
        const bool missing = message.sqlstate == "42P01" || message.sqlstate == "42703";
        if (missing && message.text.find("winnow_") != std::string::npos)
            out.with_hint("One of winnow's own tables is gone or changed: restore it from the output of ddl.");
        return out;
    }

    std::string description_;
    std::unique_ptr<pqxx::connection> session_;
    std::unique_ptr<pqxx::nontransaction> work_;
    answer_bound answers_;
    text_table<std::string> prepared_;
    std::uint64_t names_given_ = 0;
    std::chrono::milliseconds deadlock_timeout_{0};
    bool read_only_ = false;
    bool lost_ = false;
    bool open_ = false;
    bool writes_ = false;
};

/// Opens connections to one PostgreSQL database.
class postgres_connector final : public connector {
public:
    explicit postgres_connector(postgres_options options) : options_(std::move(options)) {}

    [[nodiscard]] dialect kind() const noexcept override { return dialect::postgres; }
    [[nodiscard]] std::string description() const override { return redacted(options_.url); }
    [[nodiscard]] connection_ptr open() override { return std::make_unique<postgres_connection>(options_); }
    [[nodiscard]] const postgres_options& options() const noexcept { return options_; }

private:
    postgres_options options_;
};

/// Driver of `postgresql:` and `postgres:` URLs, for `open_connector`.
inline constexpr driver postgres_driver{{"postgresql", "postgres"}, [](std::string_view url) -> connector_ptr {
                                            return std::make_unique<postgres_connector>(parse_postgres_url(url));
                                        }};

}  // namespace winnow::inline v0
