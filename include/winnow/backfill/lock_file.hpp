// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/backfill/record.hpp"
#include "winnow/core/error.hpp"
#include "winnow/core/json_value.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/replication.hpp"

namespace winnow::inline v0 {

/// What a user's repository remembers of how one model is copied, so that a change of it is noticed.
struct locked_model {
    std::string key;
    std::int64_t version = 0;
    std::string fingerprint;           ///< 16 hexadecimal digits
    std::string category;              ///< `name = number`
    std::string scope;                 ///< `name = number`
    std::string mirror;                ///< key of the copy's model; empty: none
    std::vector<std::string> columns;  ///< `source -> target`

    friend bool operator==(const locked_model&, const locked_model&) = default;
};

namespace detail {

[[nodiscard]] inline locked_model lock_of(const plan& of) {
    const replication& copied = *of.replication;
    const auto numbered = [](std::string_view name, std::int32_t number) {
        return std::string(name) + " = " + std::to_string(number);
    };
    locked_model made;
    made.key = of.key;
    made.version = copied.version;
    const std::string whole = backfill_fingerprint(copied);
    made.fingerprint = whole.substr(whole.find(':') + 1);
    made.category = numbered(copied.category_name, copied.category);
    made.scope = numbered(copied.scope_name, copied.scope);
    made.mirror = copied.mirror.model;
    for (const mirrored_column& one : copied.mirror.columns) {
        const bool of_cell = one.source == mirrored_column::cell_name;
        const std::string_view source = of_cell ? std::string_view("(cell)") : of.columns[one.source].name.postgres;
        made.columns.push_back(std::string(source) + " -> " + std::string(one.target.name.postgres));
    }
    return made;
}
[[nodiscard]] inline std::vector<locked_model> locks_of(const catalog& models) {
    std::vector<locked_model> all;
    for (std::size_t model = 0; model < models.size(); ++model)
        if (models[model].replication != nullptr) all.push_back(lock_of(models[model]));
    std::sort(all.begin(), all.end(), [](const locked_model& a, const locked_model& b) { return a.key < b.key; });
    return all;
}

inline void append_lock_text(std::string& to, std::string_view text) {
    to += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') to += '\\';
        to += c;
    }
    to += '"';
}

}  // namespace detail

/// The lock file of a catalog: JSON, models by key, one property a line, so that a review shows what changed.
[[nodiscard]] inline std::string lock_text(const catalog& models) {
    std::string text = "{\n  \"winnow_lock\": 1,\n  \"models\": {";
    std::string_view between = "\n";
    for (const locked_model& one : detail::locks_of(models)) {
        const auto property = [&](std::string_view name, std::string_view value_text, bool quoted = true) {
            text += "\n      \"";
            text += name;
            text += "\": ";
            if (quoted) detail::append_lock_text(text, value_text);
            else text += value_text;
        };
        text += between;
        text += "    ";
        detail::append_lock_text(text, one.key);
        text += ": {";
        property("version", std::to_string(one.version), false);
        text += ',';
        property("fingerprint", one.fingerprint);
        text += ',';
        property("category", one.category);
        text += ',';
        property("scope", one.scope);
        text += ',';
        property("mirror", one.mirror);
        text += ",\n      \"columns\": [";
        for (std::size_t at = 0; at < one.columns.size(); ++at) {
            text += at == 0 ? "\n        " : ",\n        ";
            detail::append_lock_text(text, one.columns[at]);
        }
        text += one.columns.empty() ? "]\n    }" : "\n      ]\n    }";
        between = ",\n";
    }
    return text += between == "\n" ? "}\n}\n" : "\n  }\n}\n";
}

/// Reads a lock file.
/// @throws error of kind `configuration` that says what is no lock file about it
[[nodiscard]] inline std::vector<locked_model> parse_lock(std::string_view text) {
    const auto bad = [](std::string_view why) {
        return error(failure::configuration, "this is no lock file of winnow: " + std::string(why))
            .with_hint("Write it anew with `lock`, and look at what changes.");
    };
    const std::optional<json_value> read = parse_json(text);
    if (!read) throw bad("it is not JSON; perhaps a conflict of two branches stands in it");
    const json_value* form = read->member("winnow_lock");
    const json_value* models = read->member("models");
    if (form == nullptr || models == nullptr || models->type != json_value::kind::object)
        throw bad("it has no `winnow_lock` and `models`");
    if (form->text != "1") throw bad("its form is " + form->text + ", this program knows 1");
    std::vector<locked_model> all;
    for (std::size_t at = 0; at < models->items.size(); ++at) {
        const json_value& from = models->items[at];
        locked_model& one = all.emplace_back();
        one.key = models->names[at];
        const auto property = [&](std::string_view name, json_value::kind kind) -> const json_value& {
            const json_value* found = from.member(name);
            if (found == nullptr || found->type != kind)
                throw bad(one.key + " has no proper `" + std::string(name) + "`");
            return *found;
        };
        const std::string& version = property("version", json_value::kind::number).text;
        if (version.empty() || version.size() > 10 || version.find_first_not_of("0123456789") != std::string::npos)
            throw bad(one.key + " has no proper `version`");
        for (const char digit : version) one.version = one.version * 10 + (digit - '0');
        one.fingerprint = property("fingerprint", json_value::kind::text).text;
        one.category = property("category", json_value::kind::text).text;
        one.scope = property("scope", json_value::kind::text).text;
        one.mirror = property("mirror", json_value::kind::text).text;
        for (const json_value& column : property("columns", json_value::kind::list).items)
            one.columns.push_back(column.text);
    }
    return all;
}

/// One way in which the code and the lock file differ.
struct lock_difference {
    std::string model;
    bool must_raise = false;  ///< the version has to be raised; otherwise only the file has to be written anew
    std::string what;         ///< what changed and what to do
};

/// Compares the code with the lock file that was written before. Nothing comes back when they agree.
/// @throws as `parse_lock`
[[nodiscard]] inline std::vector<lock_difference> compare_lock(const catalog& models, std::string_view text) {
    std::vector<lock_difference> found;
    const std::vector<locked_model> then = parse_lock(text);
    const std::vector<locked_model> now = detail::locks_of(models);
    for (const locked_model& one : now) {
        const auto known =
            std::find_if(then.begin(), then.end(), [&](const locked_model& each) { return each.key == one.key; });
        if (known == then.end()) {
            found.push_back(
                {one.key, false, one.key + " is replicated and the lock file does not know it: run `lock`."});
            continue;
        }
        std::string changed;
        const auto differs = [&](std::string_view name, const std::string& before, const std::string& after) {
            if (before == after) return;
            changed += (changed.empty() ? "" : ", ") + std::string(name) + " `" + before + "` became `" + after + "`";
        };
        differs("category", known->category, one.category);
        differs("scope", known->scope, one.scope);
        differs("mirror", known->mirror, one.mirror);
        for (const std::string& column : one.columns)
            if (std::find(known->columns.begin(), known->columns.end(), column) == known->columns.end())
                changed += (changed.empty() ? "" : ", ") + ("`" + column + "` came");
        for (const std::string& column : known->columns)
            if (std::find(one.columns.begin(), one.columns.end(), column) == one.columns.end())
                changed += (changed.empty() ? "" : ", ") + ("`" + column + "` went");
        if (changed.empty() && known->fingerprint != one.fingerprint)
            changed = "its shard, its payload or their order changed";
        const std::string version = std::to_string(one.version);
        const std::string raised = std::to_string(known->version + 1);
        if (one.version < known->version) {
            found.push_back({one.key, true,
                             one.key + ": replication_version went back from " + std::to_string(known->version) +
                                 " to " + version + "; versions that were used are not used again: make it " + raised +
                                 " and run `lock`."});
        } else if (one.version > known->version) {
            found.push_back({one.key, false,
                             one.key + ": replication_version was raised from " + std::to_string(known->version) +
                                 " to " + version + ": run `lock`."});
        } else if (!changed.empty()) {
            found.push_back({one.key, true,
                             one.key + " is copied in another way (" + changed + ") and replication_version is still " +
                                 version + ", so rows that exist would keep their old copies: make it " + raised +
                                 " and run `lock`."});
        }
    }
    for (const locked_model& one : then) {
        const auto known =
            std::find_if(now.begin(), now.end(), [&](const locked_model& each) { return each.key == one.key; });
        if (known == now.end())
            found.push_back(
                {one.key, false, one.key + " is in the lock file and is not replicated any more: run `lock`."});
    }
    return found;
}

/// All differences as one text, a line each; empty when there are none. For tests of any framework, see
/// winnow/testing/lock_file.hpp.
[[nodiscard]] inline std::string lock_problems(const catalog& models, std::string_view text) {
    std::string all;
    for (const lock_difference& one : compare_lock(models, text)) all += one.what + "\n";
    return all;
}

}  // namespace winnow::inline v0
