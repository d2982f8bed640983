// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "winnow/cli/endpoint.hpp"
#include "winnow/cli/json.hpp"
#include "winnow/metrics/prometheus_text.hpp"
#include "winnow/metrics/store.hpp"
#include "winnow/runtime/readiness.hpp"
#include "winnow/web/address.hpp"
#include "winnow/web/api.hpp"
#include "winnow/web/guard.hpp"
#include "winnow/web/message.hpp"
#include "winnow/web/server.hpp"

namespace winnow::inline v0::web {

/// Metrics and health of a process that has other work to do. Nothing can be changed there, and no database is asked.
class process_endpoint final : public cli::endpoint {
public:
    process_endpoint(const address& where, const metric_store& counts, std::function<readiness()> ready)
        : counts_(&counts),
          ready_(std::move(ready)),
          server_([this](const request& asked) { return answer(asked); },
                  [](const request& asked, response& with) { return refuses(asked, with); },
                  {.threads = 2, .body_bytes = 1}),
          bound_(server_.bind(where)),
          answering_([this] { server_.run(); }) {}
    ~process_endpoint() override {
        server_.stop();
        answering_.join();
    }
    [[nodiscard]] const address& bound() const noexcept { return bound_; }

private:
    [[nodiscard]] static bool refuses(const request& asked, response& with) {
        if (asked.changes()) {
            with = refused_response(405, "Nothing can be changed here.");
            return true;
        }
        const std::optional<refusal> why = refuse(guard_settings{}, asked);
        if (why) with = refused_response(why->status, why->message, "Use its IP address or localhost.");
        return why.has_value();
    }
    [[nodiscard]] response answer(const request& asked) const {
        if (asked.path == "/health") return {.body = "{\"alive\":true}\n"};
        if (asked.path == "/metrics")
            return {.type = std::string(prometheus_text_type), .body = prometheus_text(counts_->families())};
        if (asked.path != "/ready") return refused_response(404, "There is no such path.");
        const readiness now = ready_();
        return json_response(now.ready ? 200 : 503, {{"ready", now.ready}, {"why", cli::text_or_null(now.why)}});
    }

    const metric_store* counts_;
    std::function<readiness()> ready_;
    http_server server_;
    address bound_;
    std::thread answering_;
};

/// What `worker --metrics` opens.
inline constexpr cli::endpoint_opener open_endpoint =
    [](std::string_view where, const metric_store& counts,
       std::function<readiness()> ready) -> std::unique_ptr<cli::endpoint> {
    return std::make_unique<process_endpoint>(parse_address(where), counts, std::move(ready));
};

}  // namespace winnow::inline v0::web
