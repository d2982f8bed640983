// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/output.hpp"
#include "winnow/cli/progress.hpp"
#include "winnow/cli/settings.hpp"
#include "winnow/context/clock.hpp"
#include "winnow/context/context.hpp"
#include "winnow/core/error.hpp"
#include "winnow/deletion/object_id.hpp"
#include "winnow/plan/catalog.hpp"
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

/// What a command works in: models, settings, output, and the database, which is connected to when a command
/// asks for it.
class environment {
public:
    environment(const winnow::catalog& models, settings configured, std::span<const driver> drivers)
        : models_(models),
          settings_(std::move(configured)),
          drivers_(drivers),
          out_(settings_.json, settings_.quiet),
          watch_(settings_.quiet) {}

    [[nodiscard]] const winnow::catalog& models() const noexcept { return models_; }
    [[nodiscard]] const settings& configured() const noexcept { return settings_; }
    [[nodiscard]] const output& out() const noexcept { return out_; }
    [[nodiscard]] progress_display& watch() noexcept { return watch_; }
    [[nodiscard]] winnow::clock& time() noexcept { return time_; }

    /// The database's dialect as far as its URL tells; nothing is connected to.
    [[nodiscard]] std::optional<dialect> dialect_of_url() const {
        if (settings_.database.empty()) return std::nullopt;
        return open_connector(settings_.database, drivers_)->kind();
    }

    /// A connection, made at the first call. A command that only reads gets a SQLite file opened for reading
    /// only, so that nothing about the file changes, whatever happens.
    /// @throws error of kind `configuration` without a database or without winnow's own tables, `refused` when
    ///         the command wants to write to a database that is read-only, `connection` when there is none
    [[nodiscard]] connection& database(access wanted) {
        const bool writes = wanted == access::write || wanted == access::build;
        connection_ptr& held = writes ? writing_ : reading_;
        if (!held) held = writes ? connector().open() : open_to_read();
        if (writes && held->read_only()) {
            throw error(failure::refused,
                        held->description() + " is read-only, and this command has to write. Nothing was changed.")
                .with_hint("Name a database that this user may write, without mode=ro, and no standby.");
        }
        if (wanted == access::report || wanted == access::write) require_own_tables(*held);
        return *held;
    }

    /// What the engine works in, over `database(wanted)`.
    [[nodiscard]] context with(access wanted) {
        return {models_, database(wanted), time_, watch_, settings_.silo_mode, settings_.actor};
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
    [[nodiscard]] winnow::connector& connector() {
        if (connector_) return *connector_;
        if (settings_.database.empty()) {
            throw error(failure::configuration, "No database is named.")
                .with_hint(
                    "Give --database sqlite:PATH or --database postgresql://user@host/name, or set WINNOW_DATABASE.");
        }
        connector_ = open_connector(settings_.database, drivers_);
        return *connector_;
    }

    [[nodiscard]] connection_ptr open_to_read() {
        const std::string& url = settings_.database;
        if (connector().kind() != dialect::sqlite || parse_url(url).option("mode")) return connector().open();
        const std::string separator = url.find('?') == std::string::npos ? "?" : "&";
        try {
            return open_connector(url + separator + "mode=ro", drivers_)->open();
        } catch (const error& problem) {
            // What a killed writer left has to be rolled back first, and a reader must not do that.
            if (!problem.sqlstate().starts_with("SQLITE_READONLY")) throw;
        }
        return connector().open();
    }

    const winnow::catalog& models_;
    settings settings_;
    std::span<const driver> drivers_;
    output out_;
    progress_display watch_;
    steady_clock time_;
    connector_ptr connector_;
    connection_ptr reading_;
    connection_ptr writing_;
};

}  // namespace winnow::inline v0::cli
