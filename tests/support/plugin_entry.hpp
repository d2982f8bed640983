// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "winnow/derive/plans_of.hpp"
#include "winnow/plugin/lower.hpp"

namespace winnow_test {

/// The entry of a plugin that has these models and nothing else.
template <class Models>
inline constexpr winnow_plugin_entry entry_of{sizeof(winnow_plugin_entry),
                                              WINNOW_ABI_VERSION,
                                              WINNOW_TEXT("round-trip"),
                                              WINNOW_TEXT("1.2.3"),
                                              WINNOW_TEXT("Comes back"),
                                              winnow::lower_plans<winnow::plans_of<Models>>(),
                                              nullptr,
                                              nullptr,
                                              nullptr};

}  // namespace winnow_test
