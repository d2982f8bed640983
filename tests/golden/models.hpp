// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <winnow/winnow.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Seven models that between them have every kind of relation, key and name.
namespace shop {

enum class order_state : std::int32_t { open = 1, paid = 2, closing = 8, closed = 9 };
enum class label_target : std::int32_t { account = 1, order = 2 };

struct account {
    std::int64_t id;
    winnow::uuid guid;
    std::string slug;
    winnow::object_status status;
};
WINNOW_DESCRIBE(account, id, guid, slug, status)

struct order {
    std::int64_t id;
    std::int64_t account_id;
    order_state state;
    double total;
};
WINNOW_DESCRIBE(order, id, account_id, state, total)

struct order_line {
    std::int64_t order_id;
    std::int32_t position;
    std::optional<std::string> category_code;
};
WINNOW_DESCRIBE(order_line, order_id, position, category_code)

struct category {
    std::string code;
    std::optional<std::string> parent_code;
    winnow::json_text properties;
};
WINNOW_DESCRIBE(category, code, parent_code, properties)

struct device {
    winnow::uuid id;
    std::string account_slug;
    std::optional<winnow::uuid> replaced_by;
};
WINNOW_DESCRIBE(device, id, account_slug, replaced_by)

struct label {
    std::int32_t id;
    std::int64_t object_id;
    label_target object_kind;
    std::string source;
    std::optional<winnow::uuid> device_id;
};
WINNOW_DESCRIBE(label, id, object_id, object_kind, source, device_id)

struct note {
    std::int64_t id;
    std::int64_t account_id;
    std::optional<std::int64_t> order_id;
    std::optional<std::int32_t> line_position;
    bool pinned;
};
WINNOW_DESCRIBE(note, id, account_id, order_id, line_position, pinned)

/// Pictures of accounts, on a disk.
struct pictures {
    static constexpr winnow::text name = "pictures";
    static bool chunk(const std::vector<std::int64_t>& ids, const winnow::hook_context&) { return ids.empty(); }
};

inline bool is_paid(const order& asked) { return asked.state == order_state::paid; }

}  // namespace shop

// A schema, mixed case, a status, a birth column, hooks, limits; and most kinds of relations.
template <> struct winnow::model<shop::account> {
    static constexpr text key = "shop.Account";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto table = winnow::table("Account").in_schema("Shop").on_sqlite("ShopAccount");
    static constexpr auto status = &shop::account::status;
    static constexpr auto birth = &shop::account::guid;
    static constexpr auto children = winnow::children(
        external<shop::pictures>, cascade<&shop::order::account_id>.skip<shop::label>(),
        restrict_<&shop::device::account_slug, &shop::account::slug>,
        cascade<&shop::label::object_id>.where<&shop::label::object_kind>(shop::label_target::account).where<&shop::label::source>("people's"));
    static constexpr int chunk_size = 50;
    static constexpr int query_limit = 200;
    static constexpr text rate_limit_option = "shop.accounts_per_second";
    static bool should_proceed(const shop::account& asked) { return is_deleting(asked.status); }
    static void pending_delete(const shop::account&, const hook_context&) {}
    static void after_delete(const shop::account&) {}
};

// A reserved word, columns spelled differently on SQLite, a status in the user's own enum, a relation that
// depends on the row.
template <> struct winnow::model<shop::order> {
    static constexpr text key = "shop.Order";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr text table = "order";
    static constexpr auto naming = winnow::naming{.sqlite = spelling::pascal};
    static constexpr auto status = winnow::status<&shop::order::state>{.active = shop::order_state::open,
                                                                       .pending = shop::order_state::closing,
                                                                       .in_progress = shop::order_state::closed};
    static constexpr auto children =
        winnow::children(cascade<&shop::order_line::order_id>,
                         cascade<&shop::label::object_id>.where<&shop::label::object_kind>(2).when<&shop::is_paid>());
    static constexpr bool newest_first = true;
};

// A composite key, referred to as a whole by a composite reference.
template <> struct winnow::model<shop::order_line> {
    static constexpr text key = "shop.OrderLine";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto primary_key = winnow::primary_key<&shop::order_line::order_id, &shop::order_line::position>;
    static constexpr auto naming = winnow::naming{.sqlite = spelling::camel};
    static constexpr auto children = winnow::children(set_null<on<&shop::note::order_id, &shop::note::line_position>>);
};

// A text key, and a tree in one table.
template <> struct winnow::model<shop::category> {
    static constexpr text key = "shop.Category";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto primary_key = winnow::primary_key<&shop::category::code>;
    static constexpr auto children =
        winnow::children(cascade<&shop::category::parent_code>, set_null<&shop::order_line::category_code>);
};

// A UUID key, a column with a name of its own, a chain in one table that is unlinked, a relation that is
// never looked at.
template <> struct winnow::model<shop::device> {
    static constexpr text key = "shop.Device";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto columns =
        winnow::columns(column_name<&shop::device::replaced_by>("Replaced \"By\"").on_sqlite("replacement"));
    static constexpr auto children =
        winnow::children(set_null<&shop::device::replaced_by>, do_nothing<&shop::label::device_id>);
};

// A leaf, in bulk by declaration.
template <> struct winnow::model<shop::label> {
    static constexpr text key = "shop.Label";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto strategy = winnow::strategy::bulk;
};

// A model that attaches itself to two parents which do not know it.
template <> struct winnow::model<shop::note> {
    static constexpr text key = "plugin.Note";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto parents =
        winnow::parents(belongs_to<"shop.Account", &shop::note::account_id>.where<&shop::note::pinned>(false),
                        belongs_to<"shop.Order", &shop::note::order_id>.set_null());
};

namespace shop {

using models = winnow::registry<account, order, order_line, category, device, label, note>;

}  // namespace shop
