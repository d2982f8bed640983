// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hiredis/hiredis.h>
// TLS is a library of its own beside hiredis 1.0 and later; who links it says so, as the target winnow::redis does.
// It checks that somebody trusted signed the certificate of the server, not whose name is in it.
#ifdef WINNOW_HIREDIS_SSL
#include <hiredis/hiredis_ssl.h>
#endif

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <signal.h>
#include <sys/time.h>

#include "winnow/core/error.hpp"
#include "winnow/store/redis_options.hpp"
#include "winnow/store/url.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Keeps SIGPIPE from the thread while it writes to a server that may be gone: hiredis does not, and it ends a process.
class without_broken_pipe {
public:
    without_broken_pipe() noexcept {
        sigset_t waiting;
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        sigpending(&waiting);
        waits_already_ = sigismember(&waiting, SIGPIPE) == 1;
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    without_broken_pipe(const without_broken_pipe&) = delete;
    without_broken_pipe& operator=(const without_broken_pipe&) = delete;
    ~without_broken_pipe() {
        const timespec at_once{0, 0};
        while (!waits_already_ && sigtimedwait(&pipe_, nullptr, &at_once) == SIGPIPE) {}
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

private:
    sigset_t pipe_{};
    sigset_t before_{};
    bool waits_already_ = false;
};

}  // namespace detail

/// What a Redis server answered.
struct redis_answer {
    enum class kind : unsigned char { nothing, text, integer, list, problem };
    kind type = kind::nothing;
    std::string text;  ///< of a text, a status, or a problem
    std::int64_t integer = 0;
    std::vector<redis_answer> items;
};

/// One session with a Redis server. Connects when it is first used, and again after it was lost. Not thread-safe.
/// Everything throws `error`: of kind `connection` when the server cannot be reached, `statement` when it refuses. No
/// text of it holds the password.
class redis {
public:
    /// @throws error of kind `configuration` for TLS in a program that was built without
    explicit redis(redis_options options) : options_(std::move(options)) {
#ifndef WINNOW_HIREDIS_SSL
        if (options_.tls)
            throw error(failure::configuration,
                        "\"" + description() + "\" asks for TLS, and this program was built without it.")
                .with_hint(
                    "Build it with hiredis 1.0 or later and its hiredis_ssl, or use redis:// over a network that is safe.");
#endif
    }
    explicit redis(std::string_view url) : redis(parse_redis_url(url)) {}

    /// The URL without its password.
    [[nodiscard]] std::string description() const { return redacted(options_.url); }

    [[nodiscard]] std::optional<std::string> get(std::string_view key) { return text_of(command({"GET", key})); }
    void set(std::string_view key, std::string_view text) { (void)command({"SET", key, text}); }
    /// Runs a script over one key in one step.
    [[nodiscard]] redis_answer eval(std::string_view script, std::string_view key,
                                    std::initializer_list<std::string_view> arguments) {
        std::vector<std::string_view> words{"EVAL", script, "1", key};
        words.insert(words.end(), arguments.begin(), arguments.end());
        return command(words);
    }
    /// The same over several keys.
    [[nodiscard]] redis_answer eval(std::string_view script, std::initializer_list<std::string_view> keys,
                                    std::initializer_list<std::string_view> arguments) {
        const std::string count = std::to_string(keys.size());
        std::vector<std::string_view> words{"EVAL", script, count};
        words.insert(words.end(), keys.begin(), keys.end());
        words.insert(words.end(), arguments.begin(), arguments.end());
        return command(words);
    }
    /// A setting of the server.
    [[nodiscard]] std::optional<std::string> config(std::string_view name) {
        const redis_answer answer = command({"CONFIG", "GET", name});
        if (answer.items.size() < 2) return std::nullopt;
        return answer.items[1].text;
    }
    /// One field of a section of `INFO`.
    [[nodiscard]] std::optional<std::string> info(std::string_view section, std::string_view field) {
        const std::string all = command({"INFO", section}).text;
        const std::string begin = std::string(field) + ":";
        std::size_t at = all.starts_with(begin) ? 0 : all.find("\n" + begin);
        if (at == std::string::npos) return std::nullopt;
        at = all.find(begin, at) + begin.size();
        return all.substr(at, all.find_first_of("\r\n", at) - at);
    }
    redis_answer command(std::initializer_list<std::string_view> words) {
        return command(std::vector<std::string_view>(words));
    }
    redis_answer command(const std::vector<std::string_view>& words) {
        const bool fresh = session_ == nullptr;
        if (fresh) connect();
        std::optional<redis_answer> answer = send(words);
        // A session that was open may have been closed by the server meanwhile: once more on a new one.
        if (!answer && !fresh) {
            connect();
            answer = send(words);
        }
        if (!answer) throw lost("the connection was lost");
        if (answer->type == redis_answer::kind::problem)
            throw error(failure::statement,
                        "Redis at " + description() + " refused " + std::string(words.front()) + ": " + answer->text);
        return std::move(*answer);
    }

    [[nodiscard]] static std::optional<std::string> text_of(const redis_answer& answer) {
        if (answer.type == redis_answer::kind::nothing) return std::nullopt;
        return answer.text;
    }

private:
    struct closing {
        void operator()(redisContext* session) const noexcept { redisFree(session); }
        void operator()(redisReply* reply) const noexcept { freeReplyObject(reply); }
    };

    [[nodiscard]] error lost(std::string_view why) const {
        return error(failure::connection, "Redis at " + description() + " cannot be reached: " + std::string(why))
            .with_retry(true);
    }
    [[nodiscard]] static timeval timeval_of(std::chrono::milliseconds span) {
        return {span.count() / 1'000, (span.count() % 1'000) * 1'000};
    }
    void connect() {
        session_.reset();
        const timeval wait = timeval_of(options_.connect_timeout);
        session_.reset(options_.host.empty() ? redisConnectUnixWithTimeout(options_.socket.c_str(), wait)
                                             : redisConnectWithTimeout(options_.host.c_str(), options_.port, wait));
        if (session_ == nullptr) throw lost("there is no memory for it");
        if (session_->err != 0) {
            const std::string why = session_->errstr;
            session_.reset();
            throw lost(why);
        }
        secure();
        redisSetTimeout(session_.get(), timeval_of(options_.command_timeout));
        if (!options_.password.empty() || !options_.user.empty()) {
            if (options_.user.empty()) greet({"AUTH", options_.password});
            else greet({"AUTH", options_.user, options_.password});
        }
        if (options_.database != 0) greet({"SELECT", std::to_string(options_.database)});
    }
    void secure() {
#ifdef WINNOW_HIREDIS_SSL
        if (!options_.tls) return;
        redisSSLContextError problem = REDIS_SSL_CTX_NONE;
        redisInitOpenSSL();
        redisSSLContext* made =
            redisCreateSSLContext(options_.certificates.empty() ? nullptr : options_.certificates.c_str(),
                                  options_.certificates.empty() ? "/etc/ssl/certs" : nullptr, nullptr, nullptr,
                                  options_.host.empty() ? nullptr : options_.host.c_str(), &problem);
        const bool secured = made != nullptr && redisInitiateSSLWithContext(session_.get(), made) == REDIS_OK;
        const std::string why = made == nullptr ? redisSSLContextGetError(problem) : session_->errstr;
        if (made != nullptr) tls_.reset(made);
        if (secured) return;
        session_.reset();
        throw lost("TLS: " + why);
#endif
    }
    void greet(const std::vector<std::string_view>& words) {
        const std::optional<redis_answer> answer = send(words);
        if (answer && answer->type != redis_answer::kind::problem) return;
        session_.reset();
        if (!answer) throw lost("the connection was lost");
        throw error(failure::configuration,
                    "Redis at " + description() + " refused " + std::string(words.front()) + ": " + answer->text);
    }
    /// Nothing when the connection is lost; the session is gone then.
    [[nodiscard]] std::optional<redis_answer> send(const std::vector<std::string_view>& words) {
        std::vector<const char*> texts;
        std::vector<std::size_t> sizes;
        for (const std::string_view word : words) {
            texts.push_back(word.data());
            sizes.push_back(word.size());
        }
        const detail::without_broken_pipe quiet;
        const std::unique_ptr<redisReply, closing> reply(static_cast<redisReply*>(
            redisCommandArgv(session_.get(), static_cast<int>(words.size()), texts.data(), sizes.data())));
        if (reply != nullptr) return answer_of(*reply);
        session_.reset();
        return std::nullopt;
    }
    [[nodiscard]] static redis_answer answer_of(const redisReply& reply) {
        redis_answer made;
        switch (reply.type) {
            case REDIS_REPLY_STRING:
            case REDIS_REPLY_STATUS:
                made.type = redis_answer::kind::text;
                made.text.assign(reply.str, static_cast<std::size_t>(reply.len));
                break;
            case REDIS_REPLY_ERROR:
                made.type = redis_answer::kind::problem;
                made.text.assign(reply.str, static_cast<std::size_t>(reply.len));
                break;
            case REDIS_REPLY_INTEGER:
                made.type = redis_answer::kind::integer;
                made.integer = reply.integer;
                break;
            case REDIS_REPLY_ARRAY:
                made.type = redis_answer::kind::list;
                for (std::size_t at = 0; at < reply.elements; ++at) made.items.push_back(answer_of(*reply.element[at]));
                break;
            default: break;
        }
        return made;
    }

    redis_options options_;
#ifdef WINNOW_HIREDIS_SSL
    struct forgetting {
        void operator()(redisSSLContext* held) const noexcept { redisFreeSSLContext(held); }
    };
    std::unique_ptr<redisSSLContext, forgetting> tls_;
#endif
    std::unique_ptr<redisContext, closing> session_;
};

}  // namespace winnow::inline v0
