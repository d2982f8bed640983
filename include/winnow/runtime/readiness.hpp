// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

#include "winnow/plan/catalog.hpp"
#include "winnow/plan/silo.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/migrations.hpp"
#include "winnow/store/own_tables.hpp"

namespace winnow::inline v0 {

/// Whether work can be done, and if not, why.
struct readiness {
    bool ready = false;
    std::string why;  ///< one sentence; empty when it is ready
};

/// Looks whether models are loaded, the database answers, and winnow's own tables and those of plugins are there in this
/// program's form.
[[nodiscard]] inline readiness check_ready(const catalog& models, connection& database,
                                           silo_mode mode = silo_mode::monolith) {
    if (models.size() == 0) return {false, "No model is loaded."};
    try {
        require_own_tables(database);
        require_steps(database, models.parts(), mode);
    } catch (const std::exception& problem) {
        return {false, problem.what()};
    }
    return {true, {}};
}

}  // namespace winnow::inline v0
