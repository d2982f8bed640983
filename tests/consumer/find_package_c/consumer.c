/* SPDX-License-Identifier: Apache-2.0 */
#include <winnow/abi/winnow.h>

/* What a plugin in C defines. */
const winnow_plugin_entry winnow_plugin = {.size = sizeof(winnow_plugin_entry), .abi_version = WINNOW_ABI_VERSION};

int main(void) { return winnow_plugin.size == sizeof(winnow_plugin_entry) && winnow_plugin.plans.count == 0 ? 0 : 1; }
