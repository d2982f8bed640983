// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/clock.hpp"
#include "winnow/context/context.hpp"
#include "winnow/context/observer.hpp"
#include "winnow/context/silo_directory.hpp"
#include "winnow/context/stop.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/runtime/broker.hpp"
#include "winnow/store/bucket.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/cursor.hpp"
#include "winnow/store/open.hpp"

namespace winnow::inline v0 {

/// One database that workers serve.
struct worker_site {
    silo_mode mode = silo_mode::monolith;  ///< monolith: both silos are in it
    std::string cell_name = "main";        ///< the cell whose database it is; empty: control

    [[nodiscard]] std::vector<silo> silos() const {
        if (mode == silo_mode::control) return {silo::control};
        if (mode == silo_mode::cell) return {silo::cell};
        return {silo::control, silo::cell};
    }
    [[nodiscard]] std::vector<std::string> queues() const {
        std::vector<std::string> names;
        for (const silo where : silos()) names.push_back(queue_of(where, cell_name));
        return names;
    }
    [[nodiscard]] std::string title() const {
        return mode == silo_mode::control ? std::string("control")
               : mode == silo_mode::cell  ? "cell " + cell_name
                                          : std::string("all silos");
    }
};

/// What one thread works with at one site. The members are destroyed from the last to the first.
struct site_session {
    connection_ptr database;
    std::unique_ptr<silo_directory> silos;
    std::unique_ptr<cursor_store> cursors;  ///< null: no Redis
    std::unique_ptr<bucket_store> buckets;  ///< the same
    connector_ptr opener{};                 ///< opens more such connections; null: there is one
};

/// Opens what a thread needs at a site. Called from any thread.
/// @throws error of kind `connection` when the database is away
using site_opener = std::function<site_session(const worker_site&)>;

/// Where tasks of some queues are kept, and how a thread gets at them.
struct broker_source {
    std::vector<std::string> queues;
    std::function<std::unique_ptr<broker>(const broker_options&)> open;
};

/// What a worker is made of. Everything that is referred to outlives it and may be used by several threads at once.
struct worker_parts {
    const catalog& models;
    winnow::clock& time;
    winnow::observer& watch;
    const stop_request& stop;
    std::vector<worker_site> sites;
    site_opener open;
    std::vector<broker_source> brokers;  ///< all queues of all sites, each once
    std::string owner;                   ///< of this process; unique among the workers of these databases
    std::string actor = "worker";        ///< for the audit
    std::span<const relocation> relocated = {};
    std::int64_t connections = 0;  ///< of one deletion, as in the context; 0: what the option says
    double task_seconds = 60;      ///< how long a silent worker keeps a task

    /// Seconds after which what was handed over and has not begun is handed over again: a broker may have lost it.
    [[nodiscard]] double hand_over_again() const noexcept { return task_seconds / 4; }

    /// What work in one silo is done in.
    [[nodiscard]] context with(const worker_site& site, const site_session& session, silo where) const {
        context made{
            models, *session.database, time, watch, where == silo::control ? silo_mode::control : silo_mode::cell,
            actor};
        made.relocated = relocated;
        made.silos = session.silos.get();
        made.cell_name = site.cell_name;
        made.cursors = session.cursors.get();
        made.buckets = session.buckets.get();
        made.opener = session.opener.get();
        made.connections = connections;
        made.stop = &stop;
        return made;
    }
};

}  // namespace winnow::inline v0
