// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "winnow/abi/entry.h"

namespace winnow_test {

/// A plugin's entry with everything that it points to, in memory that may be written to. Each text and each list is an
/// allocation of its own, so that the address sanitizer sees one byte too many.
class entry_copy {
public:
    explicit entry_copy(const winnow_plugin_entry& from) : entry(from) {
        numbers.push_back(&entry.size);
        numbers.push_back(&entry.abi_version);
        add(entry.name);
        add(entry.version);
        add(entry.description);
        copy(entry.plans, [this](winnow_plan& one) { add(one); });
    }
    entry_copy(const entry_copy&) = delete;
    entry_copy& operator=(const entry_copy&) = delete;

    winnow_plugin_entry entry;

    // Every field of one kind, wherever it stands.
    std::vector<winnow_text*> texts;
    std::vector<std::size_t*> counts;
    std::vector<std::size_t*> item_sizes;
    std::vector<std::uint32_t*> numbers;  ///< sizes, kinds, flags, indices; signed ones as well
    std::vector<std::uint16_t*> indices;
    std::vector<const void**> pointers;

    /// The mutable plan at this place.
    [[nodiscard]] winnow_plan& plan(std::size_t at) { return const_cast<winnow_plan&>(entry.plans.items[at]); }
    [[nodiscard]] static winnow_relation& item(const winnow_relation_list& list, std::size_t at) {
        return const_cast<winnow_relation&>(list.items[at]);
    }
    [[nodiscard]] static winnow_column& item(const winnow_column_list& list, std::size_t at) {
        return const_cast<winnow_column&>(list.items[at]);
    }
    template <class Struct>
    [[nodiscard]] static Struct& changed(const Struct* held) {
        return const_cast<Struct&>(*held);
    }

private:
    template <class Item>
    Item* allocate(const Item* from, std::size_t count) {
        if (count == 0) return nullptr;
        auto memory = std::make_unique<char[]>(count * sizeof(Item));
        std::memcpy(memory.get(), static_cast<const void*>(from), count * sizeof(Item));
        memory_.push_back(std::move(memory));
        return reinterpret_cast<Item*>(memory_.back().get());
    }
    template <class List, class Each>
    void copy(List& list, const Each& each) {
        auto* items = allocate(list.items, list.count);
        list.items = items;
        const std::size_t count = list.count;
        counts.push_back(&list.count);
        if constexpr (requires { list.item_size; }) item_sizes.push_back(&list.item_size);
        pointers.push_back(reinterpret_cast<const void**>(&list.items));
        for (std::size_t i = 0; i < count; ++i) each(items[i]);
    }
    /// A struct that tells its size.
    template <class Struct>
    Struct* copy(const Struct*& held) {
        pointers.push_back(reinterpret_cast<const void**>(&held));
        if (held == nullptr) return nullptr;
        Struct* const made = allocate(held, 1);
        held = made;
        numbers.push_back(&made->size);
        return made;
    }

    void add(winnow_text& text) {
        text.data = allocate(text.data, text.size);
        texts.push_back(&text);
    }
    void add(winnow_dialect_text& text) {
        add(text.postgres);
        add(text.sqlite);
    }
    template <class... Texts>
    void add_all(Texts&... all) {
        (add(all), ...);
    }
    void add(winnow_column_list& list) {
        copy(list, [this](winnow_column& one) {
            add_all(one.name, one.quoted);
            numbers.insert(numbers.end(), {&one.kind, &one.optional});
        });
    }
    void add(winnow_index_list& list) {
        copy(list, [this](std::uint16_t& one) { indices.push_back(&one); });
    }
    void add_number(std::int32_t& number) { numbers.push_back(reinterpret_cast<std::uint32_t*>(&number)); }
    void add(winnow_relation_list& list) {
        copy(list, [this](winnow_relation& one) {
            numbers.push_back(&one.kind);
            add_all(one.parent, one.child, one.columns, one.referenced);
            copy(one.filters, [this](winnow_filter& some) { add_all(some.where, some.literal); });
            copy(one.skips, [this](winnow_text& key) { add(key); });
            if (winnow_relation_statements* all = copy(one.statements))
                add_all(all->fetch_first, all->fetch_next, all->lock, all->hold, all->remove, all->remove_some,
                        all->remove_some_by_key, all->remove_unlocked, all->nullify, all->nullify_some,
                        all->nullify_keys, all->count, all->exists, all->descend, all->reach_outside);
        });
    }
    void add(winnow_replication& one) {
        numbers.insert(numbers.end(), {&one.kind, &one.strict_order, &one.shard});
        add_number(one.version);
        add_number(one.category);
        add_number(one.scope);
        add_all(one.category_name, one.scope_name, one.payload);
        if (winnow_mirror* mirror = copy(one.mirror)) {
            add_all(mirror->model, mirror->table, mirror->upsert, mirror->erase, mirror->read);
            copy(mirror->columns, [this](winnow_mirrored_column& column) {
                numbers.insert(numbers.end(), {&column.source, &column.identifies});
                add(column.target);
            });
        }
        copy(one.hooks);
        if (winnow_replication_statements* all = copy(one.statements))
            add_all(all->produce, all->produce_range, all->batch, all->bounds);
    }
    void add(winnow_plan& one) {
        add_all(one.key, one.schema, one.table, one.quoted_table, one.strategy_reason, one.rate_limit_option);
        numbers.insert(numbers.end(), {&one.silo, &one.strategy, &one.newest_first, &one.birth});
        add_number(one.chunk_size);
        add_number(one.query_limit);
        add_all(one.columns, one.primary_key, one.identity, one.relations, one.attached);
        if (winnow_status_column* status = copy(one.status)) numbers.push_back(&status->column);
        copy(one.hooks);
        if (winnow_row_statements* all = copy(one.statements))
            add_all(all->read, all->lock, all->hold, all->remove, all->count, all->mark);
        if (winnow_replication* copied = copy(one.replication)) add(*copied);
        copy(one.remotes, [this](winnow_remote_relation& remote) {
            numbers.insert(numbers.end(), {&remote.kind, &remote.column});
            add(remote.parent);
            if (winnow_remote_statements* all = copy(remote.statements))
                add_all(all->find, all->lock, all->nullify, all->scrub_next, all->scrub_first, all->last);
        });
    }

    std::vector<std::unique_ptr<char[]>> memory_;
};

}  // namespace winnow_test
