// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace winnow::inline v0 {

/// What a struct is as a model. Specialized by the user; every member is `static`.
///
/// | member | meaning | without it |
/// | --- | --- | --- |
/// | `text key` | `app.Model`, unique in a program | required |
/// | `silo` | `winnow::silo::control` or `::cell` | required |
/// | `table` | `winnow::table("…")` or a text | `app_model` in lower case |
/// | `naming`, `columns` | spelling of all columns, names of single ones | the members' names |
/// | `primary_key` | `winnow::primary_key<&T::a, …>` | `&T::id` |
/// | `children` | `winnow::children(cascade<…>, …)` | no relation |
/// | `parents` | `winnow::parents(belongs_to<"app.Model", &T::m>)` | not attached |
/// | `unrelated` | `winnow::unrelated<&T::m, …>` | no member excused |
/// | `foreign_name` | what others call a reference to it | `model_id` in snake case |
/// | `status` | `&T::status` or `winnow::status<&T::m>{…}` | not marked |
/// | `birth` | `&T::m`: immutable, tells a reused key from the first one (R22) | the key alone |
/// | `strategy` | `winnow::strategy::bulk` or `::per_row` | deduced |
/// | `int chunk_size`, `query_limit` | most rows per statement, rows fetched at once | 1 000 per row, 10 000 bulk |
/// | `bool newest_first` | children in falling key order | false |
/// | `text rate_limit_option` | option that holds rows per second | no limit |
/// | `should_proceed`, `pending_delete`, `before_delete`, `after_delete` | hooks | none |
///
/// Unqualified names of winnow are found inside the specialization.
template <class Type>
struct model;

}  // namespace winnow::inline v0
