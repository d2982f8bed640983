// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "winnow/metrics/store.hpp"
#include "winnow/runtime/readiness.hpp"

namespace winnow::inline v0::cli {

/// Something that answers from a thread of its own until it is destroyed.
class endpoint {
public:
    endpoint() = default;
    endpoint(const endpoint&) = delete;
    endpoint& operator=(const endpoint&) = delete;
    virtual ~endpoint() = default;
};

/// Answers `/metrics`, `/health` and `/ready` of this process at an address.
/// @param counts and @param ready are used from other threads, for as long as the endpoint lives
using endpoint_opener = std::unique_ptr<endpoint> (*)(std::string_view address, const metric_store& counts,
                                                      std::function<readiness()> ready);

}  // namespace winnow::inline v0::cli
