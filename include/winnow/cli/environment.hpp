// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/endpoint.hpp"
#include "winnow/cli/output.hpp"
#include "winnow/cli/progress.hpp"
#include "winnow/cli/settings.hpp"
#include "winnow/cli/silos.hpp"
#include "winnow/context/clock.hpp"
#include "winnow/context/context.hpp"
#include "winnow/core/error.hpp"
#include "winnow/store/object_id.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plugin/loaded.hpp"
#include "winnow/runtime/broker.hpp"
#include "winnow/runtime/worker_site.hpp"
#include "winnow/store/bucket.hpp"
#include "winnow/store/cursor.hpp"
#include "winnow/store/migrations.hpp"
#include "winnow/store/open.hpp"
#include "winnow/store/own_tables.hpp"

namespace winnow::inline v0::cli {

/// What a command does with the database.
enum class access : unsigned char {
    read,    ///< reads tables of the application; winnow's own need not exist
    report,  ///< reads winnow's own tables
    write,   ///< writes, with winnow's own tables in place
    build,   ///< writes, and may be about to make winnow's own tables
};

/// An object that was named on the command line.
struct named_object {
    std::size_t model;       ///< index in the catalog
    std::vector<value> key;  ///< of its primary key
    std::string id;          ///< the same as text
    std::string name;        ///< `tracker.Project 7`, for people
};

/// Opens the store of cursors that a URL names.
using cursor_opener = std::unique_ptr<cursor_store> (*)(std::string_view url);
/// Opens a broker on the Redis server that a URL names.
using broker_opener = std::unique_ptr<broker> (*)(std::string_view url, const broker_options& options);
/// Opens the leaky buckets that a URL names.
using bucket_opener = std::unique_ptr<bucket_store> (*)(std::string_view url);

/// What a command works in: models, settings, output, and the database, which is connected to when a command
/// asks for it.
class environment {
public:
    /// @param loaded is held, and with it every plugin in it, as long as the object lives
    environment(std::shared_ptr<const loaded_models> loaded, settings configured, std::span<const driver> drivers,
                cursor_opener opener = nullptr, broker_opener brokers = nullptr, bucket_opener buckets = nullptr)
        : loaded_(std::move(loaded)),
          models_(loaded_->models),
          settings_(std::move(configured)),
          drivers_(drivers),
          mode_(settings_.silo_mode),
          cell_(settings_.cell_name),
          first_actor_(settings_.actor),
          silos_(settings_, drivers),
          open_cursors_(opener),
          open_broker_(brokers),
          open_buckets_(buckets),
          out_(settings_.json, settings_.quiet),
          watch_(settings_.quiet, settings_.log) {}

    [[nodiscard]] const winnow::catalog& models() const noexcept { return models_; }
    /// The same with the plugins that they come from.
    [[nodiscard]] const std::shared_ptr<const loaded_models>& loaded() const noexcept { return loaded_; }
    [[nodiscard]] const settings& configured() const noexcept { return settings_; }
    [[nodiscard]] const output& out() const noexcept { return out_; }
    [[nodiscard]] output& out() noexcept { return out_; }
    [[nodiscard]] progress_display& watch() noexcept { return watch_; }
    /// All commands of this program; empty outside of `run_program`.
    [[nodiscard]] std::span<const command> commands() const noexcept { return commands_; }
    /// @param all must outlive the object
    void know(std::span<const command> all) noexcept { commands_ = all; }
    /// Who hears what the engine reports, instead of `watch()`. @param told must outlive the object
    void report_to(observer& told) noexcept { told_ = &told; }
    /// Who acts from now on, for the audit.
    void act_as(std::string actor) { settings_.actor = std::move(actor); }
    /// One more environment over the same models and settings, with connections of its own and JSON for output: for
    /// another thread. Its connections wait for an answer, or for another writer, for seconds only, unless their URLs say
    /// otherwise: somebody waits for them.
    [[nodiscard]] std::unique_ptr<environment> another() const {
        settings same = settings_;
        same.database = impatient(same.database);
        same.control = impatient(same.control);
        for (named_database& one : same.cells) one.url = impatient(one.url);
        same.json = true;
        auto made = std::make_unique<environment>(loaded_, std::move(same), drivers_, open_cursors_, open_broker_,
                                                  open_buckets_);
        made->know(commands_);
        return made;
    }
    /// Forgets what an earlier command left: the silo that it entered, who acted, a transaction that it did not end.
    void start_afresh() {
        mode_ = settings_.silo_mode;
        cell_ = settings_.cell_name;
        settings_.actor = first_actor_;
        (void)out_.collect_into(nullptr);
        std::erase_if(sessions_, [](const auto& each) {
            if (!each.second) return true;  // it could not be opened
            if (each.second->in_transaction()) each.second->rollback();
            return !each.second->usable();
        });
    }
    /// How `/metrics` of a process is answered; null when this program cannot.
    [[nodiscard]] endpoint_opener open_endpoint() const noexcept { return open_endpoint_; }
    void open_endpoints_with(endpoint_opener opener) noexcept { open_endpoint_ = opener; }
    [[nodiscard]] winnow::clock& time() noexcept { return time_; }

    /// What a command that opens sessions of its own does so with; the openers are null in a program without Redis.
    [[nodiscard]] std::span<const driver> drivers() const noexcept { return drivers_; }
    [[nodiscard]] cursor_opener open_cursors() const noexcept { return open_cursors_; }
    [[nodiscard]] broker_opener open_broker() const noexcept { return open_broker_; }
    [[nodiscard]] bucket_opener open_buckets() const noexcept { return open_buckets_; }

    /// The databases that this process serves. One that is named serves the silos of the silo mode.
    [[nodiscard]] std::vector<worker_site> sites() const {
        if (!spans_silos()) {
            const bool control = mode_ == silo_mode::control;
            return {{mode_, control ? std::string() : cell_.empty() ? std::string("main") : cell_}};
        }
        std::vector<worker_site> all{{silo_mode::control, {}}};
        for (const named_database& one : settings_.cells) all.push_back({silo_mode::cell, one.name});
        return all;
    }
    /// URL of a site's database.
    [[nodiscard]] std::string url_of(const worker_site& site) const {
        if (!has_silos()) return url_of_work();
        if (site.mode == silo_mode::control) return settings_.control;
        for (const named_database& one : settings_.cells)
            if (one.name == site.cell_name) return one.url;
        return url_of_work();
    }

    /// The database's dialect as far as its URL tells; nothing is connected to.
    [[nodiscard]] std::optional<dialect> dialect_of_url() const {
        const std::string url = settings_.database.empty() ? settings_.control : settings_.database;
        if (url.empty()) return std::nullopt;
        return open_connector(url, drivers_)->kind();
    }

    /// A connection, made at the first call. A command that only reads gets a SQLite file opened for reading
    /// only, so that nothing about the file changes, whatever happens.
    /// @throws error of kind `configuration` without a database, without winnow's own tables or those of a part, `refused` when
    ///         the command wants to write to a database that is read-only, `connection` when there is none
    [[nodiscard]] connection& database(access wanted) {
        const bool writes = wanted == access::write || wanted == access::build;
        const std::string url = url_of_work();
        connection_ptr& held = sessions_[{url, writes}];
        if (held && !held->usable()) held.reset();
        if (!held) held = writes ? open_connector(url, drivers_)->open() : open_to_read(url);
        if (writes && held->read_only()) {
            throw error(failure::refused,
                        held->description() + " is read-only, and this command has to write. Nothing was changed.")
                .with_hint("Name a database that this user may write, without mode=ro, and no standby.");
        }
        if (wanted == access::report || wanted == access::write) {
            require_own_tables(*held);
            require_steps(*held, models_.parts(), mode_);
        }
        return *held;
    }

    /// What the engine works in, over `database(wanted)`.
    [[nodiscard]] context with(access wanted) {
        connection& work = database(wanted);
        observer& told = told_ == nullptr ? static_cast<observer&>(watch_) : *told_;
        context made{models_, work, time_, told, mode_, settings_.actor};
        made.cell_name = cell_name();
        made.cursors = cursors();
        if (!settings_.redis.empty() && open_buckets_ != nullptr) {
            if (!buckets_) buckets_ = open_buckets_(settings_.redis);
            made.buckets = buckets_.get();
        }
        if (wanted == access::write) {
            connector_ptr& opener = openers_[url_of_work()];
            if (!opener) opener = open_connector(url_of_work(), drivers_);
            made.opener = opener.get();
        }
        if (has_silos()) made.silos = &silos_;
        else if (wanted == access::write) made.silos = &one_.emplace(work, std::string(made.cell_name));
        return made;
    }

    /// Whether the silos have databases of their own and none was named by --database.
    [[nodiscard]] bool has_silos() const noexcept { return settings_.has_silos() && settings_.database.empty(); }

    /// Goes on in one silo: `database` and `with` are of that silo from now on.
    void enter(silo where, std::string_view cell_name = {}) {
        mode_ = where == silo::control ? silo_mode::control : silo_mode::cell;
        cell_ = cell_name;
    }

    /// The silos that are served now; one of them after `enter`.
    [[nodiscard]] silo_mode mode() const noexcept { return mode_; }
    /// Whether there are several databases to go through.
    [[nodiscard]] bool spans_silos() const noexcept { return has_silos() && mode_ == silo_mode::monolith; }

    /// Goes on in the silo that a model's table lives in, where the silos have databases of their own.
    /// @throws error of kind `not_found` for an unknown model, `usage` when it lives in several cells and none was named
    void enter_model(std::string_view key) {
        const plan& of = models_[models_.at(key)];
        if (!spans_silos()) return;
        if (of.silo == silo::control) return enter(silo::control);
        if (settings_.cell_name.empty() && settings_.cells.size() > 1) {
            throw error(failure::usage, std::string(of.key) + " lives in the cells, and there are several.")
                .with_model(of.key)
                .with_hint("Give --cell NAME.");
        }
        enter(silo::cell, settings_.cell_name.empty() ? settings_.cells.front().name : settings_.cell_name);
    }

    /// Calls `work()` in each silo that this process serves: once where all are in one database.
    template <class Work>
    void each_silo(Work&& work) {
        if (!spans_silos()) {
            work();
            return;
        }
        enter(silo::control);
        work();
        for (const named_database& one : settings_.cells) {
            enter(silo::cell, one.name);
            work();
        }
        mode_ = settings_.silo_mode;
        cell_ = settings_.cell_name;
    }
    /// The cell that is worked in; `main` where there are none, empty in the control silo.
    [[nodiscard]] std::string_view cell_name() const noexcept {
        return cell_.empty() && mode_ != silo_mode::control ? std::string_view("main") : std::string_view(cell_);
    }
    /// What the silo that is worked in is called, for headings; empty where all are in one database.
    [[nodiscard]] std::string silo_title() const {
        if (!has_silos()) return {};
        return mode_ == silo_mode::control ? "control" : "cell " + cell_;
    }

    /// The object of a model's key and an id. Looks at no database.
    /// @throws error of kind `not_found` for an unknown model, `usage` for an id of another type
    [[nodiscard]] named_object object(std::string_view key, std::string_view id) const {
        const std::size_t model = models_.at(key);
        std::vector<value> found = key_of_text(models_[model], id);
        std::string text = object_id_of(found);
        std::string name = std::string(key) + " " + text;
        return {model, std::move(found), std::move(text), std::move(name)};
    }
    /// The object that the arguments `KEY` and `ID` name.
    [[nodiscard]] named_object object(const given& arguments) const {
        return object(arguments.text("KEY"), arguments.text("ID"));
    }

private:
    /// Redis, when it is configured.
    [[nodiscard]] cursor_store* cursors() {
        if (settings_.redis.empty()) return nullptr;
        if (open_cursors_ == nullptr) {
            throw error(failure::configuration, "--redis was given, and this program was built without Redis.")
                .with_hint("Build it with hiredis, or leave the setting out: cursors are kept in the database anyway.");
        }
        if (!cursors_) cursors_ = open_cursors_(settings_.redis);
        return cursors_.get();
    }

    /// URL of the database that is worked on.
    [[nodiscard]] std::string url_of_work() const {
        if (!settings_.database.empty()) return settings_.database;
        if (!settings_.has_silos()) {
            throw error(failure::configuration, "No database is named.")
                .with_hint(
                    "Give --database sqlite:PATH or --database postgresql://user@host/name, or set WINNOW_DATABASE.");
        }
        if (mode_ == silo_mode::control) return settings_.control;
        for (const named_database& one : settings_.cells) {
            if (mode_ == silo_mode::cell && one.name == cell_) return one.url;
        }
        throw error(failure::usage, "In which silo?")
            .with_hint("Give --silo-mode control, or --silo-mode cell --cell NAME.");
    }

    [[nodiscard]] static std::string impatient(const std::string& url) {
        if (url.empty()) return url;
        const database_url parts = parse_url(url);
        const bool sqlite = parts.scheme == "sqlite";
        const std::string_view name = sqlite ? "busy_timeout" : "answer_timeout";
        if (parts.option(name)) return url;
        return url + (url.find('?') == std::string::npos ? "?" : "&") + std::string(name) + (sqlite ? "=3000" : "=20");
    }

    [[nodiscard]] connection_ptr open_to_read(const std::string& url) {
        const connector_ptr direct = open_connector(url, drivers_);
        if (direct->kind() != dialect::sqlite || parse_url(url).option("mode")) return direct->open();
        const std::string separator = url.find('?') == std::string::npos ? "?" : "&";
        try {
            return open_connector(url + separator + "mode=ro", drivers_)->open();
        } catch (const error& problem) {
            // What a killed writer left has to be rolled back first, and a reader must not do that.
            if (!problem.sqlstate().starts_with("SQLITE_READONLY")) throw;
        }
        return direct->open();
    }

    std::shared_ptr<const loaded_models> loaded_;
    const winnow::catalog& models_;
    settings settings_;
    std::span<const driver> drivers_;
    silo_mode mode_;
    std::string cell_;
    std::string first_actor_;
    configured_silos silos_;
    cursor_opener open_cursors_;
    broker_opener open_broker_;
    std::unique_ptr<cursor_store> cursors_;
    bucket_opener open_buckets_;
    std::unique_ptr<bucket_store> buckets_;
    std::optional<one_database> one_;
    output out_;
    progress_display watch_;
    observer* told_ = nullptr;
    std::span<const command> commands_{};
    endpoint_opener open_endpoint_ = nullptr;
    steady_clock time_;
    std::map<std::string, connector_ptr> openers_;                     ///< by URL
    std::map<std::pair<std::string, bool>, connection_ptr> sessions_;  ///< by URL and whether it writes
};

}  // namespace winnow::inline v0::cli
