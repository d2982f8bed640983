// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <winnow/winnow.hpp>

#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/plan/delivery.hpp"
#include "winnow/plugin/host.hpp"
#include "winnow/store/connection.hpp"

/// A plugin that is linked into the test: `winnow_plugin` of exported.cpp.
namespace exported {

/// A type that nobody else knows, and no std::exception.
struct own_type {
    int number;
};

/// Does what `word` says: throws, or nothing.
inline void obey(const std::string& word) {
    if (word == "own type") throw own_type{7};
    if (word == "int") throw 7;
    if (word == "bad_alloc") throw std::bad_alloc();
    if (word == "runtime_error") throw std::runtime_error("the shelf is empty");
    if (word == "winnow error") throw winnow::error(winnow::failure::blocked, "it stays").with_retry(true);
}

enum class scope_of : std::int32_t { place = 4 };
enum class category : std::int32_t { note_update = 40 };

struct note {
    std::int64_t id;
    std::int32_t narrow;
    bool flag;
    double real;
    std::string word;
    winnow::uuid guid;
    winnow::json_text properties;
    winnow::timestamp seen;
    winnow::blob bytes;
    std::optional<std::int64_t> parent_id;

    friend bool operator==(const note&, const note&) = default;
};
WINNOW_DESCRIBE(note, id, narrow, flag, real, word, guid, properties, seen, bytes, parent_id)

struct page {
    std::int64_t id;
    std::int64_t note_id;
};
WINNOW_DESCRIBE(page, id, note_id)

/// What the hooks were called with.
struct record {
    std::string hook;
    std::optional<note> seen;
    std::string context;
};
extern std::vector<record> calls;
/// What the handlers do.
extern std::function<void(const note&, winnow::delivery&)> on_replicate;
extern std::function<void(std::int64_t, winnow::delivery&)> on_erased;
/// What `start` and `stop` do.
extern std::string start_word;
extern std::string stop_word;

inline std::string text_of(const winnow::hook_context& context) {
    return std::string(context.model) + " " + std::string(context.transaction_id) + " " +
           (context.actor ? std::to_string(*context.actor) : "nobody") + " " + std::string(context.data);
}
inline void called(const char* hook, const note& seen, const winnow::hook_context& context) {
    calls.push_back({hook, seen, text_of(context)});
    obey(seen.word);
}

struct shelves {
    static constexpr winnow::text name = "shelves";
    static bool chunk(const std::vector<std::int64_t>& ids, const winnow::hook_context& context) {
        calls.push_back(
            {"shelves " + std::to_string(ids.size()) + " " + std::to_string(ids.back()), {}, text_of(context)});
        if (ids.back() == 13) throw own_type{13};
        return ids.size() > 1;
    }
};

inline bool has_pages(const note& asked) {
    obey(asked.word);
    return asked.flag;
}

}  // namespace exported

template <> struct winnow::categories<exported::category> {
    static constexpr auto scopes = winnow::scopes(scope<exported::scope_of::place, exported::category::note_update>);
};
template <> struct winnow::model<exported::note> {
    static constexpr text key = "exported.Note";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto parents = winnow::parents(belongs_to<"host.Thing", &exported::note::parent_id>.set_null());
    static constexpr auto children =
        winnow::children(external<exported::shelves>, cascade<&exported::page::note_id>.when<&exported::has_pages>());
    static constexpr auto replication = replicates<exported::category::note_update>(shard<&exported::note::id>);
    static bool should_proceed(const exported::note& seen, const hook_context& context) {
        exported::called("should_proceed", seen, context);
        return seen.flag;
    }
    static void pending_delete(const exported::note& seen, const hook_context& context) {
        exported::called("pending_delete", seen, context);
    }
    static void before_delete(const exported::note& seen, const hook_context& context) {
        exported::called("before_delete", seen, context);
    }
    static void after_delete(const exported::note& seen, const hook_context& context) {
        exported::called("after_delete", seen, context);
    }
    static void replicate(const exported::note& seen, winnow::delivery& about) { exported::on_replicate(seen, about); }
    static void on_remote_deletion(std::int64_t id, winnow::delivery& about) { exported::on_erased(id, about); }
};
template <> struct winnow::model<exported::page> {
    static constexpr text key = "exported.Page";
    static constexpr auto silo = winnow::silo::cell;
};

namespace exported {

using models = winnow::registry<note, page>;

}  // namespace exported
