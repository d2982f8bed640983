// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "winnow/abi/entry.h"
#include "winnow/abi/version.h"

namespace winnow::inline v0 {

/// The first two numbers of what a plugin exports: known before anything else of it is looked at.
struct plugin_stamp {
    std::uint32_t size = 0;         ///< bytes of its winnow_plugin_entry
    std::uint32_t abi_version = 0;  ///< version of the contract that it was built with
};

/// Why a plugin with this stamp cannot be used, as the rest of a sentence about it; empty when it can.
[[nodiscard]] inline std::string explain_stamp(const plugin_stamp& found) {
    // What the first version had; later ones only grow.
    constexpr std::size_t least = offsetof(winnow_plugin_entry, stop) + sizeof(winnow_plugin_entry::stop);
    const std::string versions = "winnow_plugin.abi_version is " + std::to_string(found.abi_version) +
                                 ", and this program takes " + std::to_string(WINNOW_ABI_OLDEST) + " to " +
                                 std::to_string(WINNOW_ABI_VERSION);
    if (found.size == 0 && found.abi_version == 0)
        return "winnow_plugin.size and abi_version are 0: it is filled in when the library starts, or not at all. Define it "
               "as a constant, as WINNOW_PLUGIN() does.";
    if (found.abi_version > WINNOW_ABI_VERSION)
        return versions +
               ": it is newer. Update this program, or build the plugin with the headers of an older winnow.";
    if (found.abi_version < WINNOW_ABI_OLDEST)
        return versions + ": it is older. Build the plugin again with the headers of a newer winnow.";
    const bool same = found.abi_version == WINNOW_ABI_VERSION;
    if (same ? found.size != sizeof(winnow_plugin_entry) : found.size < least)
        return "winnow_plugin.size is " + std::to_string(found.size) + ", and that of version " +
               std::to_string(found.abi_version) + " of the contract is " +
               std::to_string(same ? sizeof(winnow_plugin_entry) : least) + (same ? "" : " or more") +
               ". Write sizeof(winnow_plugin_entry) there, and build with unchanged headers.";
    return {};
}

}  // namespace winnow::inline v0
