// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laws/observed_connection.hpp"
#include "winnow/store/open.hpp"

namespace winnow_test {

/// Opens real connections, numbered from 1, with a look at every statement of each.
class observed_connector final : public winnow::connector {
public:
    using look = std::function<void(std::size_t lane, std::string_view statement)>;

    explicit observed_connector(winnow::connector_ptr real) : real_(std::move(real)) {}

    look before = [](std::size_t, std::string_view) {};  ///< called by the thread of the lane
    /// Called with the number of the server's process by whoever opens a connection.
    std::function<void(std::int64_t pid)> told = [](std::int64_t) {};
    std::size_t opened = 0;
    std::vector<std::int64_t> pids{};  ///< of the server's processes, by lane from 0

    [[nodiscard]] winnow::dialect kind() const noexcept override { return real_->kind(); }
    [[nodiscard]] std::string description() const override { return real_->description(); }
    [[nodiscard]] winnow::connection_ptr open() override {
        auto made = std::make_unique<observed_connection>(real_->open());
        pids.push_back(made->execute("SELECT pg_backend_pid()").integer(0, 0));
        told(pids.back());
        made->before = [this, lane = ++opened](std::string_view statement, std::span<const winnow::parameter>) {
            before(lane, statement);
        };
        return made;
    }

private:
    winnow::connector_ptr real_;
};

}  // namespace winnow_test
