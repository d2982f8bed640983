// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/cli/settings.hpp"
#include "winnow/context/silo_directory.hpp"
#include "winnow/core/error.hpp"
#include "winnow/store/open.hpp"

namespace winnow::inline v0::cli {

/// The databases of all silos as the settings name them, each opened when it is first asked for.
class configured_silos final : public silo_directory {
public:
    configured_silos(const settings& configured, std::span<const driver> drivers)
        : configured_(&configured), drivers_(drivers) {
        for (const named_database& one : configured.cells) names_.push_back(one.name);
    }

    [[nodiscard]] std::span<const std::string> cells() const noexcept override { return names_; }
    [[nodiscard]] connection& control() override { return open(configured_->control); }
    [[nodiscard]] connection& cell(std::string_view name) override {
        for (const named_database& one : configured_->cells) {
            if (one.name == name) return open(one.url);
        }
        std::string known;
        for (const std::string& one : names_) known += (known.empty() ? "" : ", ") + one;
        throw error(failure::configuration, "There is no cell `" + std::string(name) + "`.")
            .with_hint("The cells are " + known + ".");
    }

private:
    [[nodiscard]] connection& open(const std::string& url) {
        connection_ptr& held = sessions_[url];
        if (held && !held->usable()) held.reset();
        if (!held) held = open_connector(url, drivers_)->open();
        return *held;
    }

    const settings* configured_;
    std::span<const driver> drivers_;
    std::vector<std::string> names_;
    std::map<std::string, connection_ptr> sessions_;
};

}  // namespace winnow::inline v0::cli
