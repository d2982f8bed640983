// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/context/outbox_flush.hpp"
#include "winnow/context/row_writer.hpp"
#include "winnow/core/config.hpp"
#include "winnow/derive/key.hpp"
#include "winnow/derive/write.hpp"
#include "winnow/model/traits.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow::inline v0 {

/// How objects are written.
struct write_options {
    bool flush = true;  ///< deliver the messages right after the commit; false: the scheduler does
};

namespace detail {

/// Delivers what was written, after the commit; a failure is no failure of the write.
inline void flush_after_commit(const context& with, outbox_flush* by, const std::vector<touched_shard>& shards) {
    if (by == nullptr || shards.empty()) return;
    try {
        by->flush(with, shards);
    } catch (const std::exception& problem) {
        with.watch.log(log_level::warning, "messages were not delivered at once; the scheduler will",
                       {{"problem", problem.what()}});
    }
}

}  // namespace detail

/// The part of a session that writes objects. For a replicated model the row and its message are one transaction.
///
/// A call joins the transaction that is open on the connection, or opens one and commits it. After an error within a
/// transaction of the caller, roll that back: a part of the call may have been done. Only after a commit of its own does
/// a call deliver messages at once; those of a joined transaction are left to the scheduler.
template <class Registry>
class session_writes {
public:
    /// @param flush delivers messages right after a commit; null: the scheduler does. Must outlive the object
    explicit session_writes(const context& with, outbox_flush* flush = nullptr) : with_(&with), flush_(flush) {}

    /// Inserts an object. Where the key is one integer and 0, the database makes it and `object` gets it.
    /// @return the key; nothing for a composite one
    /// @throws error of kind `refused` for a reference to an object that is gone in the other silo (R21), and for an id
    ///         whose erased former owner the other silo does not know of yet (rule 12)
    /// @throws availability_error when the silo mode does not reach the model's silo
    template <class Type>
        requires(!std::is_const_v<Type>)
    inserted_key<Type> insert(Type& object, const write_options& how = {}) const {
        insert_all(std::span<Type>(&object, 1), how);
        if constexpr (!std::is_void_v<inserted_key<Type>>) return key_member(object, primary_key_members<Type>{});
    }
    /// The same for an object that cannot be changed.
    template <class Type>
    inserted_key<Type> insert(const Type& object, const write_options& how = {}) const {
        Type copy = object;
        return insert(copy, how);
    }
    /// Writes all columns of an object that is there, but key and shard.
    /// @throws error of kind `not_found` when it is not there, `refused` when its shard would change (rule 8) or by R21
    template <class Type>
    void update(const Type& object, const write_options& how = {}) const {
        update_all(std::span<const Type>(&object, 1), how);
    }
    /// Deletes the object's row alone, by its key: no children, no hooks. `exec_sync` deletes what is below as well.
    /// @return whether it was there
    template <class Type>
    bool erase(const Type& object, const write_options& how = {}) const {
        return erase_all(std::span<const Type>(&object, 1), how) != 0;
    }

    /// Inserts objects of one model, all or none, by few statements. Objects that can be changed get the keys that the
    /// database makes.
    template <std::ranges::contiguous_range Objects>
    void bulk_insert(Objects&& objects, const write_options& how = {}) const {
        insert_all(std::span<std::remove_reference_t<std::ranges::range_reference_t<Objects>>>(objects), how);
    }
    /// Changes objects of one model, all or none, in the order of their keys. @throws as `update`; of kind `usage` when
    /// one is there twice
    template <std::ranges::contiguous_range Objects>
    void bulk_update(Objects&& objects, const write_options& how = {}) const {
        update_all(std::span<const std::ranges::range_value_t<Objects>>(objects), how);
    }
    /// Deletes rows of one model, all or none, in the order of their keys. @return how many were there
    template <std::ranges::contiguous_range Objects>
    std::int64_t bulk_erase(Objects&& objects, const write_options& how = {}) const {
        return erase_all(std::span<const std::ranges::range_value_t<Objects>>(objects), how);
    }

protected:
    template <class Type>
    [[nodiscard]] std::size_t index_of() const {
        static_assert(Registry::template contains<Type>,
                      WINNOW_REFUSAL("this type is not a model of the session's registry: pass an object of one of its "
                                     "models, or add the type to winnow::registry<...>"));
        return with_->models.at(std::string_view(model<Type>::key));
    }
    [[nodiscard]] const context& working_with() const noexcept { return *with_; }

private:
    template <class Type, auto Member>
    static auto key_member(const Type& object, member_list<Member>) {
        return object.*Member;
    }
    template <class Type, auto... Members>
    static void key_member(const Type&, member_list<Members...>) {}

    template <class Type>
    static bool wants_key(const Type& object) {
        if constexpr (key_is_generated<Type>) return key_member(object, primary_key_members<Type>{}) == 0;
        else return false;
    }

    template <class Element>
    void insert_all(std::span<Element> objects, const write_options& how) const {
        using Type = std::remove_const_t<Element>;
        detail::row_writer to(*with_, index_of<Type>(), write_statements_of<Type>);
        std::vector<std::int64_t> made;
        write(to, how, [&] {
            for (const bool generated : {false, true}) {
                std::vector<value> cells;
                std::size_t count = 0;
                const auto send = [&] {
                    const std::vector<std::int64_t> keys = to.insert(std::exchange(cells, {}), generated);
                    made.insert(made.end(), keys.begin(), keys.end());
                    count = 0;
                };
                for (const Type& object : objects) {
                    if (wants_key(object) != generated) continue;
                    encode_row(object, cells);
                    if (++count == detail::row_writer::most_rows) send();
                }
                send();
            }
        });
        if constexpr (!std::is_const_v<Element> && key_is_generated<Type>) {
            std::size_t next = 0;
            for (Element& object : objects)
                if (wants_key(object)) detail::put_key(object, made[next++], primary_key_members<Type>{});
        }
    }
    template <class Type>
    void update_all(std::span<const Type> objects, const write_options& how) const {
        detail::row_writer to(*with_, index_of<Type>(), write_statements_of<Type>);
        const std::vector<std::size_t> order =
            detail::in_key_order(with_->models[index_of<Type>()], keys_of_all(objects), false);
        write(to, how, [&] {
            in_chunks(order, [&](std::span<const std::size_t> chunk) {
                std::vector<value> cells;
                for (const std::size_t at : chunk) encode_row(objects[at], cells);
                to.update(std::move(cells));
            });
        });
    }
    template <class Type>
    std::int64_t erase_all(std::span<const Type> objects, const write_options& how) const {
        detail::row_writer to(*with_, index_of<Type>(), write_statements_of<Type>);
        const key_set keys = keys_of_all(objects);
        const std::vector<std::size_t> order = detail::in_key_order(with_->models[index_of<Type>()], keys, true);
        std::int64_t erased = 0;
        write(to, how, [&] {
            in_chunks(order, [&](std::span<const std::size_t> chunk) {
                key_set some(keys.width());
                for (const std::size_t at : chunk) some.push_back(keys[at]);
                erased += to.erase(some);
            });
        });
        return erased;
    }

    template <class Work>
    void write(const detail::row_writer& to, const write_options& how, const Work& work) const {
        detail::joined_transaction scope(with_->database);
        work();
        scope.commit();
        if (scope.own() && how.flush) detail::flush_after_commit(*with_, flush_, to.touched());
    }
    template <class Each>
    static void in_chunks(std::span<const std::size_t> order, const Each& each) {
        for (std::size_t at = 0; at < order.size(); at += detail::row_writer::most_rows)
            each(order.subspan(at, std::min(detail::row_writer::most_rows, order.size() - at)));
    }

protected:
    template <class Type>
    [[nodiscard]] static key_set keys_of_all(std::span<const Type> objects) {
        key_set keys(primary_key_members<Type>::size);
        for (const Type& object : objects) keys.push_back(key_of(object));
        return keys;
    }

private:
    const context* with_;
    outbox_flush* flush_;
};

}  // namespace winnow::inline v0
