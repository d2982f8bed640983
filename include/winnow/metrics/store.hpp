// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/observer.hpp"
#include "winnow/metrics/names.hpp"

namespace winnow::inline v0 {

/// Upper bounds, in seconds, of the buckets of every histogram: from a chunk of milliseconds to a message of a day.
inline constexpr std::array<double, 16> metric_buckets{0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                                                       1,     2.5,   5,    10,    30,   60,  300,  3600};

/// Labels of one series, in the order of their names.
using metric_labels = std::vector<std::pair<std::string, std::string>>;

/// One series of a metric at one moment.
struct metric_sample {
    metric_labels labels;
    double amount = 0;  ///< of a counter or a gauge; of a histogram: sum of the seconds
    std::uint64_t observations = 0;
    std::array<std::uint64_t, metric_buckets.size()> buckets{};  ///< observations in each bucket alone
};

/// One metric with all its series at one moment.
struct metric_family {
    std::string name;  ///< as the engine spells it
    metric_kind kind = metric_kind::gauge;
    std::string meaning;
    std::vector<metric_sample> samples{};
};

/// Counts what the engine reports, and hands everything on to another observer. Passed like any observer, for as many
/// contexts and threads as there are; nothing is global.
class metric_store final : public observer {
public:
    /// @param next who hears of everything besides; null: nobody
    explicit metric_store(observer* next = nullptr) : next_(next) {}

    void log(log_level level, std::string_view message, std::initializer_list<label> labels) override {
        if (next_ != nullptr) next_->log(level, message, labels);
    }
    void count(std::string_view metric, std::int64_t by, std::initializer_list<label> labels) override {
        {
            const std::lock_guard guard(mutex_);
            series(metric, metric_kind::counter, labels).amount += static_cast<double>(std::max<std::int64_t>(0, by));
        }
        if (next_ != nullptr) next_->count(metric, by, labels);
    }
    void gauge(std::string_view metric, double level, std::initializer_list<label> labels) override {
        {
            const std::lock_guard guard(mutex_);
            series(metric, metric_kind::gauge, labels).amount = level;
        }
        if (next_ != nullptr) next_->gauge(metric, level, labels);
    }
    void observe(std::string_view metric, double seconds, std::initializer_list<label> labels) override {
        {
            const std::lock_guard guard(mutex_);
            metric_sample& one = series(metric, metric_kind::histogram, labels);
            one.amount += seconds;
            ++one.observations;
            const auto* const bucket = std::lower_bound(metric_buckets.begin(), metric_buckets.end(), seconds);
            if (bucket != metric_buckets.end())
                ++one.buckets[static_cast<std::size_t>(bucket - metric_buckets.begin())];
        }
        if (next_ != nullptr) next_->observe(metric, seconds, labels);
    }
    void progress(const deletion_progress& now) override {
        if (next_ != nullptr) next_->progress(now);
    }
    void pending_delete(std::string_view model, std::string_view object_id, std::string_view transaction_id) override {
        if (next_ != nullptr) next_->pending_delete(model, object_id, transaction_id);
    }

    /// All known metrics, those without a series as well, then those that an application reports besides.
    [[nodiscard]] std::vector<metric_family> families() const {
        std::vector<metric_family> all;
        for (const metric_definition& one : known_metrics)
            all.push_back({std::string(one.name), one.kind, std::string(one.meaning), {}});
        const std::lock_guard guard(mutex_);
        for (const auto& [name, held] : families_) {
            auto known =
                std::find_if(all.begin(), all.end(), [&](const metric_family& one) { return one.name == name; });
            if (known == all.end()) known = all.insert(all.end(), {name, held.kind, "reported by the application", {}});
            for (const auto& [labels, sample] : held.samples) {
                known->samples.push_back(sample);
                known->samples.back().labels = labels;
            }
        }
        return all;
    }

private:
    struct kept_family {
        metric_kind kind = metric_kind::gauge;
        std::map<metric_labels, metric_sample> samples{};
    };

    metric_sample& series(std::string_view metric, metric_kind kind, std::initializer_list<label> labels) {
        auto family = families_.find(metric);
        if (family == families_.end()) family = families_.emplace(std::string(metric), kept_family{kind, {}}).first;
        metric_labels named;
        for (const label& one : labels) named.emplace_back(one.name, one.text);
        std::sort(named.begin(), named.end());
        return family->second.samples[std::move(named)];
    }

    observer* next_;
    mutable std::mutex mutex_;
    std::map<std::string, kept_family, std::less<>> families_;
};

/// Hands gauges on with one more label, as the cell in which they were read.
class labelled_gauges final : public observer {
public:
    labelled_gauges(observer& next, std::string_view name, std::string text)
        : next_(&next), name_(name), text_(std::move(text)) {}

    /// @pre at most one label; that is what gauges of a whole database have
    void gauge(std::string_view metric, double level, std::initializer_list<label> labels) override {
        if (labels.size() == 0) next_->gauge(metric, level, {{name_, text_}});
        else next_->gauge(metric, level, {*labels.begin(), {name_, text_}});
    }

private:
    observer* next_;
    std::string_view name_;
    std::string text_;
};

}  // namespace winnow::inline v0
