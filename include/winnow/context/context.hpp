// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "winnow/context/clock.hpp"
#include "winnow/context/observer.hpp"
#include "winnow/context/options.hpp"
#include "winnow/context/silo_directory.hpp"
#include "winnow/context/stop.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/silo.hpp"
#include "winnow/store/bucket.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/cursor.hpp"

namespace winnow::inline v0 {

/// A model whose key has changed: deletions that were scheduled under the old key still run.
struct relocation {
    std::string_view from;  ///< the key it had
    std::string_view to;    ///< the key it has now; may have been relocated again
};

/// What a running piece of work may touch. Borrows everything; passed, never global.
struct context {
    const catalog& models;
    connection& database;
    winnow::clock& time;
    winnow::observer& watch;
    silo_mode mode = silo_mode::monolith;
    /// Who acts, for the audit: a person or a service.
    std::string_view actor = "winnow";
    /// Old keys of models; read only for keys that the catalog does not know.
    std::span<const relocation> relocated = {};
    /// The databases of all silos. Without it nothing is replicated out of this process: a change of a replicated
    /// model is then refused rather than lost.
    silo_directory* silos = nullptr;
    /// The cell whose database this is; empty in a process of the control silo.
    std::string_view cell_name = "main";
    /// Where other programs look for the cursors of backfills; null: nowhere but in the database.
    cursor_store* cursors = nullptr;
    /// Where rate limits are shared if the option `deletion.rate_limit_in_redis` says so; null: in the database.
    bucket_store* buckets = nullptr;
    /// Opens more connections to `database`'s database, for work that several share; null: there is only that one.
    connector* opener = nullptr;
    /// How many connections work on one deletion; 0: as many as the option `deletion.connections` says. One where there
    /// is no `opener`, and on SQLite. With more than one, `time` is used by several threads, and `watch` by one at a
    /// time, but not always by the same.
    std::int64_t connections = 0;
    /// Asked when the work is to be put down at the next edge; null: it runs to its end.
    const stop_request* stop = nullptr;

    /// The same work over another connection and told to another observer. Nothing of what belongs to one thread is
    /// taken along: no silos, cursors or buckets.
    [[nodiscard]] context on(connection& other, observer& told, const stop_request* until) const noexcept {
        context made{models, other, time, told, mode, actor};
        made.relocated = relocated;
        made.cell_name = cell_name;
        made.stop = until;
        return made;
    }
    /// The same work in the same thread, told to another observer.
    [[nodiscard]] context told_to(observer& told) const noexcept {
        context made = on(database, told, stop);
        made.silos = silos;
        made.cursors = cursors;
        made.buckets = buckets;
        made.opener = opener;
        made.connections = connections;
        return made;
    }

    [[nodiscard]] bool stopping() const noexcept { return stop != nullptr && stop->asked(); }
    /// Sleeps, and wakes early when the work is to stop.
    void pause(clock::duration how_long) const {
        if (stop == nullptr) return time.sleep(how_long);
        constexpr clock::duration slice = std::chrono::milliseconds(50);
        for (; how_long.count() > 0 && !stopping(); how_long -= slice) time.sleep(std::min(how_long, slice));
    }

    [[nodiscard]] winnow::options options() const { return {database, models}; }

    /// Index of the model that a scheduled row means: by its key, or by the key that replaced it.
    [[nodiscard]] std::optional<std::size_t> find_scheduled(std::string_view key) const {
        std::optional<std::size_t> model = models.find(key);
        for (std::size_t step = 0; !model && step < relocated.size(); ++step) {
            for (const relocation& one : relocated) {
                if (one.from != key) continue;
                key = one.to;
                break;
            }
            model = models.find(key);
        }
        return model;
    }
    /// Index of a model that this process may work on.
    /// @throws error of kind `not_found` for an unknown key
    /// @throws availability_error when the silo mode does not reach the model's silo
    [[nodiscard]] std::size_t reachable(std::string_view key) const {
        const std::size_t model = models.at(key);
        require_reachable(model);
        return model;
    }
    void require_reachable(std::size_t model) const {
        const plan& about = models[model];
        if (reaches(mode, about.silo)) return;
        availability_error refused(std::string(about.key) + " lives in the " + std::string(name_of(about.silo)) +
                                   " silo, and this process serves " + std::string(name_of(mode)) + " only.");
        refused.with_model(about.key).with_hint("Run it where the silo mode is " + std::string(name_of(about.silo)) +
                                                " or monolith.");
        throw refused;
    }
};

}  // namespace winnow::inline v0
