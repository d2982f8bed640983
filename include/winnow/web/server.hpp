// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "winnow/core/error.hpp"
#include "winnow/web/address.hpp"
#include "winnow/web/message.hpp"

namespace winnow::inline v0::web {

/// Bounds of what a client may take up.
struct server_limits {
    std::size_t threads = 16;
    std::size_t head_bytes = std::size_t{32} * 1024;  ///< request line and headers
    std::size_t body_bytes = std::size_t{64} * 1024;
    std::chrono::seconds request_time{10};  ///< until a request has arrived
    std::chrono::seconds answer_time{30};   ///< until its answer has been taken
    std::chrono::seconds idle_time{5};      ///< until the next request of a connection
    std::size_t requests_per_connection = 100;
};

namespace detail {

/// A connection whose requests are bounded in bytes and in time, however slowly they trickle.
class bounded_stream final : public httplib::Stream {
public:
    using clock = std::chrono::steady_clock;

    bounded_stream(socket_t socket, const server_limits& limits) : socket_(socket), limits_(limits) {}

    /// Waits for the next request, and begins its time.
    [[nodiscard]] bool next() {
        reading_until_ = clock::now() + limits_.idle_time;
        if (!ready(POLLIN, reading_until_)) return false;
        reading_until_ = clock::now() + limits_.request_time;
        writing_until_ = {};
        left_ = limits_.head_bytes + limits_.body_bytes;
        return true;
    }

    [[nodiscard]] bool is_readable() const override { return ready(POLLIN, reading_until_); }
    [[nodiscard]] bool is_writable() const override { return ready(POLLOUT, clock::now()); }
    ssize_t read(char* to, size_t size) override {
        if (left_ == 0 || !ready(POLLIN, reading_until_)) return -1;
        const ssize_t got = ::recv(socket_, to, std::min(size, left_), 0);
        if (got > 0) left_ -= static_cast<std::size_t>(got);
        return got;
    }
    ssize_t write(const char* from, size_t size) override {
        if (writing_until_ == clock::time_point{}) writing_until_ = clock::now() + limits_.answer_time;
        if (!ready(POLLOUT, writing_until_)) return -1;
        return ::send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    void get_remote_ip_and_port(std::string& ip, int& port) const override { name(::getpeername, ip, port); }
    void get_local_ip_and_port(std::string& ip, int& port) const override { name(::getsockname, ip, port); }
    [[nodiscard]] socket_t socket() const override { return socket_; }

private:
    [[nodiscard]] bool ready(short what, clock::time_point until) const {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - clock::now()).count();
        pollfd one{socket_, what, 0};
        return ::poll(&one, 1, static_cast<int>(std::max<std::int64_t>(0, left))) > 0;
    }
    template <class Getter> void name(Getter getter, std::string& ip, int& port) const {
        sockaddr_storage held{};
        socklen_t size = sizeof held;
        char text[INET6_ADDRSTRLEN] = "";
        if (getter(socket_, reinterpret_cast<sockaddr*>(&held), &size) == 0) {
            const bool six = held.ss_family == AF_INET6;
            const void* const bytes = six ? static_cast<const void*>(&reinterpret_cast<sockaddr_in6*>(&held)->sin6_addr)
                                          : &reinterpret_cast<sockaddr_in*>(&held)->sin_addr;
            (void)::inet_ntop(held.ss_family, bytes, text, sizeof text);
            port = ntohs(six ? reinterpret_cast<sockaddr_in6*>(&held)->sin6_port
                             : reinterpret_cast<sockaddr_in*>(&held)->sin_port);
        }
        ip = text;
    }

    socket_t socket_;
    const server_limits& limits_;
    std::size_t left_ = 0;
    clock::time_point reading_until_{};
    clock::time_point writing_until_{};
};

}  // namespace detail

/// An HTTP server with one function behind it.
class http_server final : private httplib::Server {
public:
    using handler = std::function<response(const request&)>;

    /// @param early asked before the body of a change is read; an answer ends the matter
    http_server(handler answer, std::function<bool(const request&, response&)> early, server_limits limits = {})
        : answer_(std::move(answer)), early_(std::move(early)), limits_(limits) {
        new_task_queue = [threads = limits_.threads] { return new httplib::ThreadPool(threads); };
        set_payload_max_length(limits_.body_bytes);
        set_tcp_nodelay(true);
        set_pre_routing_handler([this](const httplib::Request& asked, httplib::Response& to) {
            const request read = request_of(asked);
            response made;
            if (early_(read, made)) {
                put(made, to);
                return HandlerResponse::Handled;
            }
            if (read.method != "GET" && read.method != "HEAD") return HandlerResponse::Unhandled;
            put(answer_(read), to);
            return HandlerResponse::Handled;
        });
        Post(R"(/[a-z0-9/_]{1,100})",
             [this](const httplib::Request& asked, httplib::Response& to) { put(answer_(request_of(asked)), to); });
    }

    /// Listens. @return the address, with the port that was free where 0 was asked for
    /// @throws error of kind `configuration` when that cannot be
    [[nodiscard]] address bind(address where) {
        if (where.port == 0) where.port = bind_to_any_port(where.host);
        else if (!bind_to_port(where.host, where.port)) where.port = -1;
        if (where.port > 0) return where;
        throw error(failure::configuration, "Nothing can listen at that address: it is in use, or not this machine's.")
            .with_hint("Name another one with --bind ADDRESS:PORT.");
    }
    /// Answers until `stop`. @pre `bind` was called
    void run() { (void)listen_after_bind(); }
    /// May be called from another thread; what is being answered is finished.
    void stop() { httplib::Server::stop(); }
    [[nodiscard]] bool running() const { return is_running(); }

private:
    [[nodiscard]] static request request_of(const httplib::Request& from) {
        request made{from.method, from.path, {}, {}, from.body, from.remote_addr};
        for (const auto& [name, text] : from.params) made.query.emplace_back(name, text);
        for (const auto& [name, text] : from.headers) made.headers.emplace_back(name, text);
        return made;
    }
    static void put(const response& from, httplib::Response& to) {
        to.status = from.status;
        for (const auto& [name, text] : from.headers) to.set_header(name, text);
        to.set_content(from.body, from.type);
    }

    bool process_and_close_socket(socket_t socket) override {
        detail::bounded_stream stream(socket, limits_);
        bool fine = true;
        for (std::size_t left = limits_.requests_per_connection; fine && left > 0 && svr_sock_ != INVALID_SOCKET;
             --left) {
            if (!stream.next()) break;
            bool closed = false;
            fine = process_request(stream, left == 1, closed, [](httplib::Request& asked) {
                // Parts of an answer and its compression cost more than they are worth here.
                asked.ranges.clear();
                asked.headers.erase("Accept-Encoding");
            });
            if (closed) break;
        }
        (void)::shutdown(socket, SHUT_RDWR);
        (void)::close(socket);
        return fine;
    }

    handler answer_;
    std::function<bool(const request&, response&)> early_;
    server_limits limits_;
};

}  // namespace winnow::inline v0::web
