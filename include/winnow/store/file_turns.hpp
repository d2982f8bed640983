// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace winnow::inline v0 {

/// When others last had a turn at a file that has one writer at a time. Kept with the connection, because one piece of
/// work after the other, each of them short, keeps a file from others as one long one does.
struct file_turns {
    std::chrono::microseconds taken{0};         ///< since when this connection writes with no time for others; 0: never
    std::chrono::microseconds seen{0};          ///< when it last wrote
    std::chrono::microseconds shared_until{0};  ///< others are taken to write until then
    std::int64_t data_version = 0;              ///< of the file when it was last looked at
    int unused = 0;                             ///< turns in a row in which nobody else wrote
};

}  // namespace winnow::inline v0
