// SPDX-License-Identifier: Apache-2.0
#pragma once

#if __cplusplus < 202002L
#error "winnow needs C++20: compile with -std=c++20 or later"
#endif

/// Opens every compile-time refusal, so that the eye finds the sentence among the compiler's lines.
#define WINNOW_REFUSAL(sentence) "----> winnow: " sentence
