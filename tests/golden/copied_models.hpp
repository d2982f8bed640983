// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <winnow/winnow.hpp>

#include <cstdint>
#include <optional>
#include <string>

/// Models that are copied to the other silo, and models that refer to rows there.
namespace depot {

enum class scope_of : std::int32_t { region = -1, worker = 2 };
enum class category : std::int32_t { crate_update = 1, worker_update = 2, shift_event = 3 };

struct crate {
    std::int32_t id;
    std::int64_t region;
    std::string label;
    std::optional<winnow::json_text> contents;
    std::optional<winnow::blob> picture;
};
struct crate_copy {
    std::string cell;
    std::int64_t crate;
    std::string label;
    std::optional<winnow::json_text> contents;
};
struct worker {
    std::int64_t id;
    std::string name;
};
struct shift {
    std::int64_t id;
    std::optional<std::int64_t> worker_id;
    std::int64_t place;
};
struct key_card {
    std::string serial;
    winnow::uuid door;
    std::int64_t worker_id;
};
WINNOW_DESCRIBE(crate, id, region, label, contents, picture)
WINNOW_DESCRIBE(crate_copy, cell, crate, label, contents)
WINNOW_DESCRIBE(worker, id, name)
WINNOW_DESCRIBE(shift, id, worker_id, place)
WINNOW_DESCRIBE(key_card, serial, door, worker_id)

}  // namespace depot

template <> struct winnow::categories<depot::category> {
    static constexpr auto scopes =
        winnow::scopes(scope<depot::scope_of::region, depot::category::crate_update, depot::category::shift_event>,
                       scope<depot::scope_of::worker, depot::category::worker_update>.strict());
    static constexpr auto every_event = winnow::events<depot::category::shift_event>;
};

// A mirror whose key is the cell's name and the source's key; a payload with JSON; a narrow key.
template <> struct winnow::model<depot::crate> {
    static constexpr text key = "depot.Crate";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto table = winnow::table("Crate").in_schema("Depot").on_sqlite("DepotCrate");
    static constexpr int replication_version = 3;
    static constexpr auto replication = replicates<depot::category::crate_update>(
        shard<&depot::crate::region>, payload<&depot::crate::label, &depot::crate::contents>,
        mirror<depot::crate_copy>(
            map<&depot::crate::id, &depot::crate_copy::crate>, map<&depot::crate::label, &depot::crate_copy::label>,
            map<&depot::crate::contents, &depot::crate_copy::contents>, from_cell<&depot::crate_copy::cell>));
};
template <> struct winnow::model<depot::crate_copy> {
    static constexpr text key = "depot.CrateCopy";
    static constexpr auto silo = winnow::silo::control;
    static constexpr text table = "crate copies";
    static constexpr auto primary_key = winnow::primary_key<&depot::crate_copy::cell, &depot::crate_copy::crate>;
};
// A control model with a handler of its own.
template <> struct winnow::model<depot::worker> {
    static constexpr text key = "depot.Worker";
    static constexpr auto silo = winnow::silo::control;
    static constexpr auto replication = replicates<depot::category::worker_update>(shard<&depot::worker::id>);
    static void replicate(const depot::worker&, winnow::delivery&) {}
};
// A reference that becomes null, in a model whose every change counts.
template <> struct winnow::model<depot::shift> {
    static constexpr text key = "depot.Shift";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto remotes = winnow::remotes(remote<"depot.Worker", &depot::shift::worker_id>.set_null());
    static constexpr auto replication = replicates<depot::category::shift_event>(shard<&depot::shift::place>);
    static void replicate(const depot::shift&, winnow::delivery&) {}
};
// A reference with which a row of a composite key goes.
template <> struct winnow::model<depot::key_card> {
    static constexpr text key = "depot.KeyCard";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto primary_key = winnow::primary_key<&depot::key_card::serial, &depot::key_card::door>;
    static constexpr auto remotes = winnow::remotes(remote<"depot.Worker", &depot::key_card::worker_id>);
};

namespace depot {

using models = winnow::registry<crate, crate_copy, worker, shift, key_card>;

}  // namespace depot
