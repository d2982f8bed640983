// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include "winnow/metrics/names.hpp"
#include "winnow/metrics/store.hpp"
#include "winnow/store/set_text.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Bytes that are no UTF-8, which Prometheus refuses a whole page for, as question marks.
[[nodiscard]] inline std::string valid_utf8(std::string_view from) {
    std::string text;
    for (std::size_t at = 0; at < from.size();) {
        const std::size_t length = utf8_length(from, at);
        if (length == 0) text += '?';
        else text += from.substr(at, length);
        at += length == 0 ? 1 : length;
    }
    return text;
}

[[nodiscard]] inline prometheus::ClientMetric client_metric(const metric_sample& from, metric_kind kind) {
    prometheus::ClientMetric made;
    for (const auto& [name, text] : from.labels) made.label.push_back({prometheus_name(name), valid_utf8(text)});
    switch (kind) {
        case metric_kind::counter: made.counter.value = from.amount; break;
        case metric_kind::gauge: made.gauge.value = from.amount; break;
        case metric_kind::histogram: {
            made.histogram.sample_count = from.observations;
            made.histogram.sample_sum = from.amount;
            std::uint64_t below = 0;
            for (std::size_t bucket = 0; bucket < metric_buckets.size(); ++bucket) {
                below += from.buckets[bucket];
                made.histogram.bucket.push_back({below, metric_buckets[bucket]});
            }
            made.histogram.bucket.push_back({from.observations, std::numeric_limits<double>::infinity()});
            break;
        }
    }
    return made;
}

[[nodiscard]] constexpr prometheus::MetricType metric_type(metric_kind kind) noexcept {
    switch (kind) {
        case metric_kind::counter: return prometheus::MetricType::Counter;
        case metric_kind::gauge: return prometheus::MetricType::Gauge;
        case metric_kind::histogram: return prometheus::MetricType::Histogram;
    }
    return prometheus::MetricType::Untyped;
}

}  // namespace detail

/// The content type of `prometheus_text`.
inline constexpr std::string_view prometheus_text_type = "text/plain; version=0.0.4; charset=utf-8";

/// Metrics in Prometheus' text format. A metric without a series has its help and its type.
[[nodiscard]] inline std::string prometheus_text(std::span<const metric_family> families) {
    std::vector<prometheus::MetricFamily> made;
    for (const metric_family& from : families) {
        prometheus::MetricFamily one;
        one.name = prometheus_name(from.name);
        one.help = from.meaning;
        one.type = detail::metric_type(from.kind);
        for (const metric_sample& sample : from.samples) one.metric.push_back(detail::client_metric(sample, from.kind));
        made.push_back(std::move(one));
    }
    std::ostringstream text;
    prometheus::TextSerializer().Serialize(text, made);
    return std::move(text).str();
}

}  // namespace winnow::inline v0
