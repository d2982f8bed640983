// SPDX-License-Identifier: Apache-2.0
#include <winnow/abi/winnow.h>

int entries_of_archive();

namespace {

winnow_status start(const winnow_host*) { return entries_of_archive() == 1 ? WINNOW_OK : WINNOW_FAILED; }

}  // namespace

const winnow_plugin_entry winnow_plugin = {
    sizeof(winnow_plugin_entry), WINNOW_ABI_VERSION, {}, {}, {}, {}, nullptr, start, nullptr};
