// SPDX-License-Identifier: Apache-2.0
#include "every_header.hpp"

using name_function = std::string_view (*)(winnow::dialect) noexcept;

const void* version_in_second_unit();
name_function name_in_second_unit();

const void* version_in_second_unit() { return &winnow::version_text; }
name_function name_in_second_unit() { return &winnow::name_of; }
