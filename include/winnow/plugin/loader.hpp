// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/part_options.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/part.hpp"
#include "winnow/plugin/holders.hpp"
#include "winnow/plugin/loaded.hpp"
#include "winnow/plugin/needs.hpp"
#include "winnow/plugin/open.hpp"
#include "winnow/plugin/required_statements.hpp"

namespace winnow::inline v0 {

/// What a loader is told once.
struct loader_settings {
    plugin_places places{};         ///< where plugins may come from
    std::string program{"winnow"};  ///< what plugins are told of the program's name
    /// Hears what plugins log, from any thread; null: nobody does. Must outlive all who hold models.
    observer* log = nullptr;
};

/// The models of a program: those that it brings itself, and those of plugins, which come and go while it runs.
///
///     plugin_loader loader({{.plans = plans_of<Models>}});
///     loader.load({"/usr/lib/winnow/audit.so"});
///     const auto held = loader.current();   // and work with held->models
///
/// All functions may be called from any thread. Libraries stay in memory for the life of the process unless `unload` is
/// called (ADR 7).
class plugin_loader {
public:
    /// @param host the program's own parts; what they point to must outlive everything that holds `current()`
    /// @throws error of kind `configuration` when they do not fit together
    explicit plugin_loader(std::vector<model_part> host, loader_settings how = {})
        : host_(std::move(host)), how_(std::move(how)), board_(std::make_shared<detail::holder_board>()) {
        current_ = make({});
    }
    plugin_loader(const plugin_loader&) = delete;
    plugin_loader& operator=(const plugin_loader&) = delete;
    ~plugin_loader() = default;

    /// Loads files, all of them or none: each is checked, opened and read, the graph of all models is proved again, then all
    /// are started, and published at once.
    /// @param files paths, or names without slash that are looked for in the places
    /// @throws error of kind `configuration` that lists every reason of every file; nothing has changed then
    void load(std::span<const std::string> files) {
        const std::scoped_lock working(work_);
        std::vector<std::string> wrong;
        std::vector<detail::opened_plugin> opened = open_all(files, wrong);
        if (!wrong.empty()) {
            for (detail::opened_plugin& one : opened) one.close();
            refuse(wrong);
        }
        plugin_list all = plugins_;
        for (detail::opened_plugin& one : opened) {
            all.push_back(
                std::make_shared<loaded_plugin>(std::move(one.file), std::move(one.library), std::move(one.lifted)));
        }
        const std::span<std::shared_ptr<loaded_plugin>> added = std::span(all).subspan(plugins_.size());
        std::shared_ptr<const loaded_models> made;
        try {
            made = make(all);
            start(added);
        } catch (...) {
            made.reset();
            for (const std::shared_ptr<loaded_plugin>& one : added) (void)one->close();
            throw;
        }
        plugins_ = std::move(all);
        publish(std::move(made));
    }
    void load(std::initializer_list<std::string> files) { load(std::span(files.begin(), files.size())); }

    /// All models as they are now.
    [[nodiscard]] std::shared_ptr<const loaded_models> current() const {
        const std::scoped_lock lock(publish_);
        return current_;
    }
    /// The same, held under a name that an `unload` which waits in vain gives as the reason: what work it is for.
    [[nodiscard]] std::shared_ptr<const loaded_models> current(std::string_view who) const {
        return board_->hold(current(), who);
    }

    /// Takes a plugin out: nobody gets its models from now on; when those who have them have let go, it is stopped and its
    /// library is closed.
    /// @param name as the plugin spells it
    /// @param wait how long to wait for work in flight
    /// @return whether its library has left memory; one that exports unique symbols, or that others opened, stays
    /// @throws error of kind `not_found` when there is no such plugin, `refused` when other parts need its models or work
    ///         has not ended in time: then the plugin is there as before
    bool unload(std::string_view name, std::chrono::milliseconds wait) {
        const std::scoped_lock working(work_);
        const auto at = std::find_if(plugins_.begin(), plugins_.end(), [&](const std::shared_ptr<loaded_plugin>& one) {
            return one->part().name == name;
        });
        if (at == plugins_.end()) throw unknown(name);
        // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the list lets go of it before it is closed
        const std::shared_ptr<loaded_plugin> leaving = *at;
        if (const std::string needs = who_needs(current()->models, name); !needs.empty())
            throw error(failure::refused, title_of(leaving->part()) + " cannot be unloaded: " + needs)
                .with_hint("Unload first what needs it.");
        plugin_list rest = plugins_;
        std::erase(rest, leaving);
        const std::weak_ptr<const loaded_models> before = publish(make(rest));
        if (!board_->wait_until_free(leaving.get(), wait)) {
            const std::string who = board_->who_holds(leaving.get());
            std::shared_ptr<const loaded_models> again = before.lock();
            publish(again ? std::move(again) : make(plugins_));
            throw error(failure::refused, title_of(leaving->part()) +
                                              " cannot be unloaded: its models are still in use by " + who +
                                              ", after " + std::to_string(wait.count()) + " ms.")
                .with_hint("Let that work end, or wait longer.")
                .with_retry(true);
        }
        plugins_ = std::move(rest);
        return leaving->close();
    }

private:
    using plugin_list = std::vector<std::shared_ptr<loaded_plugin>>;

    [[nodiscard]] std::vector<detail::opened_plugin> open_all(std::span<const std::string> files,
                                                              std::vector<std::string>& wrong) const {
        std::vector<detail::opened_plugin> opened;
        for (const std::string& named : files) {
            plugin_file file = check_plugin_file(named, how_.places);
            if (file.wrong.empty()) file.wrong = find_twin(file, opened);
            if (!file.wrong.empty()) {
                wrong.push_back(std::move(file.wrong));
                continue;
            }
            if (std::optional<detail::opened_plugin> one = detail::open_plugin(std::move(file), wrong))
                opened.push_back(std::move(*one));
        }
        return opened;
    }

    /// A file is loaded once: two handles on it would be one library.
    [[nodiscard]] std::string find_twin(const plugin_file& file, std::span<const detail::opened_plugin> opened) const {
        for (const std::shared_ptr<loaded_plugin>& one : plugins_) {
            if (one->file().same_as(file))
                return file.path + ": is loaded already, as plugin " + std::string(one->part().name) + " from " +
                       one->file().named + ". Name it once.";
        }
        for (const detail::opened_plugin& one : opened) {
            if (one.file.same_as(file))
                return file.path + ": is named twice, as " + one.file.named + " and as " + file.named +
                       ". Name it once.";
        }
        return {};
    }

    [[nodiscard]] std::shared_ptr<const loaded_models> make(const plugin_list& plugins) const {
        std::vector<model_part> parts = host_;
        for (const std::shared_ptr<loaded_plugin>& one : plugins) parts.push_back(one->part());
        std::shared_ptr<const loaded_models> made = board_->make({plugins.begin(), plugins.end()}, std::move(parts));
        std::vector<std::string> wrong = find_option_faults(made->models);
        detail::check_across_parts(made->models, wrong);
        if (!wrong.empty()) refuse(wrong);
        return made;
    }

    void start(std::span<const std::shared_ptr<loaded_plugin>> added) const {
        for (std::size_t at = 0; at < added.size(); ++at) {
            const std::string wrong = added[at]->start(how_.program, how_.log);
            if (wrong.empty()) continue;
            while (at-- > 0) added[at]->stop();
            refuse({&wrong, 1});
        }
    }

    /// @return what was published before
    std::weak_ptr<const loaded_models> publish(std::shared_ptr<const loaded_models> made) {
        const std::weak_ptr<const loaded_models> before = current_;
        {
            const std::scoped_lock lock(publish_);
            current_.swap(made);
        }
        // The last reference to what was there goes here, outside of the lock.
        return before;
    }

    [[noreturn]] static void refuse(std::span<const std::string> wrong) {
        if (wrong.size() == 1) throw error(failure::configuration, "nothing was loaded: " + wrong.front());
        std::string text = "nothing was loaded, for " + std::to_string(wrong.size()) + " reasons:";
        for (const std::string& line : wrong) text += "\n  " + line;
        throw error(failure::configuration, text);
    }

    [[nodiscard]] error unknown(std::string_view name) const {
        std::string known;
        for (const std::shared_ptr<loaded_plugin>& one : plugins_)
            known += (known.empty() ? "" : ", ") + std::string(one->part().name);
        error problem(failure::not_found, "no plugin is loaded under the name " + std::string(name));
        problem.with_hint(known.empty() ? "None is loaded." : "Loaded are " + known + ".");
        return problem;
    }

    std::vector<model_part> host_;
    loader_settings how_;
    std::shared_ptr<detail::holder_board> board_;
    std::mutex work_;             ///< one load or unload at a time
    mutable std::mutex publish_;  ///< of `current_` alone, so that nobody waits for a load
    plugin_list plugins_;
    std::shared_ptr<const loaded_models> current_;
};

}  // namespace winnow::inline v0
