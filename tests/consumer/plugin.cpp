// SPDX-License-Identifier: Apache-2.0
#include "winnow/abi/winnow.h"

// The contract, in C++.
int main() { return winnow_plugin_entry{}.size == 0 ? 0 : 1; }
