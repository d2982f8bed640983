// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <span>
#include <string>

#include "winnow/metrics/prometheus_text.hpp"
#include "winnow/web/server.hpp"

// A server that is bound and never run, and an empty page of metrics; `serve` itself takes long to compile.
int main() {
    using winnow::web::request;
    using winnow::web::response;
    winnow::web::http_server server([](const request&) { return response{}; },
                                    [](const request&, response&) { return false; });
    const winnow::web::address bound = server.bind({"127.0.0.1", 0});
    std::printf("%s\n", bound.text().c_str());
    return bound.port > 0 && winnow::prometheus_text({}).empty() ? 0 : 1;
}
