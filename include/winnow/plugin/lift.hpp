// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/abi/entry.h"
#include "winnow/abi/version.h"
#include "winnow/plan/part.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plugin/lift_extras.hpp"
#include "winnow/plugin/lift_model.hpp"
#include "winnow/plugin/lift_relation.hpp"
#include "winnow/plugin/lift_replication.hpp"
#include "winnow/plugin/lifted_records.hpp"
#include "winnow/plugin/name.hpp"
#include "winnow/plugin/reader.hpp"
#include "winnow/plugin/started.hpp"

namespace winnow::inline v0 {

/// A plugin's models in the host's own form, and what calls its hooks. Made by `lift`.
///
/// Texts and functions are the plugin's: the library must stay loaded while this, or a catalog made of it, is in use.
class lifted_plugin {
public:
    lifted_plugin(const winnow_plugin_entry& entry, std::string_view origin)
        : entry_(entry), origin_(origin), records_(identity_), started_(entry_, identity_) {}
    lifted_plugin(const lifted_plugin&) = delete;
    lifted_plugin& operator=(const lifted_plugin&) = delete;

    /// What the plugin adds to a catalog. Points into this object.
    [[nodiscard]] const model_part& part() const noexcept { return part_; }
    /// A copy of the entry; zero where the plugin's headers had nothing yet.
    [[nodiscard]] const winnow_plugin_entry& entry() const noexcept { return entry_; }
    /// One line about it; may be empty.
    [[nodiscard]] std::string_view description() const noexcept { return description_; }

    /// Log lines of the plugin go there; null: they are dropped. The observer is used from every thread that works on
    /// deletions or messages, and must outlive the plugin's work.
    void log_to(observer* where) noexcept { identity_.log = where; }

    /// Calls the plugin's `start`. Before any hook is called, by the thread that loads.
    /// @param program name of this program, for the plugin
    /// @return whether it agreed; if not, one sentence more is in `wrong`
    bool start(std::string_view program, std::vector<std::string>& wrong) { return started_.start(program, wrong); }
    /// Calls its `stop`, if `start` was called and agreed. After the last hook, by the thread that unloads.
    void stop() noexcept { started_.stop(); }

private:
    friend std::unique_ptr<lifted_plugin> lift(const winnow_plugin_entry&, std::string_view, std::vector<std::string>&);

    winnow_plugin_entry entry_;
    std::string origin_;
    std::string_view description_;
    detail::plugin_identity identity_;
    detail::lifted_records records_;
    detail::started_plugin started_;
    model_part part_;
};

namespace detail {

/// Whether the plugin's headers are of a version that this host reads. A copy of the entry, as far as it goes.
inline bool read_entry(const winnow_plugin_entry& entry, winnow_plugin_entry& to, contract_reader& in) {
    std::uint32_t told[2] = {};  // size and version stand first in every version
    std::memcpy(told, &entry, sizeof(told));
    const contract_place version("abi_version");
    if (told[1] > WINNOW_ABI_VERSION) {
        in.blame(version, "is " + std::to_string(told[1]) + ", but this host knows plugins up to " +
                              std::to_string(WINNOW_ABI_VERSION) +
                              ". Use a newer host, or build the plugin with headers of its version.");
        return false;
    }
    if (told[1] < WINNOW_ABI_OLDEST) {
        in.blame(version, "is " + std::to_string(told[1]) + ", but this host knows plugins from " +
                              std::to_string(WINNOW_ABI_OLDEST) +
                              " on. Build the plugin with newer headers; WINNOW_ABI_VERSION is what it sets.");
        return false;
    }
    to = {};
    if (told[0] < oldest_size<winnow_plugin_entry> || told[0] > sizeof(winnow_plugin_entry)) {
        in.blame(contract_place("size"),
                 "is " + std::to_string(told[0]) + ", but the entry of version " + std::to_string(told[1]) + " has " +
                     std::to_string(sizeof(winnow_plugin_entry)) + " bytes. Set it to sizeof(winnow_plugin_entry).");
        return false;
    }
    std::memcpy(static_cast<void*>(&to), &entry, told[0]);
    return true;
}

inline void lift_plans(contract_reader& in, const winnow_plan_list& from, lifted_records& records) {
    const contract_place at("plans");
    const std::vector<winnow_plan> items = in.read(at, from);
    if (from.count == 0) in.blame(at, "has no items: a plugin brings at least one model.");
    std::vector<plan>& plans = records.plans;
    plans.resize(items.size());
    models_in_work models{plans, std::vector<bool>(items.size())};
    // Relations look at the columns of their child, and at whether it is copied.
    for (std::size_t i = 0; i < items.size(); ++i) {
        contract_place here(at, i);
        models.sound[i] = lift_model(in, here, items[i], plans[i], records);
        lift_replication(in, contract_place(here, "replication"), items[i].replication, plans[i], records);
        lift_remotes(in, contract_place(here, "remotes"), items[i].remotes, plans[i], records);
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        contract_place here(at, i);
        here.call(plans[i].key);
        lift_relations(in, here, items[i], plans[i], models, records);
    }
}

}  // namespace detail

/// Checks what a plugin hands over and brings it into the host's own form.
///
/// Looks at everything that can be checked without knowing the other models: sizes, counts, numbers, texts, statements
/// that would be missing. What only the whole graph can tell, `catalog` tells. Reads no byte beyond the sizes that the
/// plugin told; that its pointers point to what they say is taken on trust.
///
/// @param origin the file that it comes from; empty: it is linked
/// @param[out] wrong one sentence for each fault is added, as `plans[2] (audit.Note).relations[0].child is empty: …`
/// @return null if anything is wrong
[[nodiscard]] inline std::unique_ptr<lifted_plugin> lift(const winnow_plugin_entry& entry, std::string_view origin,
                                                         std::vector<std::string>& wrong) {
    detail::contract_reader in(wrong);
    const std::size_t before = in.faults();
    winnow_plugin_entry read;
    if (!detail::read_entry(entry, read, in)) return nullptr;
    auto made = std::make_unique<lifted_plugin>(read, origin);
    model_part& part = made->part_;
    const detail::contract_place name("name");
    part.name = in.needed(name, read.name, detail::longest_name, "name the plugin");
    if (!part.name.empty() && !is_plugin_name(part.name))
        in.blame(name, "is \"" + std::string(part.name) + "\". Use 1 to 64 letters, digits, _ and -.");
    made->identity_.name = part.name;
    part.version = in.needed(detail::contract_place("version"), read.version, detail::longest_name,
                             "give the plugin's version, for people");
    made->description_ = in.text(detail::contract_place("description"), read.description, detail::longest_text);
    part.origin = made->origin_;
    detail::lift_plans(in, read.plans, made->records_);
    detail::lift_migrations(in, read, made->records_);
    detail::lift_options(in, read, made->records_);
    part.plans = made->records_.plans;
    part.migrations = made->records_.migrations;
    part.options = made->records_.options;
    if (in.faults() != before) return nullptr;
    return made;
}

}  // namespace winnow::inline v0
