// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "winnow/store/connection.hpp"

namespace winnow_test {

/// A connection that tells what runs through it.
class watched_connection final : public winnow::connection {
public:
    explicit watched_connection(winnow::connection_ptr inner) : inner_(std::move(inner)) {}

    [[nodiscard]] winnow::dialect kind() const noexcept override { return inner_->kind(); }
    [[nodiscard]] std::string description() const override { return inner_->description(); }
    [[nodiscard]] bool usable() const noexcept override { return inner_->usable(); }
    [[nodiscard]] bool read_only() const override { return inner_->read_only(); }

    using connection::execute;
    using connection::execute_once;
    winnow::rows execute(std::string_view statement, std::span<const winnow::parameter> parameters) override {
        if (with_parameters) with_parameters(statement, parameters);
        return watched(statement, [&] { return inner_->execute(statement, parameters); });
    }
    winnow::rows execute_once(std::string_view statement, std::span<const winnow::parameter> parameters) override {
        return watched(statement, [&] { return inner_->execute_once(statement, parameters); });
    }
    void execute_script(std::string_view script) override { inner_->execute_script(script); }

    void begin(winnow::transaction_kind how, const winnow::transaction_limits& limits) override {
        inner_->begin(how, limits);
    }
    void commit() override {
        if (before_commit) before_commit();
        inner_->commit();
    }
    void rollback() noexcept override { inner_->rollback(); }
    [[nodiscard]] bool in_transaction() const noexcept override { return inner_->in_transaction(); }
    void set_limits(const winnow::transaction_limits& limits) override { inner_->set_limits(limits); }
    [[nodiscard]] std::chrono::milliseconds deadlock_timeout() override { return inner_->deadlock_timeout(); }
    [[nodiscard]] std::string session_name() const override { return inner_->session_name(); }

    std::function<void(std::string_view statement)> before;
    std::function<void(std::string_view statement, std::span<const winnow::parameter> parameters)> with_parameters;
    std::function<void(std::string_view statement, const winnow::rows& result)> after;
    std::function<void()> before_commit;

private:
    template <class Run> winnow::rows watched(std::string_view statement, Run&& run) {
        if (before) before(statement);
        winnow::rows result = run();
        if (after) after(statement, result);
        return result;
    }

    winnow::connection_ptr inner_;
};

}  // namespace winnow_test
