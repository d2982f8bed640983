// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "laws/child_process.hpp"
#include "support/proxy.hpp"

namespace winnow_test {

/// A network between processes and PostgreSQL that misbehaves by chance until it is healed: connections are cut at a COMMIT
/// before and after the server saw it, and at any other message; fall silent; go on in single bytes; wait; and now and
/// then nobody gets through. A process of its own, so that it outlives those that use it.
class sick_network {
public:
    enum class event : unsigned char {
        connected,
        cut_before_commit,  ///< the server never saw it
        cut_after_commit,   ///< the client never heard of it
        cut_elsewhere,
        silenced_at_commit,  ///< the server's answers no longer come through
        silenced_elsewhere,
        swallowed_at_commit,  ///< nothing comes through in either direction
        swallowed_elsewhere,
        sliced,  ///< goes on in single bytes
        delayed,
        refused,  ///< for a while nobody gets a connection
        count,
    };

    /// @param database URL of the database behind it, by a Unix socket
    sick_network(const std::string& database, std::uint64_t seed)
        : shared_(share()), process_([&, parent = ::getpid()] { misbehave(*shared_, database, seed, parent); }) {
        for (int i = 0; shared_->port == 0; ++i) {
            if (i == 1'000) throw std::runtime_error("the misbehaving network did not start");
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        url_ = misbehaving_proxy::url_of(database, shared_->port);
    }
    sick_network(const sick_network&) = delete;
    sick_network& operator=(const sick_network&) = delete;
    ~sick_network() { ::munmap(shared_, sizeof(state)); }

    /// URL of the database by way of this network.
    [[nodiscard]] const std::string& url() const noexcept { return url_; }
    /// It behaves from now on, also on connections that are open; those that fell silent stay so.
    void heal() noexcept { shared_->sick = false; }
    /// How often it happened so far.
    [[nodiscard]] std::int64_t count(event which) const noexcept { return shared_->of(which); }
    /// Whether each of them happened.
    [[nodiscard]] bool had_all() const noexcept {
        return std::all_of(shared_->counts.begin(), shared_->counts.end(), [](const auto& one) { return one > 0; });
    }

private:
    /// In memory that both processes see.
    struct state {
        std::atomic<std::uint16_t> port{0};
        std::atomic<bool> sick{true};
        std::array<std::atomic<std::int64_t>, static_cast<std::size_t>(event::count)> counts{};

        [[nodiscard]] std::atomic<std::int64_t>& of(event which) noexcept {
            return counts[static_cast<std::size_t>(which)];
        }
    };

    [[nodiscard]] static state* share() {
        void* memory = ::mmap(nullptr, sizeof(state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
        return ::new (memory) state;
    }

    /// One thing that goes wrong, and whether it has to hit a COMMIT: only there an outcome is in doubt.
    struct trouble {
        proxy_fault how;
        bool at_commit;
        event counted;
    };
    /// What goes wrong when: every half second or so, by chance, and yet each kind as often as it should.
    class troubles {
    public:
        explicit troubles(std::uint64_t seed) : random_(seed) {}

        /// The next one, if it is time for it and this message is one that it hits.
        [[nodiscard]] const trouble* hit(bool commit) {
            const auto now = std::chrono::steady_clock::now();
            if (now < due_) return nullptr;
            if (left_ == 0) {
                std::shuffle(deck_.begin(), deck_.end(), random_);
                left_ = deck_.size();
            }
            if (deck_[left_ - 1].at_commit && !commit) return nullptr;
            // Not always the first message after a while: those are always the same.
            if (!commit && random_() % 20 != 0) return nullptr;
            due_ = now + std::chrono::milliseconds(150 + random_() % 350);
            return &deck_[--left_];
        }

    private:
        std::mt19937_64 random_;
        std::chrono::steady_clock::time_point due_{};
        std::array<trouble, 14> deck_{{
            {proxy_fault::cut_before, true, event::cut_before_commit},
            {proxy_fault::cut_before, true, event::cut_before_commit},
            {proxy_fault::cut_after, true, event::cut_after_commit},
            {proxy_fault::cut_after, true, event::cut_after_commit},
            {proxy_fault::cut_before, false, event::cut_elsewhere},
            {proxy_fault::cut_after, false, event::cut_elsewhere},
            {proxy_fault::silence, true, event::silenced_at_commit},
            {proxy_fault::silence, false, event::silenced_elsewhere},
            {proxy_fault::swallow, true, event::swallowed_at_commit},
            {proxy_fault::swallow, false, event::swallowed_elsewhere},
            {proxy_fault::slice, false, event::sliced},
            {proxy_fault::slice, true, event::sliced},
            {proxy_fault::delay, false, event::delayed},
            {proxy_fault::delay, true, event::delayed},
        }};
        std::size_t left_ = 0;
    };

    /// What the process of the network does for as long as its parent lives.
    static void misbehave(state& shared, const std::string& database, std::uint64_t seed, pid_t parent) {
        misbehaving_proxy proxy(misbehaving_proxy::socket_of(database));
        troubles next(seed);
        std::mt19937_64 random(seed + 1);
        proxy.on_message([&](const misbehaving_proxy::message& seen) {
            const trouble* one = shared.sick ? next.hit(seen.is("COMMIT")) : nullptr;
            if (one == nullptr) return proxy_fault::none;
            ++shared.of(one->counted);
            return one->how;
        });
        shared.port = proxy.port();
        for (std::uint64_t naps = 1, until_refusal = 30; ::getppid() == parent; ++naps) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            shared.of(event::connected) = proxy.connections();
            if (!shared.sick || naps < until_refusal) continue;
            until_refusal = naps + 30 + random() % 60;
            ++shared.of(event::refused);
            proxy.refuse();
            std::this_thread::sleep_for(std::chrono::milliseconds(200 + random() % 600));
            proxy.listen_again();
        }
        ::_exit(0);
    }

    state* shared_;
    child_process process_;
    std::string url_;
};

}  // namespace winnow_test
