// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/observer.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/part.hpp"
#include "winnow/plugin/file_check.hpp"
#include "winnow/plugin/library.hpp"
#include "winnow/plugin/lift.hpp"

namespace winnow::inline v0 {

/// One plugin whose library is open. It is stopped when nobody holds it any more; its library stays in memory unless the
/// plugin was unloaded.
class loaded_plugin {
public:
    /// @param models what was lifted from the entry of that library
    loaded_plugin(plugin_file from, plugin_library opened, std::unique_ptr<lifted_plugin> models) noexcept
        : file_(std::move(from)), library_(std::move(opened)), lifted_(std::move(models)) {}
    loaded_plugin(const loaded_plugin&) = delete;
    loaded_plugin& operator=(const loaded_plugin&) = delete;
    ~loaded_plugin() {
        if (lifted_) lifted_->stop();
    }

    [[nodiscard]] const plugin_file& file() const noexcept { return file_; }
    [[nodiscard]] const model_part& part() const noexcept { return lifted_->part(); }
    /// One line about it; may be empty.
    [[nodiscard]] std::string_view description() const noexcept { return lifted_->description(); }

    /// Calls the plugin's `start`. @return why it failed; empty when it did not
    [[nodiscard]] std::string start(std::string_view program, observer* log) {
        lifted_->log_to(log);
        std::vector<std::string> wrong;
        if (lifted_->start(program, wrong)) return {};
        return file_.path + ": " + (wrong.empty() ? "its start failed. Leave it out." : wrong.front());
    }
    /// Calls the plugin's `stop`, if it was started.
    void stop() noexcept { lifted_->stop(); }
    /// Stops it and gives its library back. Nothing of the plugin may be used any more, `part` included.
    /// @return whether the library has left memory
    bool close() noexcept {
        stop();
        lifted_.reset();
        return library_.close();
    }

private:
    plugin_file file_;
    plugin_library library_;
    std::unique_ptr<lifted_plugin> lifted_;
};

/// All models of a program at one moment. Never changes; whoever holds it keeps every plugin in it in use.
struct loaded_models {
    loaded_models(std::vector<std::shared_ptr<const loaded_plugin>> all, std::vector<model_part> parts)
        : plugins(std::move(all)), models(std::move(parts)) {}

    std::vector<std::shared_ptr<const loaded_plugin>> plugins;  ///< in the order in which they were loaded
    catalog models;                                             ///< the host's parts, then those of the plugins
};

}  // namespace winnow::inline v0
