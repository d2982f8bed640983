/* SPDX-License-Identifier: Apache-2.0 */
#include <winnow/abi/winnow.h>

const winnow_plugin_entry winnow_plugin = {.size = sizeof(winnow_plugin_entry), .abi_version = WINNOW_ABI_VERSION};
