/* SPDX-License-Identifier: Apache-2.0 */
__attribute__((visibility("default"))) int winnow_test_absent(void) { return 1; }
