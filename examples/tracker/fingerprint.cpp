// SPDX-License-Identifier: Apache-2.0
#include "fingerprint.hpp"

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <variant>

namespace tracker {

namespace {

/// FNV-1a with 64 bits: no protection against malice, none needed.
class hash {
public:
    void bytes(const void* data, std::size_t size) {
        const auto* at = static_cast<const unsigned char*>(data);
        for (std::size_t i = 0; i < size; ++i) state_ = (state_ ^ at[i]) * 0x100000001b3U;
    }
    void add(const winnow::value& v) {
        const auto kind = static_cast<unsigned char>(v.index());
        bytes(&kind, 1);
        std::visit(
            [&](const auto& held) {
                using held_type = std::decay_t<decltype(held)>;
                if constexpr (std::is_same_v<held_type, std::string>) {
                    const std::uint64_t size = held.size();
                    bytes(&size, sizeof size);
                    bytes(held.data(), held.size());
                } else if constexpr (!std::is_same_v<held_type, winnow::null_value>) {
                    bytes(&held, sizeof held);
                }
            },
            v);
    }
    [[nodiscard]] std::uint64_t result() const { return state_; }

private:
    std::uint64_t state_ = 0xcbf29ce484222325U;
};

/// `SELECT * FROM table ORDER BY key LIMIT …`, a page at a time so that no answer grows large.
std::vector<std::uint64_t> hash_table(winnow::connection& database, const winnow::plan& model) {
    constexpr std::int64_t page = 20000;
    std::string order;
    for (const std::uint16_t column : model.primary_key) {
        order += (order.empty() ? "" : ", ") + std::string(model.columns[column].quoted[database.kind()]);
    }
    std::vector<std::uint64_t> hashes;
    for (std::int64_t offset = 0;; offset += page) {
        const winnow::rows found =
            database.execute_once("SELECT * FROM " + std::string(model.quoted_table[database.kind()]) + " ORDER BY " +
                                      order + " LIMIT " + std::to_string(page) + " OFFSET " + std::to_string(offset),
                                  {});
        for (std::size_t row = 0; row < found.size(); ++row) {
            hash one;
            for (const winnow::value& cell : found[row]) one.add(cell);
            hashes.push_back(one.result());
        }
        if (found.size() < static_cast<std::size_t>(page)) break;
    }
    std::sort(hashes.begin(), hashes.end());
    return hashes;
}

}  // namespace

fingerprint take_fingerprint(winnow::connection& database, std::span<const winnow::plan> models) {
    fingerprint result;
    for (const winnow::plan& model : models) {
        result[std::string(model.table[database.kind()])] = hash_table(database, model);
    }
    return result;
}

difference compare(const fingerprint& before, const fingerprint& after) {
    difference result;
    for (const auto& [table, now] : after) {
        static const std::vector<std::uint64_t> none;
        const auto found = before.find(table);
        const std::vector<std::uint64_t>& then = found == before.end() ? none : found->second;
        std::vector<std::uint64_t> same;
        std::set_intersection(then.begin(), then.end(), now.begin(), now.end(), std::back_inserter(same));
        const auto kept = static_cast<std::int64_t>(same.size());
        const std::int64_t gone = static_cast<std::int64_t>(then.size()) - kept;
        if (gone != 0) result.gone[table] = gone;
        result.total_gone += gone;
        result.unchanged += kept;
        result.changed_or_new += static_cast<std::int64_t>(now.size()) - kept;
    }
    return result;
}

std::uint64_t checksum(const fingerprint& rows) {
    hash all;
    for (const auto& [table, hashes] : rows) {
        all.bytes(table.data(), table.size());
        all.bytes(hashes.data(), hashes.size() * sizeof(std::uint64_t));
    }
    return all.result();
}

}  // namespace tracker
