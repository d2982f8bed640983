// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/abi/plan.h"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/relation.hpp"
#include "winnow/plugin/lift_model.hpp"
#include "winnow/plugin/lifted_records.hpp"
#include "winnow/plugin/reader.hpp"
#include "winnow/plugin/required_statements.hpp"
#include "winnow/plugin/statement_members.hpp"

namespace winnow::inline v0::detail {

/// The models of one plugin while they are lifted.
struct models_in_work {
    std::span<const plan> plans;
    /// By plan: whether its columns are what the plugin says. Those of others say nothing about relations.
    std::vector<bool> sound;

    /// The model with this key; null for a model of the host, or of nobody.
    [[nodiscard]] const plan* find(std::string_view key) const noexcept {
        const auto at = std::find_if(plans.begin(), plans.end(), [&](const plan& one) { return one.key == key; });
        return at == plans.end() || key.empty() ? nullptr : &*at;
    }
    [[nodiscard]] bool is_sound(const plan* of) const {
        return of != nullptr && sound[static_cast<std::size_t>(of - plans.data())];
    }
};

/// A column of a relation must be what the model itself says of it.
inline void check_column(contract_reader& in, const contract_place& at, const column& one, const plan& of) {
    if (one.name.postgres.empty()) return;
    for (const column& own : of.columns) {
        if (own.name.postgres != one.name.postgres || own.name.sqlite != one.name.sqlite) continue;
        if (own.kind != one.kind || own.optional != one.optional)
            in.blame(at, "says that column " + std::string(one.name.postgres) + " is " +
                             (one.optional ? "an optional " : "a ") + std::string(name_of(one.kind)) + ", but " +
                             std::string(of.key) + " has it as " + (own.optional ? "an optional " : "a ") +
                             std::string(name_of(own.kind)) + ". Say the same in both.");
        return;
    }
    in.blame(at, "names column " + std::string(one.name.postgres) + ", which is none of the columns of " +
                     std::string(of.key) + ". Name one of them, spelled the same for both kinds of database.");
}
inline void check_columns(contract_reader& in, const contract_place& at, std::span<const column> some,
                          const models_in_work& models, std::string_view key) {
    const plan* const of = models.find(key);
    if (!models.is_sound(of)) return;
    for (std::size_t i = 0; i < some.size(); ++i) check_column(in, contract_place(at, i), some[i], *of);
}

[[nodiscard]] inline std::vector<filter> lift_filters(contract_reader& in, const contract_place& at,
                                                      const winnow_filter_list& from, const models_in_work& models,
                                                      std::string_view child) {
    std::vector<filter> made;
    const std::vector<winnow_filter> items = in.read(at, from);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const contract_place here(at, i);
        const contract_place where(here, "where");
        filter& to = made.emplace_back();
        const std::vector<column> columns = lift_columns(in, where, items[i].where);
        if (items[i].where.count != 1) in.blame(where, "has to be one column. Give exactly one.");
        else if (columns.size() == 1) to.where = columns[0];
        check_columns(in, where, columns, models, child);
        to.literal = in.needed(contract_place(here, "literal"), items[i].literal, longest_text,
                               "give the value as an SQL literal, a text in single quotes");
    }
    return made;
}

[[nodiscard]] inline std::vector<std::string_view> lift_skips(contract_reader& in, const contract_place& at,
                                                              const winnow_text_list& from) {
    std::vector<std::string_view> made;
    if (!in.check_list(at, from.items, from.count)) return made;
    for (std::size_t i = 0; i < from.count; ++i)
        made.push_back(in.key(contract_place(at, i), from.items[i], "name a model that is to be left out"));
    return made;
}

/// What belongs to relations that lead to rows.
inline void lift_columns_of(contract_reader& in, const contract_place& at, const winnow_relation& from, relation& to,
                            const models_in_work& models, lifted_records& records) {
    const contract_place columns(at, "columns");
    to.columns = records.keep(lift_columns(in, columns, from.columns));
    if (from.columns.count == 0)
        in.blame(columns, "has no items: list the columns of the child that refer to the parent.");
    check_columns(in, columns, to.columns, models, to.child);
    const contract_place referenced(at, "referenced");
    to.referenced = records.keep(lift_columns(in, referenced, from.referenced));
    check_columns(in, referenced, to.referenced, models, to.parent);
    to.filters = records.keep(lift_filters(in, contract_place(at, "filters"), from.filters, models, to.child));
    if (from.external.call != nullptr)
        in.blame(contract_place(at, "external"),
                 "is set, but the relation leads to rows. Make its kind WINNOW_RELATION_EXTERNAL, or leave it out.");
    winnow_relation_statements statements{};
    const contract_place statements_at(at, "statements");
    const plan* const child = models.find(to.child);
    if (to.kind == relation_kind::do_nothing && from.statements == nullptr) return;
    if (in.read(statements_at, from.statements, statements, "point to the statements over the child's table"))
        lift_statements(in, statements_at, statements, to.statements, relation_statement_members,
                        [&](dialect_text relation_statements::* which) { return is_required(which, to, child); });
}

/// One relation. `attached`: the model is its child.
inline void lift_relation(contract_reader& in, contract_place& at, const winnow_relation& from, relation& to,
                          bool attached, const plan& owner, const models_in_work& models, lifted_records& records) {
    const bool external = from.kind == WINNOW_RELATION_EXTERNAL;
    const contract_place parent(at, "parent");
    const contract_place child(at, "child");
    to.parent = in.key(parent, from.parent, "name the key of the parent's model");
    to.child = external ? in.needed(child, from.child, longest_name, "name the external task")
                        : in.key(child, from.child, "name the key of the child's model");
    at.call(attached ? to.parent : to.child);
    // What belongs to another kind or to another model says nothing about this one: no further faults are made of it.
    if (!in.choice(contract_place(at, "kind"), from.kind, to.kind, WINNOW_RELATION_EXTERNAL, "WINNOW_RELATION_..."))
        return;
    const std::string_view own = attached ? to.child : to.parent;
    if (!own.empty() && is_model_key(owner.key) && own != owner.key && !(attached && external)) {
        in.blame(attached ? child : parent, "is \"" + std::string(own) + "\", but the relation stands in " +
                                                std::string(owner.key) + ". Name " + std::string(owner.key) +
                                                ", or move the relation to the other model.");
        return;
    }
    to.skips = records.keep(lift_skips(in, contract_place(at, "skips"), from.skips));
    to.applies = records.keep(from.applies);
    if (attached && from.applies.call != nullptr)
        in.blame(contract_place(at, "applies"),
                 "is set, but it would be asked about rows of " + std::string(to.parent) +
                     ", whose columns an attached model does not know. Leave it out, or declare the relation in the "
                     "parent.");
    if (!external) {
        lift_columns_of(in, at, from, to, models, records);
        return;
    }
    to.external = records.keep(from.external);
    if (attached)
        in.blame(contract_place(at, "kind"), "is external, but an external relation has no rows that could attach "
                                             "themselves. Put it into the relations of the parent.");
    if (from.external.call == nullptr)
        in.blame(contract_place(at, "external"), "is null: give the function that clears what is not in the database.");
    if (from.columns.count != 0 || from.filters.count != 0)
        in.blame(at, "is external and has columns or filters, which nobody would read. Leave them out.");
}

/// The relations of a plan whose own part is lifted, as those of all others are.
inline void lift_relations(contract_reader& in, const contract_place& at, const winnow_plan& from, plan& to,
                           const models_in_work& models, lifted_records& records) {
    const auto lift = [&](std::string_view field, const winnow_relation_list& list, bool attached) {
        const contract_place here(at, field);
        const std::vector<winnow_relation> items = in.read(here, list);
        std::vector<relation> made(items.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
            contract_place item(here, i);
            lift_relation(in, item, items[i], made[i], attached, to, models, records);
        }
        return records.keep(std::move(made));
    };
    to.relations = lift("relations", from.relations, false);
    to.attached = lift("attached", from.attached, true);
}

}  // namespace winnow::inline v0::detail
