// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "winnow/core/error.hpp"
#include "winnow/runtime/broker.hpp"

namespace winnow::inline v0 {

/// A broker over queues of texts, as `redis_stream` of store/redis_stream.hpp keeps them. A template, so that the
/// workers know no driver.
template <class Stream>
class stream_broker final : public broker {
public:
    stream_broker(std::unique_ptr<Stream> stream, broker_options options)
        : stream_(std::move(stream)), options_(std::move(options)) {}

    [[nodiscard]] std::string description() const override { return stream_->description(); }
    [[nodiscard]] bool serves(std::string_view queue) const override { return options_.serves(queue); }

    void push(const task& what, double delay_seconds = 0) override {
        stream_->push(queue_of(what), text_of_task(what), delay_seconds);
    }
    [[nodiscard]] std::optional<taken_task> take(std::chrono::milliseconds patience) override {
        const auto end = std::chrono::steady_clock::now() + patience;
        for (;;) {
            auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
            if (left.count() < 0) left = std::chrono::milliseconds(0);
            auto entry = stream_->take(left);
            if (!entry && left.count() > 0) continue;
            if (!entry) return std::nullopt;
            std::optional<task> what = parse_task(entry->text);
            if (what) return taken_task{std::move(*what), entry->queue, entry->id, options_.owner};
            // Nobody can do what is no task.
            (void)stream_->done(entry->queue, entry->id, options_.owner);
        }
    }
    bool done(const taken_task& which) override { return stream_->done(which.queue, which.id, which.owner); }
    bool retry(const taken_task& which, double delay_seconds) override {
        task again = which.what;
        ++again.attempt;
        return stream_->replace(which.queue, which.id, which.owner, text_of_task(again), delay_seconds);
    }
    bool extend(const taken_task& which) override { return stream_->extend(which.queue, which.id, which.owner); }
    [[nodiscard]] broker_statistics statistics() override {
        const auto found = stream_->measure();
        return {found.entries - found.taken, found.later, found.taken};
    }

private:
    std::unique_ptr<Stream> stream_;
    broker_options options_;
};

}  // namespace winnow::inline v0
