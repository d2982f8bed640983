// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/delivery.hpp"

/// Models of the tests of draining: what each of them is for is said in domain.cpp.
namespace outbox_domain {

/// What the handlers do; set by a test, reset by the next.
struct spy {
    std::function<void(std::string_view model, std::int64_t id, const std::string& text, winnow::delivery& about)>
        replicate;
    std::function<void(std::string_view model, std::int64_t id, winnow::delivery& about)> erased;
};
[[nodiscard]] spy& hooks();

[[nodiscard]] const winnow::catalog& models();
/// The same models with `t.Org` in version 1 instead of 2.
[[nodiscard]] const winnow::catalog& older_models();
/// The same, where the table of `t.Org` is declared in the schema `app`.
[[nodiscard]] const winnow::catalog& older_models_in_schema();
/// The same without `t.Note`.
[[nodiscard]] const winnow::catalog& fewer_models();

/// Scopes and categories, as stored.
enum scope_number : std::int32_t { organization = 0, queue = 1, user = 2 };
enum category_number : std::int32_t {
    org_update,
    project_update,
    note_update,
    audit,
    ticket_update,
    slot_update,
    user_update
};

/// Tables of both silos; each database of a test gets both, and only one of them is used.
inline constexpr winnow::dialect_text tables = {
    "CREATE TABLE t_org (id bigint PRIMARY KEY, slug text NOT NULL, note text);"
    "CREATE TABLE t_org_copy (id bigserial PRIMARY KEY, org_id bigint NOT NULL UNIQUE, slug text NOT NULL UNIQUE, "
    "cell text NOT NULL, note text);"
    "CREATE TABLE t_project (id bigint PRIMARY KEY, org_id bigint NOT NULL, name text NOT NULL);"
    "CREATE TABLE t_project_copy (project_id bigint PRIMARY KEY, org_id bigint NOT NULL, name text NOT NULL CHECK (name "
    "<> 'poison'));"
    "CREATE TABLE t_note (id bigint PRIMARY KEY, org_id bigint NOT NULL, body text NOT NULL);"
    "CREATE TABLE t_audit (id bigint PRIMARY KEY, org_id bigint NOT NULL, body text NOT NULL);"
    "CREATE TABLE t_ticket (id bigint PRIMARY KEY, queue_id bigint NOT NULL, body text NOT NULL);"
    "CREATE TABLE t_slot (id bigint PRIMARY KEY, queue_id bigint NOT NULL, body text NOT NULL);"
    "CREATE TABLE t_slot_copy (slot_id bigint PRIMARY KEY, body text NOT NULL CHECK (body <> 'poison'));"
    "CREATE TABLE t_user (id bigint PRIMARY KEY, email text NOT NULL);"
    "CREATE TABLE t_user_copy (user_id bigint NOT NULL, cell text NOT NULL, email text NOT NULL, PRIMARY KEY (user_id, "
    "cell));"
    "CREATE TABLE effect (id bigserial PRIMARY KEY, what text NOT NULL);",
    "CREATE TABLE t_org (id INTEGER PRIMARY KEY AUTOINCREMENT, slug TEXT NOT NULL, note TEXT);"
    "CREATE TABLE t_org_copy (id INTEGER PRIMARY KEY AUTOINCREMENT, org_id INTEGER NOT NULL UNIQUE, slug TEXT NOT NULL "
    "UNIQUE, cell TEXT NOT NULL, note TEXT);"
    "CREATE TABLE t_project (id INTEGER PRIMARY KEY AUTOINCREMENT, org_id INTEGER NOT NULL, name TEXT NOT NULL);"
    "CREATE TABLE t_project_copy (project_id INTEGER PRIMARY KEY, org_id INTEGER NOT NULL, name TEXT NOT NULL CHECK "
    "(name <> 'poison'));"
    "CREATE TABLE t_note (id INTEGER PRIMARY KEY AUTOINCREMENT, org_id INTEGER NOT NULL, body TEXT NOT NULL);"
    "CREATE TABLE t_audit (id INTEGER PRIMARY KEY AUTOINCREMENT, org_id INTEGER NOT NULL, body TEXT NOT NULL);"
    "CREATE TABLE t_ticket (id INTEGER PRIMARY KEY AUTOINCREMENT, queue_id INTEGER NOT NULL, body TEXT NOT NULL);"
    "CREATE TABLE t_slot (id INTEGER PRIMARY KEY AUTOINCREMENT, queue_id INTEGER NOT NULL, body TEXT NOT NULL);"
    "CREATE TABLE t_slot_copy (slot_id INTEGER PRIMARY KEY, body TEXT NOT NULL CHECK (body <> 'poison'));"
    "CREATE TABLE t_user (id INTEGER PRIMARY KEY AUTOINCREMENT, email TEXT NOT NULL);"
    "CREATE TABLE t_user_copy (user_id INTEGER NOT NULL, cell TEXT NOT NULL, email TEXT NOT NULL, PRIMARY KEY (user_id, "
    "cell));"
    "CREATE TABLE effect (id INTEGER PRIMARY KEY AUTOINCREMENT, what TEXT NOT NULL);"};

}  // namespace outbox_domain
