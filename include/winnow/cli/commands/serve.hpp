// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "winnow/cli/command.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/core/error.hpp"
#include "winnow/metrics/store.hpp"
#include "winnow/web/address.hpp"
#include "winnow/web/application.hpp"
#include "winnow/web/desk.hpp"
#include "winnow/web/guard.hpp"
#include "winnow/web/server.hpp"

namespace winnow::inline v0::cli {

namespace detail {

/// The token for changes: from a file that only its owner reads, or from the environment; empty: none.
[[nodiscard]] inline std::string serve_token(const given& arguments) {
    const std::string path = arguments.id("--token-file");
    if (path.empty()) {
        const char* const found = std::getenv("WINNOW_TOKEN");
        return found == nullptr || *found == '\0' ? std::string() : web::checked_token(found, "WINNOW_TOKEN");
    }
    std::ifstream file(path, std::ios::binary);
    struct stat about{};
    if (!file || ::stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode))
        throw error(failure::configuration, "The token file " + path + " cannot be read.");
    if ((about.st_mode & (S_IROTH | S_IWOTH | S_IWGRP)) != 0)
        throw error(failure::configuration, "The token file " + path + " is open to others.")
            .with_hint("chmod 640 it, or 600.");
    return web::checked_token({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}, path);
}

inline std::atomic<int>& serve_signal() {
    static std::atomic<int> received{0};
    return received;
}

inline int run_serve(environment& in, const given& arguments) {
    const web::address wanted = web::parse_address(arguments.text("--bind", "127.0.0.1:8080"));
    web::guard_settings rules{serve_token(arguments), arguments.all("--host-name")};
    for (std::string& name : rules.host_names) name = web::split_host(name).host;
    const bool changes = !rules.token.empty();
    if (!in.has_silos() && in.configured().database.empty()) (void)in.database(access::read);  // says what is missing

    metric_store counts(&in.watch());
    web::desk at(
        [&] {
            auto one = in.another();
            one->report_to(counts);
            return one;
        },
        4);
    web::application answers(in, at, counts, std::move(rules));
    web::http_server server(
        [&](const web::request& asked) { return answers.answer(asked); },
        [&](const web::request& asked, web::response& with) { return answers.refuses(asked, with); });
    const web::address bound = server.bind(wanted);

    serve_signal() = 0;
    const auto on_signal = [](int signal) {
        serve_signal() = signal;
        (void)std::signal(signal, SIG_DFL);
    };
    (void)std::signal(SIGINT, on_signal);
    (void)std::signal(SIGTERM, on_signal);
    std::thread answering([&] { server.run(); });
    const std::string url = "http://" + bound.text() + "/";
    if (in.out().as_json()) in.out().print(json{{"listening", url}, {"changes_allowed", changes}});
    else {
        in.out().line("Listening on " + url);
        if (!changes) in.out().note("Changes are not allowed: give a token with --token-file FILE or WINNOW_TOKEN.");
        if (!bound.is_loopback())
            in.out().note("Whoever reaches this address can read. There is no TLS: put a proxy in front of it.");
    }
    while (serve_signal() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    server.stop();
    const bool ended = at.close(std::chrono::seconds(2));
    if (!ended) {
        // A database that does not answer holds a thread; nothing of it is lost, an open change is rolled back.
        in.watch().log(log_level::warning, "stopped while a database did not answer", {});
        std::_Exit(0);
    }
    answering.join();
    return 0;
}

}  // namespace detail

/// `serve`.
[[nodiscard]] inline std::vector<command> serve_commands() {
    return {{"serve",
             "a web page and an API over the databases, metrics and health",
             {option("--bind", "ADDRESS:PORT", "where to listen; 127.0.0.1:8080 by default, port 0 for any"),
              option("--token-file", "FILE", "the token that changes need, 16 characters or more [WINNOW_TOKEN]"),
              option("--host-name", "NAME", "a name under which it is reached besides localhost and IP addresses")},
             detail::run_serve}};
}

}  // namespace winnow::inline v0::cli
