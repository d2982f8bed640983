// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "winnow/core/error.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/graph_records.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/silo.hpp"
#include "winnow/store/sql_literal.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Spells the triggers of one replicated model in one dialect.
class trigger_spelling {
public:
    trigger_spelling(const plan& of, dialect which, std::span<const std::string_view> cells)
        : of_(of), about_(*of.replication), which_(which), cells_(cells) {
        name_ = "winnow_outbox_";
        for (const char c : of.key) {
            const bool upper = c >= 'A' && c <= 'Z';
            name_ += c == '.' ? '_' : upper ? static_cast<char>(c - 'A' + 'a') : c;
        }
        if (name_.size() <= 55) return;
        // PostgreSQL cuts a name at 63 bytes, and two models may begin alike.
        name_.resize(40);
        name_ += "_" + std::to_string(hash_of(of.key) % 1'000'000'000'000ULL);
    }

    [[nodiscard]] std::string postgres() const {
        const std::string table(of_.quoted_table.postgres);
        std::string out = "CREATE OR REPLACE FUNCTION " + name_ +
                          "() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $winnow$\n";
        out += "BEGIN\n";
        out += "    IF TG_OP = 'UPDATE' AND NEW." + shard() + " IS DISTINCT FROM OLD." + shard() + " THEN\n";
        out += "        RAISE EXCEPTION " + sql_literal(shard_text(" %")) + ", OLD." + key() +
               " USING ERRCODE = 'check_violation';\n    END IF;\n";
        out += "    IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND NEW." + key() + " IS DISTINCT FROM OLD." + key() +
               ") THEN\n";
        out += "        " + insert("OLD", "        ") + "    END IF;\n";
        out += "    IF TG_OP <> 'DELETE' THEN\n        " + insert("NEW", "        ") + "    END IF;\n";
        out += "    RETURN NULL;\nEND\n$winnow$;\n";
        out += "DROP TRIGGER IF EXISTS winnow_outbox ON " + table + ";\n";
        out += "CREATE TRIGGER winnow_outbox AFTER INSERT OR UPDATE OR DELETE ON " + table +
               " FOR EACH ROW EXECUTE FUNCTION " + name_ + "();\n";
        return out;
    }

    [[nodiscard]] std::string sqlite() const {
        const auto trigger = [&](std::string_view suffix, const std::string& when, const std::string& body) {
            const std::string name = name_ + "_" + std::string(suffix);
            return "DROP TRIGGER IF EXISTS " + name + ";\nCREATE TRIGGER " + name + " " + when + " BEGIN\n" + body +
                   "END;\n";
        };
        const std::string table(of_.quoted_table.sqlite);
        std::string out =
            trigger("shard", "BEFORE UPDATE ON " + table + " WHEN NEW." + shard() + " IS NOT OLD." + shard(),
                    "    SELECT RAISE(ABORT, " + sql_literal(shard_text("")) + ");\n");
        out += trigger("insert", "AFTER INSERT ON " + table, "    " + insert("NEW", "    "));
        out += trigger("update", "AFTER UPDATE ON " + table, "    " + insert("NEW", "    "));
        // The row with the former key is gone.
        out += trigger("key", "AFTER UPDATE ON " + table + " WHEN NEW." + key() + " IS NOT OLD." + key(),
                       "    " + insert("OLD", "    "));
        out += trigger("delete", "AFTER DELETE ON " + table, "    " + insert("OLD", "    "));
        return out;
    }

private:
    [[nodiscard]] std::string key() const { return std::string(of_.columns[of_.primary_key[0]].quoted[which_]); }
    [[nodiscard]] std::string shard() const { return std::string(of_.columns[about_.shard].quoted[which_]); }
    [[nodiscard]] std::string shard_text(std::string_view row) const {
        std::string column(of_.columns[about_.shard].name[which_]);
        // A percent sign stands for a value in RAISE.
        if (which_ == dialect::postgres)
            for (std::size_t at = column.find('%'); at != std::string::npos; at = column.find('%', at + 2))
                column.insert(at, 1, '%');
        return "winnow: " + column + " of " + std::string(of_.key) + std::string(row) +
               " names the shard of its messages and never changes";
    }
    [[nodiscard]] std::string insert(const std::string& row, const std::string& indent) const {
        const bool postgres = which_ == dialect::postgres;
        std::string out = "INSERT INTO winnow_" + std::string(name_of(of_.silo)) +
                          "_outbox (shard_scope, shard_identifier, category, object_identifier, cell_name, payload)\n";
        out += indent + "    VALUES ";
        for (std::size_t i = 0; i < cells_.size(); ++i) {
            if (i != 0) out += ",\n" + indent + "           ";
            out += "(" + std::to_string(about_.scope) + ", " + row + "." + shard() + ", " +
                   std::to_string(about_.category) + ", " + row + "." + key() + ", " + sql_literal(cells_[i]) + ", ";
            if (about_.payload.empty()) {
                out += "NULL)";
                continue;
            }
            out += postgres ? "jsonb_build_object(" : "json_object(";
            for (std::size_t p = 0; p < about_.payload.size(); ++p) {
                const column& one = of_.columns[about_.payload[p]];
                const std::string column = row + "." + std::string(one.quoted[which_]);
                out += (p == 0 ? "" : ", ") + sql_literal(one.name[which_]) + ", ";
                if (one.kind != value_kind::json) out += column;
                else out += postgres ? column + "::jsonb" : "json(" + column + ")";
            }
            out += "))";
        }
        return out + ";\n";
    }

    const plan& of_;
    const replication& about_;
    dialect which_;
    std::span<const std::string_view> cells_;
    std::string name_;
};

}  // namespace detail

/// Triggers that write the messages of replicated models whoever changes their rows, raw SQL included, and that refuse a
/// change of a shard column (rule 8). Optional: winnow writes its messages without them, and with them an object has two,
/// which are delivered as one. A model of an `every_event` category is left out, with the reason in a comment, because each
/// of the two would be delivered.
///
/// Not caught: TRUNCATE, and on SQLite a row that REPLACE removes because of another unique column.
/// The script can be run again; run it again when a model, a cell or winnow's tables change.
/// @param cells names of the cells that messages of control models go to
/// @param mode triggers for the tables of these silos only, as they are in one database
/// @throws error of kind `configuration` when a control model is replicated and no cell is named
[[nodiscard]] inline std::string trigger_ddl(const catalog& models, dialect which,
                                             std::span<const std::string_view> cells,
                                             silo_mode mode = silo_mode::monolith) {
    constexpr std::array<std::string_view, 1> control{""};
    std::string script;
    for (std::size_t model = 0; model < models.size(); ++model) {
        const plan& of = models[model];
        if (of.replication == nullptr || !reaches(mode, of.silo)) continue;
        script += "-- " + std::string(of.key);
        if (of.replication->kind == category_kind::every_event) {
            script += ": no trigger. Each message of category " + std::string(of.replication->category_name) +
                      " counts, and a change made by winnow would have two.\n";
            continue;
        }
        if (which == dialect::sqlite && !of.schema.sqlite.empty()) {
            script += ": no trigger. A trigger cannot write to a table of another attached database.\n";
            continue;
        }
        if (of.silo == silo::control && cells.empty())
            throw error(failure::configuration,
                        "A trigger of " + std::string(of.key) +
                            " has to name the cells that its messages go to, and none is known.")
                .with_model(of.key)
                .with_hint("Name the cells in the configuration, or give them by hand.");
        script += "\n";
        const detail::trigger_spelling spell(
            of, which, of.silo == silo::control ? cells : std::span<const std::string_view>(control));
        script += which == dialect::postgres ? spell.postgres() : spell.sqlite();
    }
    return script;
}

}  // namespace winnow::inline v0
