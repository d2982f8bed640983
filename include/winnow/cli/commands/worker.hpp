// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/connections.hpp"
#include "winnow/cli/endpoint.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/cli/log.hpp"
#include "winnow/cli/settings.hpp"
#include "winnow/cli/silos.hpp"
#include "winnow/cli/stop.hpp"
#include "winnow/context/clock.hpp"
#include "winnow/context/locked_observer.hpp"
#include "winnow/context/observer.hpp"
#include "winnow/context/silo_directory.hpp"
#include "winnow/core/error.hpp"
#include "winnow/metrics/store.hpp"
#include "winnow/runtime/memory_broker.hpp"
#include "winnow/runtime/sql_broker.hpp"
#include "winnow/runtime/worker.hpp"
#include "winnow/store/migrations.hpp"
#include "winnow/store/open.hpp"
#include "winnow/store/own_tables.hpp"
#include "winnow/store/session_name.hpp"

namespace winnow::inline v0::cli {

namespace detail {

/// The log of a process that nobody sits before: no progress, every line.
class worker_log final : public observer {
public:
    worker_log(bool quiet, log_format format) : log_(quiet ? log_level::error : log_level::info, format) {}
    void log(log_level level, std::string_view message, std::initializer_list<label> labels) override {
        log_.write(level, message, labels);
    }

private:
    log_writer log_;
};

/// The name of the broker that is to be used.
[[nodiscard]] inline std::string broker_of(const environment& in, const given& arguments) {
    std::string name = arguments.text("--broker", in.configured().worker_broker);
    if (name.empty()) name = arguments.has("--once") ? "memory" : in.configured().redis.empty() ? "sql" : "redis";
    if (name != "redis") return name;
    if (in.configured().redis.empty())
        throw error(failure::usage, "The broker is to be redis, and no Redis server is named.")
            .with_hint("Give --redis redis://HOST, or --broker sql.");
    if (in.open_broker() == nullptr)
        throw error(failure::usage, "The broker is to be redis, and this program was built without Redis.")
            .with_hint("Build it with hiredis, or give --broker sql.");
    return name;
}

/// Where tasks are kept: in one place for all silos, or in each silo's database.
[[nodiscard]] inline std::vector<broker_source> sources_of(const environment& in, const std::string& broker_name,
                                                           const std::vector<worker_site>& sites) {
    std::vector<broker_source> made;
    if (broker_name == "sql") {
        for (const worker_site& site : sites) {
            const auto changed = std::make_shared<wakeup>();
            made.push_back({site.queues(),
                            [url = in.url_of(site), drivers = in.drivers(),
                             changed](const broker_options& options) -> std::unique_ptr<broker> {
                                return std::make_unique<sql_broker>(open_connector(url, drivers)->open(), changed,
                                                                    options);
                            }});
        }
        return made;
    }
    broker_source& all = made.emplace_back();
    for (const worker_site& site : sites)
        for (std::string& queue : site.queues()) all.queues.push_back(std::move(queue));
    if (broker_name == "redis")
        all.open = [url = in.configured().redis, open = in.open_broker()](const broker_options& options) {
            return open(url, options);
        };
    else
        all.open = [place =
                        std::make_shared<memory_queue>()](const broker_options& options) -> std::unique_ptr<broker> {
            return std::make_unique<memory_broker>(place, options);
        };
    return made;
}

/// What one thread works with at a site, all of it its own.
[[nodiscard]] inline site_session open_site(const environment& in, const worker_site& site) {
    site_session made;
    made.opener = open_connector(in.url_of(site), in.drivers());
    made.database = made.opener->open();
    if (in.has_silos()) made.silos = std::make_unique<configured_silos>(in.configured(), in.drivers());
    else made.silos = std::make_unique<one_database>(*made.database, site.cell_name.empty() ? "main" : site.cell_name);
    if (!in.configured().redis.empty() && in.open_cursors() != nullptr)
        made.cursors = in.open_cursors()(in.configured().redis);
    if (!in.configured().redis.empty() && in.open_buckets() != nullptr)
        made.buckets = in.open_buckets()(in.configured().redis);
    return made;
}

/// Says at the start what would never get better by waiting. A database that is away may come back.
inline void check_sites(const environment& in, const std::vector<worker_site>& sites, bool must_be_there) {
    for (const worker_site& site : sites) {
        const connector_ptr way = open_connector(in.url_of(site), in.drivers());
        try {
            const connection_ptr session = way->open();
            require_own_tables(*session);
            require_steps(*session, in.models().parts(), site.mode);
            if (session->read_only())
                throw error(failure::refused, session->description() + " is read-only, and workers have to write.");
        } catch (const error& problem) {
            if (must_be_there || problem.kind() != failure::connection || !problem.may_retry()) throw;
        }
    }
}

inline int run_worker(environment& in, const given& arguments) {
    const settings& configured = in.configured();
    if (configured.silo_mode == silo_mode::cell && configured.cell_name.empty())
        throw error(failure::usage, "The silo mode is cell, and no cell is named.").with_hint("Give --cell NAME.");
    const int threads =
        arguments.has("--threads") ? thread_count(arguments.text("--threads")) : configured.worker_threads;
    const std::string broker_name = broker_of(in, arguments);
    const std::vector<worker_site> sites = in.sites();
    const bool once = arguments.has("--once");
    check_sites(in, sites, once);
    worker_log log(in.out().quiet(), configured.log);
    locked_observer watch(log);
    metric_store counts(&watch);
    worker_parts parts{in.models(), in.time(), counts, stop_on_signal::request(), sites, {}, {}, {}};
    parts.open = [&in](const worker_site& site) { return open_site(in, site); };
    parts.brokers = sources_of(in, broker_name, sites);
    parts.owner = session_name_of_process();
    parts.actor = configured.actor;
    parts.connections = connections_of(in, arguments);
    worker all(std::move(parts), threads);
    const stop_on_signal stopping([&] { all.nudge(); });
    std::unique_ptr<endpoint> answering;
    if (arguments.has("--metrics")) {
        if (in.open_endpoint() == nullptr)
            throw error(failure::usage, "--metrics was given, and this program was built without its web part.")
                .with_hint("Build it with cpp-httplib and prometheus-cpp.");
        answering = in.open_endpoint()(arguments.id("--metrics"), counts, [&all] { return all.ready(); });
    }
    if (!once) {
        all.run();
        return 0;
    }
    all.run_once();
    return stop_on_signal::exit_code(0);
}

}  // namespace detail

/// `worker`.
[[nodiscard]] inline std::vector<command> worker_commands() {
    return {{"worker",
             "do what is due, by itself, until told to stop",
             {option("--threads", "NUMBER", "threads that do tasks; 4 by default"), detail::connections_option(),
              option("--broker", "NAME", "what carries tasks: redis where --redis is given, else sql",
                     {"sql", "redis", "memory"}),
              option("--metrics", "ADDRESS:PORT", "answer /metrics, /health and /ready there"),
              flag("--once", "one round: every job once and what is due until nothing is, then end")},
             detail::run_worker}};
}

}  // namespace winnow::inline v0::cli
