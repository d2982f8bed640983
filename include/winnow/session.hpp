// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/deletion/control.hpp"
#include "winnow/deletion/measure.hpp"
#include "winnow/deletion/run.hpp"
#include "winnow/deletion/schedule.hpp"
#include "winnow/derive/key.hpp"
#include "winnow/derive/plans_of.hpp"
#include "winnow/model/concepts.hpp"
#include "winnow/registry/registry.hpp"
#include "winnow/session_write.hpp"
#include "winnow/store/own_tables.hpp"

namespace winnow::inline v0 {

/// Typed calls of an application: what is scheduled is an object, never a bare number, so that the id of one
/// model cannot be taken for another's. Each call is a few lines over plain data.
template <class Registry>
class session : public session_writes<Registry> {
public:
    /// @param with must outlive the session; its catalog must hold the registry's models
    /// @param flush delivers messages right after a commit; null: the scheduler does
    explicit session(const context& with, outbox_flush* flush = nullptr) : session_writes<Registry>(with, flush) {}

    /// Schedules an object; 30 days of grace unless told otherwise. Joins an open transaction of the connection.
    /// @throws as `winnow::schedule`
    template <class Type>
    scheduled_deletion schedule(const Type& object, const schedule_options& how = {}) const {
        return winnow::schedule(working_with(), this->template index_of<Type>(), key_of(object), how);
    }
    /// Schedules objects of one model under one batch, all or none. @return the batch id
    template <class Type>
    std::string schedule_many(std::span<const Type> objects, const schedule_options& how = {}) const {
        return winnow::schedule_many(working_with(), this->template index_of<Type>(), keys_of_all(objects), how);
    }
    /// Cancels; one of four answers.
    template <class Type>
    cancel_result cancel(const Type& object) const {
        return winnow::cancel(working_with(), this->template index_of<Type>(), key_of(object));
    }
    /// Deletes the object and everything below it in this call.
    template <class Type>
    deletion_report exec_sync(const Type& object, const schedule_options& how = {}) const {
        return winnow::exec_sync(working_with(), this->template index_of<Type>(), key_of(object), how);
    }
    template <class Type>
    std::vector<deletion_report> exec_sync_many(std::span<const Type> objects, const schedule_options& how = {}) const {
        return winnow::exec_sync_many(working_with(), this->template index_of<Type>(), keys_of_all(objects), how);
    }
    /// What deleting the object would take; only looks.
    template <class Type>
    deletion_plan plan(const Type& object, const measure_options& how = {}) const {
        return plan_deletion(working_with(), this->template index_of<Type>(), key_of(object), how);
    }

private:
    using session_writes<Registry>::index_of;
    using session_writes<Registry>::keys_of_all;
    using session_writes<Registry>::working_with;
};

}  // namespace winnow::inline v0
