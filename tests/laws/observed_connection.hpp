// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "winnow/context/clock.hpp"
#include "winnow/store/connection.hpp"

namespace winnow_test {

/// A real connection with a look at everything that passes through it. BEGIN and COMMIT count as statements.
class observed_connection final : public winnow::connection {
public:
    using before_call = std::function<void(std::string_view statement, std::span<const winnow::parameter> parameters)>;
    using after_call = std::function<void(std::string_view statement, const winnow::rows& answer)>;

    explicit observed_connection(winnow::connection_ptr real) : real_(std::move(real)) {}

    before_call before = [](std::string_view, std::span<const winnow::parameter>) {};
    after_call after = [](std::string_view, const winnow::rows&) {};

    [[nodiscard]] winnow::dialect kind() const noexcept override { return real_->kind(); }
    [[nodiscard]] std::string description() const override { return real_->description(); }
    [[nodiscard]] bool usable() const noexcept override { return real_->usable(); }
    [[nodiscard]] bool read_only() const override { return real_->read_only(); }

    using connection::execute;
    using connection::execute_once;
    winnow::rows execute(std::string_view statement, std::span<const winnow::parameter> parameters) override {
        before(statement, parameters);
        winnow::rows answer = real_->execute(statement, parameters);
        after(statement, answer);
        return answer;
    }
    winnow::rows execute_once(std::string_view statement, std::span<const winnow::parameter> parameters) override {
        before(statement, parameters);
        winnow::rows answer = real_->execute_once(statement, parameters);
        after(statement, answer);
        return answer;
    }
    void execute_script(std::string_view script) override {
        before(script, {});
        real_->execute_script(script);
        after(script, {});
    }
    void begin(winnow::transaction_kind kind, const winnow::transaction_limits& limits) override {
        before("BEGIN", {});
        real_->begin(kind, limits);
        after("BEGIN", {});
    }
    void commit() override {
        before("COMMIT", {});
        real_->commit();
        after("COMMIT", {});
    }
    void rollback() noexcept override { real_->rollback(); }
    [[nodiscard]] bool in_transaction() const noexcept override { return real_->in_transaction(); }
    void set_limits(const winnow::transaction_limits& limits) override { real_->set_limits(limits); }
    [[nodiscard]] std::chrono::milliseconds deadlock_timeout() override { return real_->deadlock_timeout(); }
    [[nodiscard]] std::string session_name() const override { return real_->session_name(); }

private:
    winnow::connection_ptr real_;
};

/// Time that passes only when it is told to, and while somebody sleeps.
class fake_clock final : public winnow::clock {
public:
    [[nodiscard]] duration now() override { return now_; }
    void sleep(duration how_long) override { now_ += how_long; }
    void advance(duration by) { now_ += by; }

private:
    duration now_{1'000'000};
};

}  // namespace winnow_test
