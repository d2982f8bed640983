// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace winnow_test {

/// What a misbehaving proxy does with one message of a client.
enum class proxy_fault : unsigned char {
    none,
    cut_before,  ///< both sides are closed and the server never sees the message
    cut_after,   ///< the server has done what the message asks, and both sides are closed without an answer
    silence,     ///< the server gets the message; neither its answer nor anything else goes through any more
    swallow,     ///< not even the message goes through; the client is kept
    slice,       ///< from now on everything goes through in single bytes
    delay,       ///< the message waits a while
};

/// Stands on a port of loopback between PostgreSQL's protocol and a server's Unix socket, and misbehaves as it is told:
/// for each message of a client, `on_message` says what becomes of it.
class misbehaving_proxy {
public:
    /// A message as the protocol has it: `Q` with the text of a statement, `P` with name and text of one, `E`, …
    struct message {
        char type = 0;  ///< 0: a start of a session
        std::string_view body;
        /// Whether it is exactly that simple statement.
        [[nodiscard]] bool is(std::string_view statement) const noexcept {
            return type == 'Q' && body.substr(0, body.find('\0')) == statement;
        }
    };
    using decide = std::function<proxy_fault(const message&)>;

    /// @param socket path of the server's Unix socket
    explicit misbehaving_proxy(std::string socket) : socket_(std::move(socket)) { listen_again(); }
    misbehaving_proxy(const misbehaving_proxy&) = delete;
    misbehaving_proxy& operator=(const misbehaving_proxy&) = delete;
    ~misbehaving_proxy() {
        refuse();
        stop_ = true;
        for (running_session& one : sessions_) one.thread.join();
    }

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    /// The path of the socket that a URL of tests/support/with_postgres names.
    [[nodiscard]] static std::string socket_of(std::string_view url) {
        const std::size_t at = url.find("host=");
        const std::string_view rest = url.substr(at + 5);
        return std::string(rest.substr(0, rest.find('&'))) + "/.s.PGSQL.5432";
    }
    /// A URL of the same database by way of the proxy.
    [[nodiscard]] std::string url_of(std::string_view direct, std::string_view more = {}) const {
        return url_of(direct, port_) + std::string(more);
    }
    /// The same for whoever knows the port only.
    [[nodiscard]] static std::string url_of(std::string_view direct, std::uint16_t port) {
        const std::size_t at = direct.find("host=");
        const std::size_t end = std::min(direct.find('&', at), direct.size());
        return std::string(direct.substr(0, at)) + "host=127.0.0.1&port=" + std::to_string(port) +
               std::string(direct.substr(end));
    }

    /// Says what happens to messages from now on. Called by the threads of all sessions, one after the other.
    void on_message(decide how) {
        const std::lock_guard guard(mutex_);
        decide_ = std::move(how);
    }
    /// New connections are refused; those that are there go on.
    void refuse() {
        if (!listens_.exchange(false)) return;
        listener_.join();
        ::close(listening_);
    }
    /// Connections are taken again, on the same port.
    void listen_again() {
        if (listens_.exchange(true)) return;
        listening_ = checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
        const int yes = 1;
        ::setsockopt(listening_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        sockaddr_in here{};
        here.sin_family = AF_INET;
        here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        here.sin_port = htons(port_);
        checked(::bind(listening_, reinterpret_cast<const sockaddr*>(&here), sizeof here), "bind");
        checked(::listen(listening_, 64), "listen");
        socklen_t size = sizeof here;
        checked(::getsockname(listening_, reinterpret_cast<sockaddr*>(&here), &size), "getsockname");
        port_ = ntohs(here.sin_port);
        listener_ = std::thread([this] { accept_all(); });
    }
    /// Takes connections and never says a word on them.
    void stay_silent(bool yes) noexcept { mute_ = yes; }

    [[nodiscard]] std::int64_t connections() const noexcept { return connections_; }
    [[nodiscard]] std::int64_t faults() const noexcept { return faults_; }

private:
    /// One direction of a session: what has come and not been passed on.
    struct stream {
        std::string held;
        bool untyped = false;  ///< messages that begin a session have no type

        /// Takes the next whole message off the front; empty when there is none.
        [[nodiscard]] std::string next() {
            const std::size_t head = untyped ? 0 : 1;
            if (held.size() < head + 4) return {};
            std::uint32_t size = 0;
            std::memcpy(&size, held.data() + head, 4);
            const std::size_t whole = head + ntohl(size);
            if (held.size() < whole) return {};
            std::string taken = held.substr(0, whole);
            held.erase(0, whole);
            return taken;
        }
    };

    /// One client and its session with the server.
    class session {
    public:
        session(misbehaving_proxy& of, int client) : of_(of), client_(client) { from_client_.untyped = true; }
        session(const session&) = delete;
        session& operator=(const session&) = delete;
        ~session() {
            ::close(client_);
            if (server_ >= 0) ::close(server_);
        }
        void run() {
            if (!of_.mute_ && !reach_server()) return;
            while (!of_.stop_ && step()) {}
        }

    private:
        [[nodiscard]] bool reach_server() {
            sockaddr_un there{};
            there.sun_family = AF_UNIX;
            std::strncpy(there.sun_path, of_.socket_.c_str(), sizeof there.sun_path - 1);
            server_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
            return server_ >= 0 && ::connect(server_, reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0;
        }
        /// @return whether the session goes on
        [[nodiscard]] bool step() {
            pollfd both[2] = {{client_, POLLIN, 0}, {server_, POLLIN, 0}};
            if (::poll(both, server_ < 0 ? 1 : 2, 20) < 0 && errno != EINTR) return false;
            if (both[0].revents != 0 && !take(client_, from_client_.held)) return false;
            if (both[1].revents != 0 && !take(server_, from_server_)) return false;
            if (server_ < 0 || swallows_) {
                from_client_.held.clear();
                from_server_.clear();
                return true;
            }
            if (!serve_client()) return false;
            if (cuts_) return !answered();
            if (mute_) from_server_.clear();
            const std::string out = std::exchange(from_server_, {});
            return out.empty() || pass(client_, out);
        }
        [[nodiscard]] bool serve_client() {
            for (std::string one = from_client_.next(); !one.empty(); one = from_client_.next()) {
                message seen;
                seen.body = std::string_view(one).substr(from_client_.untyped ? 4 : 5);
                seen.type = from_client_.untyped ? '\0' : one.front();
                if (from_client_.untyped) {
                    // Requests for encryption come before the start proper; the server says no to them in one byte.
                    from_client_.untyped = one.size() == 8;
                }
                switch (of_.ask(seen)) {
                    case proxy_fault::none: break;
                    case proxy_fault::cut_before: return false;
                    case proxy_fault::cut_after: cuts_ = true; break;
                    case proxy_fault::silence: mute_ = true; break;
                    case proxy_fault::swallow: swallows_ = true; return true;
                    case proxy_fault::slice: slices_ = true; break;
                    case proxy_fault::delay: std::this_thread::sleep_for(std::chrono::milliseconds(30)); break;
                }
                if (!pass(server_, one)) return false;
            }
            return true;
        }
        /// Whether the server has answered all that the client asked for, and is ready for what comes next.
        [[nodiscard]] bool answered() {
            answer_.held += std::exchange(from_server_, {});
            for (std::string part = answer_.next(); !part.empty(); part = answer_.next())
                if (part.front() == 'Z') return true;
            return false;
        }
        [[nodiscard]] static bool take(int from, std::string& to) {
            char some[16'384];
            const ssize_t size = ::recv(from, some, sizeof some, 0);
            if (size <= 0) return size < 0 && errno == EINTR;
            to.append(some, static_cast<std::size_t>(size));
            return true;
        }
        [[nodiscard]] bool pass(int to, std::string_view all) const {
            while (!all.empty()) {
                const ssize_t size = ::send(to, all.data(), slices_ ? 1 : all.size(), MSG_NOSIGNAL);
                if (size < 0 && errno == EINTR) continue;
                if (size <= 0) return false;
                all.remove_prefix(static_cast<std::size_t>(size));
            }
            return true;
        }

        misbehaving_proxy& of_;
        int client_;
        int server_ = -1;
        stream from_client_;
        std::string from_server_;
        stream answer_;  ///< that nobody gets
        bool cuts_ = false;
        bool mute_ = false;
        bool swallows_ = false;
        bool slices_ = false;
    };

    struct running_session {
        std::thread thread;
        std::atomic<bool> ended{false};
    };

    static int checked(int result, const char* what) {
        if (result < 0) throw std::system_error(errno, std::generic_category(), what);
        return result;
    }
    void accept_all() {
        while (listens_) {
            pollfd ready{listening_, POLLIN, 0};
            if (::poll(&ready, 1, 20) <= 0) continue;
            const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
            if (client < 0) continue;
            const int yes = 1;
            ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
            ++connections_;
            sessions_.remove_if([](running_session& one) {
                if (!one.ended) return false;
                one.thread.join();
                return true;
            });
            running_session& made = sessions_.emplace_back();
            made.thread = std::thread([this, client, &made] {
                session(*this, client).run();
                made.ended = true;
            });
        }
    }
    [[nodiscard]] proxy_fault ask(const message& seen) {
        const std::lock_guard guard(mutex_);
        if (!decide_) return proxy_fault::none;
        const proxy_fault how = decide_(seen);
        if (how != proxy_fault::none) ++faults_;
        return how;
    }

    std::string socket_;
    std::uint16_t port_ = 0;
    int listening_ = -1;
    std::mutex mutex_;
    decide decide_;
    std::atomic<bool> listens_{false};
    std::atomic<bool> mute_{false};
    std::atomic<bool> stop_{false};
    std::atomic<std::int64_t> connections_{0};
    std::atomic<std::int64_t> faults_{0};
    std::thread listener_;
    std::list<running_session> sessions_;  ///< of the listener's thread, then of the destructor
};

}  // namespace winnow_test
