// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include <unistd.h>

namespace winnow::inline v0 {

/// Host name and process id, `host:1234`: how this process signs its leases.
[[nodiscard]] inline std::string session_name_of_process() {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
    return std::string(host.data()) + ':' + std::to_string(::getpid());
}

}  // namespace winnow::inline v0
