// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace winnow::inline v0 {

/// A place outside the database that holds leaky buckets: Redis. It may lose everything at any time; a bucket that is
/// not there is empty.
class bucket_store {
public:
    bucket_store() = default;
    bucket_store(const bucket_store&) = delete;
    bucket_store& operator=(const bucket_store&) = delete;
    virtual ~bucket_store() = default;

    /// What it is, without any password; fit for logs.
    [[nodiscard]] virtual std::string description() const = 0;
    /// Lets a bucket leak for the time since it was charged last, by the store's own clock, and fills in `amount`, in
    /// one step.
    /// @param rate how much leaks in a second; positive
    /// @return what is in it now
    /// @throws error of kind `connection` or `statement`; it may be charged again afterwards
    virtual double charge(std::string_view name, std::int64_t amount, std::int64_t rate) = 0;
};

}  // namespace winnow::inline v0
