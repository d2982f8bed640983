// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "winnow/abi/host.h"
#include "winnow/abi/plan.h"
#include "winnow/core/error.hpp"
#include "winnow/plan/delivery.hpp"
#include "winnow/plan/hooks.hpp"
#include "winnow/plan/replication.hpp"
#include "winnow/plugin/call_frame.hpp"
#include "winnow/plugin/lifted_hooks.hpp"
#include "winnow/plugin/values.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/rows.hpp"

// The host's side: what a plugin's handler of messages is given.

namespace winnow::inline v0::detail {

/// The target's database, lent to a plugin for one piece of work.
class lent_connection {
public:
    lent_connection(connection& target, call_frame& frame)
        : target_(target), frame_(frame), description_(target.description()), session_name_(target.session_name()) {
        made_.size = sizeof(made_);
        made_.sqlite = target.kind() == dialect::sqlite ? 1 : 0;
        made_.description = to_abi(std::string_view(description_));
        made_.session_name = to_abi(std::string_view(session_name_));
        made_.data = this;
        made_.execute = &execute;
        made_.set_limits = &set_limits;
        made_.last_error = &last_error;
    }
    lent_connection(const lent_connection&) = delete;
    lent_connection& operator=(const lent_connection&) = delete;

    [[nodiscard]] const winnow_host_connection* get() const noexcept { return &made_; }

private:
    static lent_connection& of(const winnow_host_connection* lent) noexcept {
        return *static_cast<lent_connection*>(lent->data);
    }

    static winnow_status execute(const winnow_host_connection* lent, std::uint32_t how, winnow_text statement,
                                 const winnow_parameter* parameters, std::size_t count,
                                 const winnow_host_result** result) noexcept {
        lent_connection& self = of(lent);
        if (result != nullptr) *result = nullptr;
        return self.frame_.serve([&] {
            self.run(how, statement, parameters, count);
            if (result != nullptr) *result = &self.result_;
        });
    }
    static winnow_status set_limits(const winnow_host_connection* lent, std::int64_t lock_timeout,
                                    std::int64_t statement_timeout) noexcept {
        lent_connection& self = of(lent);
        return self.frame_.serve([&] {
            self.target_.set_limits({.lock_timeout = std::chrono::milliseconds(lock_timeout),
                                     .statement_timeout = std::chrono::milliseconds(statement_timeout)});
        });
    }
    static const winnow_host_error* last_error(const winnow_host_connection* lent) noexcept {
        return of(lent).frame_.met();
    }

    void run(std::uint32_t how, const winnow_text& statement, const winnow_parameter* parameters, std::size_t count) {
        if (statement.data == nullptr || statement.size == 0)
            throw error(failure::usage, "An empty statement was to be run. Give its text.");
        if (count > 65'535 || (parameters == nullptr && count != 0))
            throw error(failure::usage, std::to_string(count) +
                                            " parameters were given, or null for them. Give as many "
                                            "as `parameter_count` says, at most 65535.");
        std::vector<key_set> sets;
        sets.reserve(count);
        std::vector<parameter> given;
        given.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            if ((parameters[i].value == nullptr) == (parameters[i].set == nullptr))
                throw error(failure::usage, "Parameter " + std::to_string(i + 1) +
                                                " is neither a value nor a set, or both. Set exactly one of the two.");
            if (parameters[i].set != nullptr) given.emplace_back(sets.emplace_back(from_abi(*parameters[i].set)));
            else given.emplace_back(from_abi(*parameters[i].value));
        }
        const std::string_view text = from_abi(statement);
        if (how == WINNOW_EXECUTE_PREPARED) {
            keep(target_.execute(text, std::span<const parameter>(given)));
        } else if (how == WINNOW_EXECUTE_ONCE) {
            keep(target_.execute_once(text, std::span<const parameter>(given)));
        } else if (how == WINNOW_EXECUTE_SCRIPT && count == 0) {
            target_.execute_script(text);
            keep({});
        } else {
            throw error(failure::usage, "A statement was to be run in way " + std::to_string(how) +
                                            ", or a script with parameters. Use a WINNOW_EXECUTE_... number.");
        }
    }
    void keep(rows found) {
        rows_ = std::move(found);
        values_.clear();
        values_.reserve(rows_.size() * rows_.width());
        for (std::size_t row = 0; row < rows_.size(); ++row)
            for (const value& one : rows_[row]) values_.push_back(to_abi(one));
        result_ = {sizeof(winnow_host_result), 0, values_.data(), rows_.width(), rows_.size(), rows_.affected()};
    }

    connection& target_;
    call_frame& frame_;
    std::string description_;
    std::string session_name_;
    winnow_host_connection made_{};
    rows rows_;
    std::vector<winnow_value> values_;
    winnow_host_result result_{};
};

/// A message, lent to a plugin for one call.
class lent_delivery {
public:
    lent_delivery(delivery& about, call_frame& frame) noexcept : about_(about), frame_(frame) {
        made_.size = sizeof(made_);
        made_.attempt = about.attempt;
        made_.object = about.object;
        made_.message_id = about.message_id;
        made_.model = to_abi(about.model);
        made_.category = to_abi(about.category);
        made_.payload = to_abi(about.payload);
        made_.source = to_abi(about.source);
        made_.cell = to_abi(about.cell);
        made_.data = this;
        made_.run_in_target = &run_in_target;
        made_.last_error = &last_error;
    }
    lent_delivery(const lent_delivery&) = delete;
    lent_delivery& operator=(const lent_delivery&) = delete;

    [[nodiscard]] const winnow_host_delivery* get() const noexcept { return &made_; }

private:
    static winnow_status run_in_target(const winnow_host_delivery* lent, std::int32_t once, winnow_target_work work,
                                       void* state, std::int32_t* ran) noexcept {
        lent_delivery& self = *static_cast<lent_delivery*>(lent->data);
        self.frame_.forget();
        return self.frame_.serve([&] {
            if (work == nullptr) throw error(failure::usage, "Null was to be run in the target. Give a function.");
            bool did = true;
            // May be called again with the same state, after a deadlock.
            auto each = [&](connection& target) {
                self.frame_.forget();
                lent_connection database(target, self.frame_);
                self.frame_.run([&] { return work(state, database.get()); });
            };
            if (once != 0) did = self.about_.once(each);
            else self.about_.in_target(each);
            if (ran != nullptr) *ran = did ? 1 : 0;
        });
    }
    static const winnow_host_error* last_error(const winnow_host_delivery* lent) noexcept {
        return static_cast<const lent_delivery*>(lent->data)->frame_.met();
    }

    delivery& about_;
    call_frame& frame_;
    winnow_host_delivery made_{};
};

inline void replicate_by_plugin(const void* state, row_values row, delivery& about) {
    const auto& hook = *static_cast<const lifted_hook<winnow_replication_hooks>*>(state);
    const std::vector<winnow_value> values = to_abi(row);
    const winnow_row given{values.data(), values.size()};
    call_frame frame(*hook.plugin, about.model);
    const lent_delivery lent(about, frame);
    frame.run([&] { return hook.held.replicate(hook.held.state, &given, lent.get(), frame.call()); });
}

inline void erase_by_plugin(const void* state, std::int64_t object, delivery& about) {
    const auto& hook = *static_cast<const lifted_hook<winnow_replication_hooks>*>(state);
    call_frame frame(*hook.plugin, about.model);
    const lent_delivery lent(about, frame);
    frame.run([&] { return hook.held.erased(hook.held.state, object, lent.get(), frame.call()); });
}

}  // namespace winnow::inline v0::detail
