// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/cli/environment.hpp"
#include "winnow/core/version.hpp"
#include "winnow/deletion/counts.hpp"
#include "winnow/metrics/store.hpp"
#include "winnow/outbox/status.hpp"
#include "winnow/plan/silo.hpp"
#include "winnow/runtime/job_state.hpp"

namespace winnow::inline v0::web {

/// Now, in seconds of Unix time, by this machine's clock.
[[nodiscard]] inline double unix_seconds() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Reads what the databases know now, of every silo that this process serves, into gauges. A database that does not
/// answer is `winnow.database_up` 0, and the others are read all the same.
inline void scrape_databases(cli::environment& in, metric_store& into) {
    into.gauge("winnow.build_info", 1, {{"version", version_text}});
    in.each_silo([&] {
        const std::string cell(in.cell_name());
        try {
            const context whole = in.with(cli::access::report);
            labelled_gauges told(into, "cell", cell);
            const context with{whole.models, whole.database, whole.time, told, whole.mode, whole.actor};
            for (const silo where : {silo::control, silo::cell}) {
                if (!reaches(in.mode(), where)) continue;
                (void)count_deletions(with, where);
                const outbox_totals outbox = count_outbox(with, where);
                told.gauge("outbox.oldest_due_seconds", outbox.oldest_due_seconds, {{"silo", name_of(where)}});
            }
            for (const job_state& job : job_states(with)) {
                if (!job.enabled) continue;
                const double ago = job.seconds_since_success;
                into.gauge("winnow.job.last_success.timestamp_seconds", ago < 0 ? 0 : unix_seconds() - ago,
                           {{"job", job.name}, {"silo", name_of(job.silo)}, {"cell", cell}});
            }
            told.gauge("winnow.database_up", 1, {{"silo", name_of(in.mode())}});
        } catch (const std::exception&) {
            into.gauge("winnow.database_up", 0, {{"silo", name_of(in.mode())}, {"cell", cell}});
        }
    });
}

/// The same metrics with the series of both.
[[nodiscard]] inline std::vector<metric_family> merged(std::vector<metric_family> into,
                                                       std::vector<metric_family> from) {
    for (metric_family& one : from) {
        const auto known =
            std::find_if(into.begin(), into.end(), [&](const metric_family& held) { return held.name == one.name; });
        if (known == into.end()) into.push_back(std::move(one));
        else known->samples.insert(known->samples.end(), one.samples.begin(), one.samples.end());
    }
    return into;
}

}  // namespace winnow::inline v0::web
