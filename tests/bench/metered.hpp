// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <winnow/store/connection.hpp>

namespace bench {

using seconds = std::chrono::duration<double>;

/// What a connection was used for.
struct meter {
    std::int64_t statements = 0;    ///< without those that begin and end transactions
    std::int64_t transactions = 0;  ///< that committed, statements outside of any included
    double longest = 0;             ///< seconds of the longest of them

    void ended(seconds taken) {
        ++transactions;
        longest = std::max(longest, taken.count());
    }
};

/// A connection that counts what goes through it.
class metered_connection final : public winnow::connection {
private:
    static std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }
    template <class Run> auto counted(Run&& run) {
        ++meter_.statements;
        const auto start = now();
        const bool inside = to_.in_transaction();
        auto result = run();
        if (!inside) meter_.ended(now() - start);
        return result;
    }

public:
    using connection::execute;
    using connection::execute_once;

    metered_connection(winnow::connection& to, meter& into) : to_(to), meter_(into) {}

    [[nodiscard]] winnow::dialect kind() const noexcept override { return to_.kind(); }
    [[nodiscard]] std::string description() const override { return to_.description(); }
    [[nodiscard]] bool usable() const noexcept override { return to_.usable(); }
    [[nodiscard]] bool read_only() const override { return to_.read_only(); }
    winnow::rows execute(std::string_view text, std::span<const winnow::parameter> parameters) override {
        return counted([&] { return to_.execute(text, parameters); });
    }
    winnow::rows execute_once(std::string_view text, std::span<const winnow::parameter> parameters) override {
        return counted([&] { return to_.execute_once(text, parameters); });
    }
    void execute_script(std::string_view script) override {
        counted([&] {
            to_.execute_script(script);
            return 0;
        });
    }
    void begin(winnow::transaction_kind kind, const winnow::transaction_limits& limits) override {
        begun_ = now();
        to_.begin(kind, limits);
    }
    void commit() override {
        to_.commit();
        meter_.ended(now() - begun_);
    }
    void rollback() noexcept override { to_.rollback(); }
    [[nodiscard]] bool in_transaction() const noexcept override { return to_.in_transaction(); }
    void set_limits(const winnow::transaction_limits& limits) override { to_.set_limits(limits); }
    [[nodiscard]] std::chrono::milliseconds deadlock_timeout() override { return to_.deadlock_timeout(); }
    [[nodiscard]] std::string session_name() const override { return to_.session_name(); }

private:
    winnow::connection& to_;
    meter& meter_;
    std::chrono::steady_clock::time_point begun_{};
};

}  // namespace bench
