// SPDX-License-Identifier: Apache-2.0
// One model at a time: what its trait is lowered to.
#include <cstdint>
#include <string_view>

#include "golden/models.hpp"

namespace {

using namespace std::string_view_literals;
using winnow::fault;
using winnow::lowered;
using winnow::model_record;
using winnow::relation_kind;

// Names that are made: of the table, of references to it, of columns.
struct group_hash {
    std::int64_t id;
    std::int64_t first_seen_at;
};
WINNOW_DESCRIBE(group_hash, id, first_seen_at)
struct api_key {
    std::int64_t id;
};
WINNOW_DESCRIBE(api_key, id)
}  // namespace

template <> struct winnow::model<group_hash> {
    static constexpr text key = "tracker.GroupHash";
    static constexpr auto silo = winnow::silo::control;
    static constexpr auto naming = winnow::naming{.postgres = spelling::camel, .sqlite = spelling::pascal};
};
template <> struct winnow::model<api_key> {
    static constexpr text key = "auth.APIKey";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto table = winnow::table("keys").in_schema("auth").in_attached("secrets").on_sqlite("Keys");
    static constexpr int chunk_size = 7;
    static constexpr bool newest_first = true;
    static bool should_proceed(const api_key& asked) { return asked.id > 0; }
};

namespace {

constexpr const model_record& hash = lowered<group_hash>::record;
static_assert(!hash.problem);
static_assert(hash.key == "tracker.GroupHash" && hash.silo == winnow::silo::control);
static_assert(hash.names.table.postgres == "tracker_grouphash" && hash.names.table.sqlite == "tracker_grouphash");
static_assert(hash.names.quoted_table.postgres == R"("tracker_grouphash")");
static_assert(hash.names.foreign_name == "group_hash_id");
static_assert(hash.members[1].name == "first_seen_at");
static_assert(hash.columns[1].name.postgres == "firstSeenAt" && hash.columns[1].name.sqlite == "FirstSeenAt");
static_assert(hash.columns[1].quoted.sqlite == R"("FirstSeenAt")");
static_assert(hash.primary_key.size == 1 && hash.primary_key.at[0] == 0);
static_assert(hash.chunk_size == 0 && hash.query_limit == 0 && !hash.newest_first && !hash.strategy_given);
static_assert(!hash.status && hash.birth == -1 && hash.relations.empty() && hash.attached.empty());

constexpr const model_record& secret = lowered<api_key>::record;
static_assert(secret.names.foreign_name == "api_key_id");
static_assert(secret.names.quoted_table.postgres == R"("auth"."keys")");
static_assert(secret.names.quoted_table.sqlite == R"("secrets"."Keys")");
static_assert(secret.chunk_size == 7 && secret.newest_first);
static_assert(!secret.per_row_hooks, "should_proceed is asked about the root only");

// A status, a birth column, limits, hooks and relations.
constexpr const model_record& account = lowered<shop::account>::record;
static_assert(account.status.index == 3 && account.status.active == 0);
static_assert(account.status.pending == 2 && account.status.in_progress == 3);
static_assert(account.birth == 1);
static_assert(account.chunk_size == 50 && account.query_limit == 200);
static_assert(account.rate_limit_option == "shop.accounts_per_second");
static_assert(account.per_row_hooks);
static_assert(account.relations.size() == 4);
static_assert(account.relations[0].kind == relation_kind::external && account.relations[0].child == "pictures");
static_assert(account.relations[1].child == "shop.Order" && account.relations[1].skips.size() == 1);
static_assert(account.relations[1].skips[0] == "shop.Label");
static_assert(account.relations[2].kind == relation_kind::restrict_ && account.relations[2].referenced.at[0] == 2);
static_assert(account.relations[3].filters.size() == 2 && account.relations[3].filters[0].integer == 1);
static_assert(account.relations[3].filters[1].characters == "people's");

constexpr const model_record& order = lowered<shop::order>::record;
static_assert(order.status.index == 2 && order.status.active == 1);
static_assert(order.status.pending == 8 && order.status.in_progress == 9);
static_assert(order.relations[1].conditional && !order.relations[0].conditional);

constexpr const model_record& line = lowered<shop::order_line>::record;
static_assert(line.primary_key.size == 2 && line.primary_key.at[0] == 0 && line.primary_key.at[1] == 1);
static_assert(line.relations[0].columns.size == 2 && line.relations[0].referenced.size == 0);

constexpr const model_record& device = lowered<shop::device>::record;
static_assert(device.columns[2].name.postgres == "Replaced \"By\"" && device.columns[2].name.sqlite == "replacement");
static_assert(device.columns[2].quoted.postgres == "\"Replaced \"\"By\"\"\"");

constexpr const model_record& note = lowered<shop::note>::record;
static_assert(note.attached.size() == 2 && note.relations.empty());
static_assert(note.attached[0].parent == "shop.Account" && note.attached[0].kind == relation_kind::cascade);
static_assert(note.attached[1].parent == "shop.Order" && note.attached[1].kind == relation_kind::set_null);

// What is missing is a fault in the record, never an error of its own.
struct stranger {
    std::int64_t id;
};
static_assert(lowered<stranger>::record.problem.what == fault::no_model);
static_assert(lowered<int>::record.problem.what == fault::no_model);

// Keys of models.
using winnow::detail::is_model_key;
static_assert(is_model_key("a.B") && is_model_key("app_2.Model_3") && is_model_key("_a._b"));
static_assert(!is_model_key("") && !is_model_key(".") && !is_model_key("a.") && !is_model_key(".b"));
static_assert(!is_model_key("a") && !is_model_key("a.b.c") && !is_model_key("a..b") && !is_model_key("2a.b"));
static_assert(!is_model_key("a b.c") && !is_model_key("a.b-c") && !is_model_key("a.\"b"));
static_assert(!is_model_key("a.b\0"sv));

// The status that winnow knows.
static_assert(winnow::is_deleting(winnow::object_status::pending_deletion));
static_assert(winnow::is_deleting(winnow::object_status::deletion_in_progress));
static_assert(!winnow::is_deleting(winnow::object_status::active));
static_assert(!winnow::is_deleting(winnow::object_status::hidden));

}  // namespace
