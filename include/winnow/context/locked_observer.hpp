// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string_view>

#include "winnow/context/observer.hpp"

namespace winnow::inline v0 {

/// Lets several threads use an observer that is made for one.
class locked_observer final : public observer {
public:
    /// @param inner must outlive the object
    explicit locked_observer(observer& inner) : inner_(&inner) {}

    void log(log_level level, std::string_view message, std::initializer_list<label> labels) override {
        const std::lock_guard guard(mutex_);
        inner_->log(level, message, labels);
    }
    void count(std::string_view metric, std::int64_t by, std::initializer_list<label> labels) override {
        const std::lock_guard guard(mutex_);
        inner_->count(metric, by, labels);
    }
    void gauge(std::string_view metric, double level, std::initializer_list<label> labels) override {
        const std::lock_guard guard(mutex_);
        inner_->gauge(metric, level, labels);
    }
    void observe(std::string_view metric, double seconds, std::initializer_list<label> labels) override {
        const std::lock_guard guard(mutex_);
        inner_->observe(metric, seconds, labels);
    }
    void progress(const deletion_progress& now) override {
        const std::lock_guard guard(mutex_);
        inner_->progress(now);
    }
    void pending_delete(std::string_view model, std::string_view object_id, std::string_view transaction_id) override {
        const std::lock_guard guard(mutex_);
        inner_->pending_delete(model, object_id, transaction_id);
    }

private:
    observer* inner_;
    std::mutex mutex_;
};

}  // namespace winnow::inline v0
