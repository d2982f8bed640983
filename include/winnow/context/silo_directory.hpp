// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/store/connection.hpp"

namespace winnow::inline v0 {

/// Where a process finds the databases of all silos: those it delivers to, besides the one it works on.
class silo_directory {
public:
    silo_directory() = default;
    silo_directory(const silo_directory&) = delete;
    silo_directory& operator=(const silo_directory&) = delete;
    virtual ~silo_directory() = default;

    /// Names of all cells.
    [[nodiscard]] virtual std::span<const std::string> cells() const noexcept = 0;
    /// A session with the control silo's database; opened when it is first asked for, opened again after it was lost,
    /// and never the one that a caller works on, unless no transaction is open on it.
    /// @throws error of kind `connection` when the database cannot be reached
    [[nodiscard]] virtual connection& control() = 0;
    /// The same for a cell. @throws error of kind `configuration` for an unknown name
    [[nodiscard]] virtual connection& cell(std::string_view name) = 0;
};

/// All silos in one database, under one cell name: a monolith.
class one_database final : public silo_directory {
public:
    /// @param database must outlive the object
    explicit one_database(connection& database, std::string cell_name = "main")
        : database_(&database), cell_(std::move(cell_name)) {}

    [[nodiscard]] std::span<const std::string> cells() const noexcept override { return {&cell_, 1}; }
    [[nodiscard]] connection& control() override { return *database_; }
    [[nodiscard]] connection& cell(std::string_view) override { return *database_; }

private:
    connection* database_;
    std::string cell_;
};

/// Databases of all silos that the caller has connected to.
class connected_silos final : public silo_directory {
public:
    /// One cell and its database.
    struct named_connection {
        std::string name;
        connection* database;
    };
    /// @param control_silo must outlive the object, as must those of the cells
    connected_silos(connection& control_silo, std::vector<named_connection> cells)
        : control_(&control_silo), connections_(std::move(cells)) {
        for (const named_connection& one : connections_) names_.push_back(one.name);
    }

    [[nodiscard]] std::span<const std::string> cells() const noexcept override { return names_; }
    [[nodiscard]] connection& control() override { return *control_; }
    [[nodiscard]] connection& cell(std::string_view name) override {
        for (const named_connection& one : connections_)
            if (one.name == name) return *one.database;
        throw error(failure::configuration, "There is no cell `" + std::string(name) + "`.");
    }

private:
    connection* control_;
    std::vector<named_connection> connections_;
    std::vector<std::string> names_;
};

}  // namespace winnow::inline v0
