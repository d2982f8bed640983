// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/abi/entry.h"
#include "winnow/abi/version.h"
#include "winnow/core/version.hpp"
#include "winnow/plugin/call_frame.hpp"
#include "winnow/plugin/values.hpp"

namespace winnow::inline v0::detail {

/// A plugin between `start` and `stop`, and the host as it sees it.
class started_plugin {
public:
    started_plugin(const winnow_plugin_entry& entry, const plugin_identity& plugin) noexcept
        : entry_(entry), plugin_(plugin) {}
    started_plugin(const started_plugin&) = delete;
    started_plugin& operator=(const started_plugin&) = delete;

    bool start(std::string_view program, std::vector<std::string>& wrong) {
        if (started_) return true;
        program_ = program;
        error_.clear();
        host_ = {};
        host_.size = sizeof(host_);
        host_.abi_version = WINNOW_ABI_VERSION;
        host_.name = to_abi(std::string_view(program_));
        host_.version = to_abi(std::string_view(version_text));
        host_.data = this;
        host_.set_error = &set_error;
        host_.log = &log;
        host_.get_capability = &get_capability;
        winnow_status status = WINNOW_OK;
        try {
            if (entry_.start != nullptr) status = entry_.start(&host_);
        } catch (const std::exception& thrown) {
            status = WINNOW_FAILED;
            error_ = readable(to_abi(std::string_view(thrown.what())));
        } catch (...) {
            status = WINNOW_FAILED;
            error_ = "it threw something that is no std::exception";
        }
        started_ = status == WINNOW_OK;
        if (!started_)
            wrong.push_back("start of plugin " + plugin_.name + " failed: " +
                            (error_.empty() ? "it gave no reason (status " + std::to_string(status) + ")" : error_) +
                            ". Nothing of it was taken; correct what it says and load it again.");
        return started_;
    }

    void stop() noexcept {
        if (!started_) return;
        started_ = false;
        try {
            if (entry_.stop != nullptr) entry_.stop(&host_);
        } catch (...) {  // it is on its way out
            plugin_.write(WINNOW_LOG_ERROR, {}, to_abi(std::string_view("its `stop` threw an exception")));
        }
    }

private:
    static started_plugin& of(const winnow_host* host) noexcept { return *static_cast<started_plugin*>(host->data); }
    static void set_error(const winnow_host* host, winnow_text text) noexcept {
        try {
            of(host).error_ = readable(text);
        } catch (...) {  // for want of memory: it fails without a reason
        }
    }
    static void log(const winnow_host* host, std::uint32_t level, winnow_text message) noexcept {
        of(host).plugin_.write(level, {}, message);
    }
    /// Nothing yet that only some hosts have.
    static const void* get_capability(const winnow_host*, winnow_text, std::uint32_t) noexcept { return nullptr; }

    const winnow_plugin_entry& entry_;
    const plugin_identity& plugin_;
    winnow_host host_{};
    std::string program_;
    std::string error_;
    bool started_ = false;
};

}  // namespace winnow::inline v0::detail
