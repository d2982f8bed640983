// SPDX-License-Identifier: Apache-2.0
// A plugin that another compiler builds, in libstdc++'s debug mode, whose vectors and strings differ from the host's.
#include <winnow/plugin/export.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mixed {

struct own_type {
    std::vector<std::string> more{"much"};
};

enum class scope_of : std::int32_t { place = 1 };
enum class category : std::int32_t { note_update = 2 };

struct note {
    std::int64_t id;
    std::string word;
};
WINNOW_DESCRIBE(note, id, word)

}  // namespace mixed

template <> struct winnow::categories<mixed::category> {
    static constexpr auto scopes = winnow::scopes(scope<mixed::scope_of::place, mixed::category::note_update>);
};
template <> struct winnow::model<mixed::note> {
    static constexpr text key = "mixed.Note";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto replication = replicates<mixed::category::note_update>(shard<&mixed::note::id>);
    static bool should_proceed(const mixed::note& seen) { return seen.word == "yes"; }
    static void before_delete(const mixed::note& seen) {
        if (seen.word == "own type") throw mixed::own_type{};
        if (seen.word == "at") (void)std::map<int, int>{}.at(3);
    }
    static void replicate(const mixed::note& seen, winnow::delivery& about) {
        about.in_target([&](winnow::connection& target) {
            winnow::key_set ids(1, {std::int64_t{seen.id}, std::int64_t{seen.id + 1}});
            const winnow::rows there = target.execute(
                "SELECT id, word FROM copy WHERE id IN (SELECT value FROM json_each($1)) ORDER BY id", {ids});
            std::string all = seen.word;
            for (std::size_t row = 0; row < there.size(); ++row) all += " " + there.text(row, 1);
            target.execute("INSERT INTO copy VALUES ($1, $2)", {seen.id, std::string_view(all)});
        });
    }
};

namespace {

using models = winnow::registry<mixed::note>;

#ifdef _GLIBCXX_DEBUG
constexpr std::string_view mode = "debug";
#else
constexpr std::string_view mode = "plain";
#endif

}  // namespace

WINNOW_PLUGIN(models, .name = "mixed", .version = __VERSION__, .description = mode)
