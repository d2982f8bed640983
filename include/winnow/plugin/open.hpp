// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "winnow/abi/entry.h"
#include "winnow/plugin/elf.hpp"
#include "winnow/plugin/file_check.hpp"
#include "winnow/plugin/library.hpp"
#include "winnow/plugin/lift.hpp"
#include "winnow/plugin/stamp.hpp"

namespace winnow::inline v0::detail {

/// A plugin whose library is open and whose entry was read, not started.
struct opened_plugin {
    plugin_file file;
    plugin_library library;
    std::unique_ptr<lifted_plugin> lifted;

    void close() noexcept {
        lifted.reset();
        (void)library.close();
    }
};

/// What the file says against itself, before the library is opened; the rest of a sentence.
[[nodiscard]] inline std::string find_fault(const elf_facts& facts) {
    if (!facts.wrong.empty()) return facts.wrong;
    const elf_symbol* symbol = facts.find(WINNOW_PLUGIN_SYMBOL);
    if (symbol == nullptr)
        return "does not export the symbol " WINNOW_PLUGIN_SYMBOL
               ". Write WINNOW_PLUGIN() in one of its files, or define it in C, and build with winnow_add_plugin().";
    if (symbol->function)
        return "exports a function named " WINNOW_PLUGIN_SYMBOL
               ", which has to be a constant of type winnow_plugin_entry. Define it as one.";
    return explain_stamp({facts.stamp[0], facts.stamp[1]});
}

/// Opens a file that was checked. Before any code of it can run, the file itself is read: format, symbol, size and version.
/// @param wrong gets one sentence for each reason when it cannot be used
[[nodiscard]] inline std::optional<opened_plugin> open_plugin(plugin_file file, std::vector<std::string>& wrong) {
    const elf_facts facts = read_elf(file.path, WINNOW_PLUGIN_SYMBOL);
    if (const std::string fault = find_fault(facts); !fault.empty()) {
        wrong.push_back(file.path + ": " + fault);
        return std::nullopt;
    }
    std::string refused;
    plugin_library opened = plugin_library::open(file.path, refused);
    if (!opened) {
        wrong.push_back(std::move(refused));
        return std::nullopt;
    }
    const auto* entry = static_cast<const winnow_plugin_entry*>(opened.symbol(WINNOW_PLUGIN_SYMBOL));
    if (entry == nullptr) {
        wrong.push_back(file.path + ": its symbol " WINNOW_PLUGIN_SYMBOL
                                    " cannot be reached. Build it with winnow_add_plugin().");
    } else {
        std::vector<std::string> faults;
        opened_plugin made{std::move(file), std::move(opened), nullptr};
        made.lifted = lift(*entry, made.file.path, faults);
        if (made.lifted) return made;
        for (const std::string& each : faults) wrong.push_back(made.file.path + ": " + each);
        opened = std::move(made.library);
    }
    (void)opened.close();
    return std::nullopt;
}

}  // namespace winnow::inline v0::detail
