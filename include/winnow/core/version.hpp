// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Version of the C++ interface. CMake reads these three lines.
#define WINNOW_VERSION_MAJOR 0
#define WINNOW_VERSION_MINOR 1
#define WINNOW_VERSION_PATCH 0

/// Everything lives in `winnow::inline v0`, so that two releases of the headers with different
/// major versions can meet in one process without sharing a symbol.
namespace winnow::inline v0 {

/// Version of these headers as text, `major.minor.patch`.
inline constexpr const char* version_text = "0.1.0";

}  // namespace winnow::inline v0
