// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "winnow/core/error.hpp"
#include "winnow/store/connection.hpp"

namespace winnow::inline v0 {

/// How a transaction ended.
enum class outcome : unsigned char {
    open,         ///< it has not ended
    committed,    ///< the database said so
    rolled_back,  ///< nothing of it is left
    in_doubt,     ///< the commit was sent and no answer came: look up what it wrote
};

/// One transaction as a scope: rolled back when the scope is left without `commit()`.
///
/// The connection must outlive it, and no other transaction may be open on it.
class transaction {
public:
    /// Begins. \throws error as `connection::begin`.
    explicit transaction(connection& session, transaction_kind kind = transaction_kind::write,
                         const transaction_limits& limits = {})
        : session_(session) {
        session_.begin(kind, limits);
    }
    transaction(const transaction&) = delete;
    transaction& operator=(const transaction&) = delete;
    ~transaction() { rollback(); }

    /// Commits; `state()` tells the outcome, whether it throws or not.
    /// \throws error as `connection::commit`; `in_doubt()` when the outcome is unknown.
    void commit() {
        if (state_ != outcome::open) throw error(failure::usage, "this transaction has ended already");
        try {
            session_.commit();
        } catch (const error& problem) {
            state_ = problem.in_doubt() ? outcome::in_doubt : outcome::rolled_back;
            throw;
        }
        state_ = outcome::committed;
    }

    /// Rolls back if it is still open; does nothing otherwise.
    void rollback() noexcept {
        if (state_ != outcome::open) return;
        session_.rollback();
        state_ = outcome::rolled_back;
    }

    [[nodiscard]] outcome state() const noexcept { return state_; }
    [[nodiscard]] connection& session() const noexcept { return session_; }

private:
    connection& session_;
    outcome state_ = outcome::open;
};

namespace detail {

/// Joins the transaction that is open on a connection, or opens one of its own.
class joined_transaction {
public:
    explicit joined_transaction(connection& database) {
        if (!database.in_transaction()) own_.emplace(database);
    }
    void commit() {
        if (own_) own_->commit();
    }

    /// Whether it was opened here: what comes after a commit is the caller's affair otherwise.
    [[nodiscard]] bool own() const noexcept { return own_.has_value(); }

private:
    std::optional<transaction> own_;
};

}  // namespace detail

}  // namespace winnow::inline v0
