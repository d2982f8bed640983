// SPDX-License-Identifier: Apache-2.0
// How tables, columns and references are called.
#include <winnow/winnow.hpp>

#include <cstdint>
#include <string>

struct Plain {
    std::int64_t id;
    std::int64_t album_id;
};
struct Spelled {
    std::int32_t id;
    std::int32_t unit_price;
    std::string odd;
};
struct APIKey {
    std::int64_t id;
};
WINNOW_DESCRIBE(Plain, id, album_id)
WINNOW_DESCRIBE(Spelled, id, unit_price, odd)
WINNOW_DESCRIBE(APIKey, id)

template <> struct winnow::model<Plain> {
    static constexpr text key = "tracker.GroupHash";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<Spelled> {
    static constexpr text key = "music.Track";
    static constexpr auto silo = winnow::silo::control;
    static constexpr auto table = winnow::table("invoice line").on_sqlite("InvoiceLine").in_schema("mu\"sic");
    static constexpr auto naming = winnow::naming{.postgres = spelling::camel, .sqlite = spelling::pascal};
    static constexpr auto columns = winnow::columns(column_name<&Spelled::odd>("an \"odd\" one").on_sqlite("odd"));
    static constexpr text foreign_name = "TrackId";
};
template <> struct winnow::model<APIKey> {
    static constexpr text key = "auth.APIKey";
    static constexpr auto silo = winnow::silo::control;
    static constexpr text table = "keys";
};

namespace {

constexpr const winnow::model_record& plain = winnow::lowered<Plain>::record;
static_assert(plain.names.table.postgres == "tracker_grouphash");
static_assert(plain.names.table.sqlite == "tracker_grouphash");
static_assert(plain.names.quoted_table.postgres == "\"tracker_grouphash\"");
static_assert(plain.names.foreign_name == "group_hash_id");
static_assert(plain.columns[1].name.postgres == "album_id");
static_assert(plain.columns[1].quoted.sqlite == "\"album_id\"");

constexpr const winnow::model_record& spelled = winnow::lowered<Spelled>::record;
static_assert(spelled.names.quoted_table.postgres == "\"mu\"\"sic\".\"invoice line\"");
static_assert(spelled.names.quoted_table.sqlite == "\"InvoiceLine\"");
static_assert(spelled.names.table.sqlite == "InvoiceLine");
static_assert(spelled.names.foreign_name == "TrackId");
static_assert(spelled.columns[1].name.postgres == "unitPrice");
static_assert(spelled.columns[1].name.sqlite == "UnitPrice");
static_assert(spelled.columns[1].quoted.sqlite == "\"UnitPrice\"");
static_assert(spelled.columns[2].name.postgres == "an \"odd\" one");
static_assert(spelled.columns[2].quoted.postgres == "\"an \"\"odd\"\" one\"");
static_assert(spelled.columns[2].quoted.sqlite == "\"odd\"");

static_assert(winnow::lowered<APIKey>::record.names.table.postgres == "keys");
static_assert(winnow::lowered<APIKey>::record.names.foreign_name == "api_key_id");

}  // namespace
