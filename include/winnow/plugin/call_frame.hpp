// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "winnow/abi/host.h"
#include "winnow/context/observer.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plugin/reader.hpp"
#include "winnow/plugin/values.hpp"

// The host's side of one call into a plugin.

namespace winnow::inline v0::detail {

/// What a plugin said, as every log, JSON text and database takes it: UTF-8, of a bounded length.
[[nodiscard]] inline std::string readable(const winnow_text& said) {
    if (said.data == nullptr) return {};
    std::string_view text(said.data, std::min(said.size, longest_text));
    // A character that was cut in two at the end goes as a whole.
    for (int cut = 0; cut < 3 && said.size > longest_text && !is_plain_text(text); ++cut) text.remove_suffix(1);
    std::string made(text);
    if (is_plain_text(made)) return made;
    for (char& c : made)
        if (c == '\0' || static_cast<unsigned char>(c) >= 0x80) c = '?';
    return made;
}

/// Who is called, for texts, and where its log lines go. Shared by all hooks of a plugin.
struct plugin_identity {
    std::string name;
    std::atomic<observer*> log{nullptr};

    void write(std::uint32_t level, std::string_view model, const winnow_text& message) const noexcept {
        observer* const to = log.load();
        if (to == nullptr) return;
        try {
            const log_level known = level == WINNOW_LOG_DEBUG     ? log_level::debug
                                    : level == WINNOW_LOG_INFO    ? log_level::info
                                    : level == WINNOW_LOG_WARNING ? log_level::warning
                                                                  : log_level::error;
            if (model.empty()) to->log(known, readable(message), {{"plugin", name}});
            else to->log(known, readable(message), {{"plugin", name}, {"model", model}});
        } catch (...) {  // for want of memory: a line is lost
        }
    }
};

/// What one call into a plugin leaves behind: the text that it gave, and the host's own error that it met.
class call_frame {
public:
    call_frame(const plugin_identity& plugin, std::string_view model) noexcept : plugin_(plugin), model_(model) {
        call_.size = sizeof(winnow_host_call);
        call_.data = this;
        call_.set_error = &set_error;
        call_.log = &log;
    }
    call_frame(const call_frame&) = delete;
    call_frame& operator=(const call_frame&) = delete;

    [[nodiscard]] const winnow_host_call* call() const noexcept { return &call_; }

    /// Calls a function of the plugin's. An exception that the contract forbids is a failure with its text, too.
    /// @throws the host's own error when the plugin failed without a text of its own; else one of kind `hook`
    template <class Function>
    void run(Function&& function) {
        const winnow_status status = guarded_status(std::forward<Function>(function));
        if (status == WINNOW_OK) return;
        if (!said_ && met_ != nullptr) std::rethrow_exception(met_);
        if (said_ && !text_.empty()) throw failed(text_);
        throw failed("it failed and gave no reason (status " + std::to_string(status) + ")");
    }
    [[nodiscard]] error failed(const std::string& why) const {
        return error(failure::hook, "plugin " + plugin_.name + ": " + why).with_model(model_);
    }
    /// The answer to a yes-or-no question.
    [[nodiscard]] bool answer(std::int32_t given) const {
        if (given != 0 && given != 1)
            throw failed("it answered " + std::to_string(given) + ", which is neither 0 for no nor 1 for yes");
        return given == 1;
    }

    /// Does what the plugin asked the host for. What is thrown is kept, for the plugin to look at and for `run`.
    template <class Function>
    winnow_status serve(Function&& function) noexcept {
        met_ = nullptr;
        view_ = {};
        try {
            function();
            return WINNOW_OK;
        } catch (const error& thrown) {
            met_ = std::current_exception();
            look_at(thrown);
        } catch (const std::exception& thrown) {
            met_ = std::current_exception();
            view_.text = to_abi(std::string_view(thrown.what()));
            view_.kind = WINNOW_ERROR_STATEMENT;
        } catch (...) {
            met_ = std::current_exception();
            view_.text = to_abi(std::string_view("something was thrown that is no std::exception"));
            view_.kind = WINNOW_ERROR_STATEMENT;
        }
        view_.size = sizeof(winnow_host_error);
        return WINNOW_FAILED;
    }
    /// What `serve` met last; null if nothing.
    [[nodiscard]] const winnow_host_error* met() const noexcept { return met_ == nullptr ? nullptr : &view_; }
    /// Text and errors of before are not about what comes now.
    void forget() noexcept {
        said_ = false;
        met_ = nullptr;
    }

private:
    template <class Function>
    winnow_status guarded_status(Function&& function) {
        try {
            return function();
        } catch (const std::exception& thrown) {
            say(to_abi(std::string_view(thrown.what())));
        } catch (...) {
            say(to_abi(std::string_view("something was thrown that is no std::exception")));
        }
        return WINNOW_FAILED;
    }
    void say(const winnow_text& text) noexcept {
        said_ = true;
        try {
            text_ = readable(text);
        } catch (...) {  // for want of memory: it failed all the same
            text_.clear();
        }
    }
    /// The exception's own texts: `met_` keeps them alive.
    void look_at(const error& thrown) noexcept {
        view_.kind = static_cast<std::uint32_t>(thrown.kind()) + 1;
        view_.may_retry = thrown.may_retry() ? 1 : 0;
        view_.in_doubt = thrown.in_doubt() ? 1 : 0;
        view_.text = to_abi(std::string_view(thrown.what()));
        view_.hint = to_abi(std::string_view(thrown.hint()));
        view_.model = to_abi(std::string_view(thrown.model()));
        view_.table = to_abi(std::string_view(thrown.table()));
        view_.constraint = to_abi(std::string_view(thrown.constraint()));
        view_.statement = to_abi(std::string_view(thrown.statement()));
        view_.sqlstate = to_abi(std::string_view(thrown.sqlstate()));
    }
    static void set_error(const winnow_host_call* call, winnow_text text) noexcept {
        static_cast<call_frame*>(call->data)->say(text);
    }
    static void log(const winnow_host_call* call, std::uint32_t level, winnow_text message) noexcept {
        const call_frame& frame = *static_cast<const call_frame*>(call->data);
        frame.plugin_.write(level, frame.model_, message);
    }

    const plugin_identity& plugin_;
    std::string_view model_;
    winnow_host_call call_{};
    std::string text_;
    bool said_ = false;
    std::exception_ptr met_;
    winnow_host_error view_{};
};

}  // namespace winnow::inline v0::detail
