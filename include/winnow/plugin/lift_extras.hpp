// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/abi/entry.h"
#include "winnow/plan/part.hpp"
#include "winnow/plugin/lifted_records.hpp"
#include "winnow/plugin/reader.hpp"

// What a plugin brings besides models.

namespace winnow::inline v0::detail {

/// Asks a plugin for a capability that starts with its size. @return whether there is one that can be read
template <class Struct>
bool ask_for(contract_reader& in, const contract_place& at, const winnow_plugin_entry& entry, std::string_view id,
             Struct& to) {
    if (entry.get_capability == nullptr) return false;
    const void* found = nullptr;
    try {
        found = entry.get_capability(to_abi(id), 1);
    } catch (...) {
        in.blame(at, "cannot be asked for: `get_capability` threw. Return null for what the plugin does not have.");
        return false;
    }
    return found != nullptr && in.read(at, static_cast<const Struct*>(found), to, "");
}

template <class Item>
void check_once(contract_reader& in, const contract_place& at, const std::vector<Item>& all) {
    const std::string_view name = all.back().name;
    const bool known = std::any_of(all.begin(), all.end() - 1, [&](const Item& other) { return other.name == name; });
    if (known && !name.empty())
        in.blame(at, "is \"" + std::string(name) + "\", as that of an earlier item. Give each a name of its own.");
}

inline void lift_migrations(contract_reader& in, const winnow_plugin_entry& entry, lifted_records& records) {
    const contract_place at("migrations");
    winnow_migrations held{};
    if (!ask_for(in, at, entry, WINNOW_CAPABILITY_MIGRATIONS, held)) return;
    const std::vector<winnow_migration> items = in.read(at, held);
    for (std::size_t i = 0; i < items.size(); ++i) {
        contract_place here(at, i);
        migration& to = records.migrations.emplace_back();
        const contract_place name(here, "name");
        to.name = in.needed(name, items[i].name, longest_name, "name the step, by what it does");
        check_once(in, name, records.migrations);
        here.call(to.name);
        (void)in.choice(contract_place(here, "silo"), items[i].silo, to.silo, WINNOW_SILO_CELL,
                        "WINNOW_SILO_CONTROL and WINNOW_SILO_CELL");
        const contract_place script(here, "script");
        const std::size_t before = in.faults();
        to.script = in.text(script, items[i].script, longest_statement);
        // A step may have nothing to do on one of them, as an index that only the other can have.
        if (to.script.empty() && in.faults() == before)
            in.blame(script, "is empty for both kinds of database. Write the statements, or leave the step out.");
    }
}

/// Whether `text` is a value of this kind.
[[nodiscard]] inline bool is_value_of(option_kind kind, std::string_view text) noexcept {
    if (kind == option_kind::boolean) return text == "true" || text == "false";
    if (kind != option_kind::integer) return true;
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    return fault == std::errc() && end == text.data() + text.size();
}

inline void lift_options(contract_reader& in, const winnow_plugin_entry& entry, lifted_records& records) {
    const contract_place at("options");
    winnow_options held{};
    if (!ask_for(in, at, entry, WINNOW_CAPABILITY_OPTIONS, held)) return;
    const std::vector<winnow_option> items = in.read(at, held);
    for (std::size_t i = 0; i < items.size(); ++i) {
        contract_place here(at, i);
        part_option& to = records.options.emplace_back();
        const contract_place name(here, "name");
        to.name = in.needed(name, items[i].name, longest_name, "name the option");
        check_once(in, name, records.options);
        here.call(to.name);
        const bool known = in.choice(contract_place(here, "kind"), items[i].kind, to.kind, WINNOW_OPTION_TEXT_LIST,
                                     "WINNOW_OPTION_...");
        const contract_place otherwise(here, "otherwise");
        to.otherwise = in.text(otherwise, items[i].otherwise, longest_text);
        if (known && !is_value_of(to.kind, to.otherwise))
            in.blame(otherwise, "is \"" + std::string(to.otherwise) + "\", which is no " +
                                    std::string(name_of(to.kind)) + ". Give the value that holds when none is set.");
        to.meaning = in.needed(contract_place(here, "meaning"), items[i].meaning, longest_text,
                               "say in one line what the option does");
    }
}

}  // namespace winnow::inline v0::detail
