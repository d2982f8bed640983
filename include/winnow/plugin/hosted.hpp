// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/abi/host.h"
#include "winnow/core/dialect.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/delivery.hpp"
#include "winnow/plan/value.hpp"
#include "winnow/plugin/values.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/rows.hpp"

// The plugin's side: what the host offers, in the form that handlers of a linked model know.

namespace winnow::inline v0::detail {

/// An error of the host on its way through the plugin. When it reaches the host again, the host takes up its own error
/// where it left it.
class host_failure final : public error {
public:
    explicit host_failure(const winnow_host_error& met) : error(kind_of(met.kind), std::string(from_abi(met.text))) {
        with_model(from_abi(met.model));
        with_table(from_abi(met.table));
        with_constraint(from_abi(met.constraint));
        with_statement(from_abi(met.statement));
        with_sqlstate(from_abi(met.sqlstate));
        with_hint(from_abi(met.hint));
        with_retry(met.may_retry != 0);
        with_doubt(met.in_doubt != 0);
    }

    [[noreturn]] static void raise(const winnow_host_error* met) {
        if (met != nullptr) throw host_failure(*met);
        throw host_failure(winnow_host_error{});
    }

private:
    [[nodiscard]] static failure kind_of(std::uint32_t kind) noexcept {
        return kind >= WINNOW_ERROR_USAGE && kind <= WINNOW_ERROR_HOOK ? static_cast<failure>(kind - 1)
                                                                       : failure::statement;
    }
};

/// Hands what is being handled to the host as text; what came from the host goes back without one.
inline winnow_status report_failure(const winnow_host_call& call) noexcept {
    try {
        throw;
    } catch (const host_failure&) {
    } catch (const std::exception& thrown) {
        call.set_error(&call, to_abi(std::string_view(thrown.what())));
    } catch (...) {
        call.set_error(&call, to_abi(std::string_view("something was thrown that is no std::exception")));
    }
    return WINNOW_FAILED;
}

/// The target's database, within the transaction that the host opened.
class hosted_connection final : public connection {
public:
    explicit hosted_connection(const winnow_host_connection& host) : host_(host) {}

    [[nodiscard]] dialect kind() const noexcept override {
        return host_.sqlite != 0 ? dialect::sqlite : dialect::postgres;
    }
    [[nodiscard]] std::string description() const override { return std::string(from_abi(host_.description)); }
    [[nodiscard]] bool usable() const noexcept override { return usable_; }
    [[nodiscard]] bool read_only() const override { return false; }
    [[nodiscard]] bool in_transaction() const noexcept override { return true; }
    [[nodiscard]] std::string session_name() const override { return std::string(from_abi(host_.session_name)); }

    using connection::execute;
    using connection::execute_once;
    rows execute(std::string_view statement, std::span<const parameter> parameters) override {
        return run(WINNOW_EXECUTE_PREPARED, statement, parameters);
    }
    rows execute_once(std::string_view statement, std::span<const parameter> parameters) override {
        return run(WINNOW_EXECUTE_ONCE, statement, parameters);
    }
    void execute_script(std::string_view script) override { (void)run(WINNOW_EXECUTE_SCRIPT, script, {}); }

    void begin(transaction_kind, const transaction_limits&) override { refuse(); }
    void commit() override { refuse(); }
    /// Does nothing: the host rolls back when the work throws.
    void rollback() noexcept override {}

    void set_limits(const transaction_limits& limits) override {
        check(host_.set_limits(&host_, limits.lock_timeout.count(), limits.statement_timeout.count()));
    }
    [[nodiscard]] std::chrono::milliseconds deadlock_timeout() override {
        if (kind() == dialect::sqlite) return std::chrono::milliseconds(0);
        const rows set = execute("SELECT setting::bigint FROM pg_settings WHERE name = 'deadlock_timeout'");
        return std::chrono::milliseconds(set.integer(0, 0));
    }

private:
    [[noreturn]] static void refuse() {
        throw error(failure::usage, "A handler writes within the transaction that it was given.")
            .with_hint("Leave beginning and ending it to `in_target`, or call `in_target` several times.");
    }
    void check(winnow_status status) {
        if (status == WINNOW_OK) return;
        const winnow_host_error* met = host_.last_error(&host_);
        usable_ = usable_ && (met == nullptr || met->kind != WINNOW_ERROR_CONNECTION);
        host_failure::raise(met);
    }
    rows run(std::uint32_t how, std::string_view statement, std::span<const parameter> parameters) {
        // Sets are pointed to by parameters, so neither list may move while it is made.
        std::vector<winnow_value> values(parameters.size());
        std::vector<std::vector<winnow_value>> members(parameters.size());
        std::vector<winnow_key_set> sets(parameters.size());
        std::vector<winnow_parameter> given(parameters.size());
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (const key_set* set = parameters[i].as_set()) {
                members[i] = to_abi(set->values());
                sets[i] = {members[i].data(), set->width(), set->size()};
                given[i].set = &sets[i];
            } else {
                values[i] = to_abi(parameters[i].as_value());
                given[i].value = &values[i];
            }
        }
        const winnow_host_result* result = nullptr;
        check(host_.execute(&host_, how, to_abi(statement), given.data(), given.size(), &result));
        if (result == nullptr) return {};
        return rows(result->width, from_abi(std::span(result->values, result->width * result->rows)), result->affected);
    }

    const winnow_host_connection& host_;
    bool usable_ = true;
};

/// What a handler's work in the target needs while it passes through the host.
struct hosted_work {
    void (*function)(void* work, connection& target);
    void* work;
    const winnow_host_call& call;
    std::exception_ptr thrown{};
};

extern "C" inline winnow_status winnow_v0_run_work(void* state, const winnow_host_connection* target) noexcept {
    hosted_work& held = *static_cast<hosted_work*>(state);
    try {
        held.thrown = nullptr;
        hosted_connection database(*target);
        held.function(held.work, database);
        return WINNOW_OK;
    } catch (...) {
        held.thrown = std::current_exception();
        return report_failure(held.call);
    }
}

/// A message that the host delivers.
class hosted_delivery final : public delivery {
public:
    hosted_delivery(const winnow_host_delivery& host, const winnow_host_call& call) : host_(host), call_(call) {
        model = from_abi(host.model);
        category = from_abi(host.category);
        object = host.object;
        message_id = host.message_id;
        attempt = host.attempt;
        payload = from_abi(host.payload);
        source = from_abi(host.source);
        cell = from_abi(host.cell);
    }

protected:
    bool run_in_target(bool once, work_function function, void* work) override {
        hosted_work held{function, work, call_};
        std::int32_t ran = 0;
        if (host_.run_in_target(&host_, once ? 1 : 0, &winnow_v0_run_work, &held, &ran) == WINNOW_OK) return ran != 0;
        // The work's own exception, as if there were no host in between.
        if (held.thrown != nullptr) std::rethrow_exception(held.thrown);
        host_failure::raise(host_.last_error(&host_));
    }

private:
    const winnow_host_delivery& host_;
    const winnow_host_call& call_;
};

}  // namespace winnow::inline v0::detail
