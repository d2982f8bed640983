// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/plan/catalog.hpp"

namespace winnow::inline v0::cli {

namespace detail {

[[nodiscard]] inline std::string table_text(const plan& of, std::optional<dialect> which) {
    const auto spelled = [&](dialect one) {
        return (of.schema[one].empty() ? "" : std::string(of.schema[one]) + ".") + std::string(of.table[one]);
    };
    if (which) return spelled(*which);
    const std::string postgres = spelled(dialect::postgres);
    const std::string sqlite = spelled(dialect::sqlite);
    return postgres == sqlite ? postgres : postgres + " (sqlite: " + sqlite + ")";
}

[[nodiscard]] inline json relation_json(const catalog& models, const edge& one) {
    json columns = json::array();
    for (const column& each : one.relation->columns) columns.push_back(std::string(each.name.postgres));
    return {{"kind", std::string(name_of(one.relation->kind))},
            {"parent", std::string(models[one.parent].key)},
            {"child", std::string(one.relation->child)},
            {"columns", std::move(columns)}};
}

inline int show_models(environment& in, const given&) {
    const catalog& models = in.models();
    if (in.out().as_json()) {
        json list = json::array();
        for (std::size_t model = 0; model < models.size(); ++model) {
            const plan& one = models[model];
            json key = json::array();
            for (const std::uint16_t part : one.primary_key)
                key.push_back(std::string(one.columns[part].name.postgres));
            list.push_back(
                {{"key", std::string(one.key)},
                 {"table",
                  {{"postgresql", table_text(one, dialect::postgres)}, {"sqlite", table_text(one, dialect::sqlite)}}},
                 {"primary_key", std::move(key)},
                 {"silo", std::string(name_of(one.silo))},
                 {"strategy", std::string(name_of(models.strategy_of(model)))},
                 {"reason", std::string(one.strategy_reason)},
                 {"chunk_size", one.chunk_size},
                 {"rate_limit_option", text_or_null(one.rate_limit_option)}});
        }
        in.out().print(json{{"models", std::move(list)}});
        return 0;
    }
    const std::optional<dialect> which = in.dialect_of_url();
    table lines{"model", "table", "silo", "strategy", "why"};
    for (std::size_t model = 0; model < models.size(); ++model) {
        const plan& one = models[model];
        lines.add({std::string(one.key), table_text(one, which), std::string(name_of(one.silo)),
                   std::string(name_of(models.strategy_of(model))), std::string(one.strategy_reason)});
    }
    in.out().print(lines);
    return 0;
}

// Appended, here and below: where texts are added to a literal, g++ 12 warns (-Wrestrict) when it optimizes.

/// A name that both graph languages take, for the model with this index.
[[nodiscard]] inline std::string node_name(std::size_t model) { return std::string("m").append(std::to_string(model)); }

/// The same for an external task.
[[nodiscard]] inline std::string task_name(std::size_t number) {
    return std::string("t").append(std::to_string(number));
}

[[nodiscard]] inline std::string relation_label(const edge& one) {
    std::string label(name_of(one.relation->kind));
    for (std::size_t i = 0; i < one.relation->columns.size(); ++i) {
        label += i == 0 ? " " : ", ";
        label += one.relation->columns[i].name.postgres;
    }
    return label;
}

[[nodiscard]] inline std::string mermaid(const catalog& models) {
    std::string text = "graph TD\n";
    std::size_t tasks = 0;
    for (std::size_t model = 0; model < models.size(); ++model) {
        text.append("    ").append(node_name(model)).append("[\"").append(models[model].key).append("\"]\n");
    }
    for (std::size_t model = 0; model < models.size(); ++model) {
        for (const edge& one : models.edges_from(model)) {
            const bool external = one.child == edge::none;
            const bool solid = one.relation->kind == relation_kind::cascade || external;
            text.append("    ").append(node_name(model)).append(solid ? " -->" : " -.->");
            text.append("|\"").append(relation_label(one)).append("\"| ");
            if (external) text.append(task_name(tasks++)).append("([\"").append(one.relation->child).append("\"])");
            else text.append(node_name(one.child));
            text += '\n';
        }
    }
    return text;
}

[[nodiscard]] inline std::string dot(const catalog& models) {
    std::string text = "digraph models {\n    node [shape=box];\n";
    std::size_t tasks = 0;
    for (std::size_t model = 0; model < models.size(); ++model) {
        text.append("    ").append(node_name(model)).append(" [label=\"").append(models[model].key).append("\"];\n");
    }
    for (std::size_t model = 0; model < models.size(); ++model) {
        for (const edge& one : models.edges_from(model)) {
            std::string target = one.child == edge::none ? "" : node_name(one.child);
            if (target.empty()) {
                target = task_name(tasks++);
                text.append("    ").append(target).append(" [label=\"").append(one.relation->child);
                text += "\", shape=ellipse];\n";
            }
            text.append("    ").append(node_name(model)).append(" -> ").append(target);
            text.append(" [label=\"").append(relation_label(one)).append("\"");
            if (one.relation->kind != relation_kind::cascade) text += ", style=dashed";
            text += "];\n";
        }
    }
    return text + "}\n";
}

inline int show_graph(environment& in, const given& arguments) {
    const catalog& models = in.models();
    if (!in.out().as_json()) {
        in.out().print_text(arguments.text("--format", "mermaid") == "dot" ? dot(models) : mermaid(models));
        return 0;
    }
    json keys = json::array();
    json relations = json::array();
    for (std::size_t model = 0; model < models.size(); ++model) {
        keys.push_back(std::string(models[model].key));
        for (const edge& one : models.edges_from(model)) relations.push_back(relation_json(models, one));
    }
    in.out().print(json{{"models", std::move(keys)}, {"relations", std::move(relations)}});
    return 0;
}

}  // namespace detail

/// `models` and `graph`: what the program knows. Neither needs a database.
[[nodiscard]] inline std::vector<command> models_commands() {
    return {{"models", "the models: table, silo, and how their rows go", {}, detail::show_models},
            {"graph",
             "the models and their relations as a graph",
             {option("--format", "FORMAT", "mermaid (the default) or dot", {"mermaid", "dot"})},
             detail::show_graph}};
}

}  // namespace winnow::inline v0::cli
