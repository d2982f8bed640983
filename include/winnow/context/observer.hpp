// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace winnow::inline v0 {

enum class log_level : unsigned char { debug, info, warning, error };

/// A name and a text that go with a log line or a metric.
struct label {
    std::string_view name;
    std::string_view text;
};

/// What one deletion has done so far.
struct deletion_progress {
    std::string_view model;           ///< key of the root's model
    std::string_view object_id;       ///< key of the root object as text
    std::string_view transaction_id;  ///< guid of the scheduled deletion
    std::int64_t rows_done = 0;
    std::int64_t rows_total = -1;  ///< -1: not measured
    double rows_per_second = 0;
    std::string_view current_model;  ///< model whose rows are going now
};

/// Where logs, metrics and progress go. Every function does nothing unless it is overridden; an
/// implementation must not throw and must not use the connection that is at work.
class observer {
public:
    observer() = default;
    observer(const observer&) = delete;
    observer& operator=(const observer&) = delete;
    virtual ~observer() = default;

    virtual void log(log_level, std::string_view /*message*/, std::initializer_list<label>) {}
    virtual void count(std::string_view /*metric*/, std::int64_t /*by*/, std::initializer_list<label>) {}
    virtual void gauge(std::string_view /*metric*/, double /*level*/, std::initializer_list<label>) {}
    /// Seconds into a histogram.
    virtual void observe(std::string_view /*metric*/, double /*seconds*/, std::initializer_list<label>) {}
    /// After each chunk.
    virtual void progress(const deletion_progress&) {}
    /// Before anything of a scheduled object is deleted, once.
    virtual void pending_delete(std::string_view /*model*/, std::string_view /*object_id*/,
                                std::string_view /*transaction_id*/) {}
};

}  // namespace winnow::inline v0
