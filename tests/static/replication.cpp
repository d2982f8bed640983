// SPDX-License-Identifier: Apache-2.0
// Replication and remote relations: what a declaration is lowered to.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "golden/copied_models.hpp"
#include "winnow/derive/plans_of.hpp"
#include "winnow/derive/write.hpp"

namespace {

using winnow::category_kind;
using winnow::mirrored_column;
using winnow::plan;
using winnow::plan_of;
using winnow::remote_kind;
using winnow::write_statements_of;

constexpr const plan& crate = plan_of<depot::models, depot::crate>();
constexpr const plan& worker = plan_of<depot::models, depot::worker>();
constexpr const plan& shift = plan_of<depot::models, depot::shift>();
constexpr const plan& key_card = plan_of<depot::models, depot::key_card>();

// Category and scope are the application's numbers and names.
static_assert(depot::models::proved);
static_assert(crate.replication->version == 3 && worker.replication->version == 1);
static_assert(crate.replication->category == 1 && crate.replication->category_name == "crate_update");
static_assert(crate.replication->scope == -1 && crate.replication->scope_name == "region");
static_assert(!crate.replication->strict_order && worker.replication->strict_order);
static_assert(crate.replication->kind == category_kind::latest_state);
static_assert(shift.replication->kind == category_kind::every_event);
static_assert(key_card.replication == nullptr);

// Shard and payload are columns of the model.
static_assert(crate.replication->shard == 1 && worker.replication->shard == 0 && shift.replication->shard == 2);
static_assert(std::ranges::equal(crate.replication->payload, std::array<std::uint16_t, 2>{2, 3}));

// The mirror's columns in the order of the maps; found by its own key, of which the cell's name is a part.
static_assert(crate.replication->mirror.model == "depot.CrateCopy" && !worker.replication->mirror);
static_assert(crate.replication->mirror.columns.size() == 4);
static_assert(crate.replication->mirror.columns[0].source == 0 && crate.replication->mirror.columns[0].identifies);
static_assert(crate.replication->mirror.columns[0].target.name.postgres == "crate");
static_assert(!crate.replication->mirror.columns[1].identifies && !crate.replication->mirror.columns[2].identifies);
static_assert(crate.replication->mirror.columns[3].source == mirrored_column::cell_name &&
              crate.replication->mirror.columns[3].identifies);

// User code is a function pointer, where it was written. (Not `!= nullptr`: g++ warns that a known address is none.)
constexpr bool has_erased(const plan& of) { return static_cast<bool>(of.replication->hooks.erased); }
static_assert(!has_erased(worker) && crate.replication->hooks.replicate == nullptr);

// The fingerprint tells mappings apart and is that of the mapping.
static_assert(crate.replication->fingerprint != worker.replication->fingerprint);
static_assert(crate.replication->fingerprint == winnow::replication_of<depot::crate>.fingerprint);

// Remote relations.
static_assert(shift.remotes.size() == 1 && key_card.remotes.size() == 1 && crate.remotes.empty());
static_assert(shift.remotes[0].kind == remote_kind::set_null && shift.remotes[0].parent == "depot.Worker");
static_assert(shift.remotes[0].index == 1 && shift.remotes[0].reference.name.postgres == "worker_id");
static_assert(!shift.remotes[0].statements.nullify.empty() && key_card.remotes[0].statements.nullify.empty());
static_assert(key_card.remotes[0].kind == remote_kind::cascade);

// Statements of a mirror exist where there is one.
static_assert(!crate.replication->mirror.upsert.empty() && worker.replication->mirror.upsert.empty());

// A row whose key the database makes; a composite key has none.
static_assert(winnow::key_is_generated<depot::crate> && !winnow::key_is_generated<depot::key_card>);
static_assert(write_statements_of<depot::crate>.insert_generated.sqlite.ends_with(R"(RETURNING "id")"));
static_assert(write_statements_of<depot::key_card>.insert_generated.empty());
// Neither key nor shard is changed; blobs are bytes on SQLite, and not sent in sets.
static_assert(write_statements_of<depot::crate>.update.sqlite ==
              R"(UPDATE "DepotCrate" SET "label" = ?3, "contents" = ?4, "picture" = CAST(?5 AS BLOB) )"
              R"(WHERE "id" = ?1 AND "region" = ?2)");
static_assert(write_statements_of<depot::crate>.update_rows.sqlite.empty() &&
              !write_statements_of<depot::crate>.update_rows.postgres.empty());
static_assert(write_statements_of<depot::worker>.insert_rows_generated.sqlite ==
              R"(INSERT INTO "depot_worker" ("name") SELECT s.value FROM json_each(?1) AS s RETURNING "id")");
static_assert(write_statements_of<depot::worker>.update.postgres ==
              R"(UPDATE "depot_worker" SET "name" = $2 WHERE "id" = $1)");

}  // namespace
