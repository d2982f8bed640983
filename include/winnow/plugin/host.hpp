// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "winnow/abi/host.h"
#include "winnow/context/observer.hpp"
#include "winnow/plugin/values.hpp"

namespace winnow::inline v0 {

/// The program that a plugin was loaded into, as its `start` and `stop` get it. A handle: copies speak of the same host,
/// which is there until `stop` has returned.
class plugin_host {
public:
    explicit plugin_host(const winnow_host& host) noexcept : host_(&host) {}

    /// Of the program.
    [[nodiscard]] std::string_view name() const noexcept { return detail::from_abi(host_->name); }
    /// Of winnow in it.
    [[nodiscard]] std::string_view version() const noexcept { return detail::from_abi(host_->version); }
    /// Writes a line to the program's log. From any thread.
    void log(log_level level, std::string_view message) const noexcept {
        host_->log(host_, static_cast<std::uint32_t>(level) + 1, detail::to_abi(message));
    }
    /// The host as the contract has it.
    [[nodiscard]] const winnow_host& get() const noexcept { return *host_; }

private:
    const winnow_host* host_;
};

}  // namespace winnow::inline v0
