/* SPDX-License-Identifier: Apache-2.0 */
__attribute__((visibility("default"))) int winnow_plugin(void) { return 1; }
