// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "winnow/core/letters.hpp"
#include "winnow/core/text_search.hpp"
#include "winnow/model/column.hpp"
#include "winnow/model/describe.hpp"
#include "winnow/model/table.hpp"
#include "winnow/plan/relation.hpp"
#include "winnow/sql/identifier.hpp"
#include "winnow/sql/writer.hpp"

namespace winnow::inline v0 {

/// The names that a model has besides its columns'.
struct model_names {
    dialect_text schema;
    dialect_text table;
    dialect_text quoted_table;
    std::string_view foreign_name;  ///< what others call a reference to it
};

/// What the names of one model are made of.
struct name_source {
    std::string_view key;
    table_declaration table;        ///< empty name: derived from the key
    std::string_view foreign_name;  ///< empty: derived from the key
    naming spellings;
    std::span<const named_column> named;
    std::span<const described_member> members;
};

/// Writes names behind each other and hands them out as views into the finished text. While the text
/// does not exist yet (the writer only counts) the views are empty.
class name_cutter {
public:
    constexpr name_cutter(writer& out, std::string_view finished) noexcept : out_(out), finished_(finished) {}

    template <class Write>
    constexpr std::string_view cut(const Write& write) {
        const std::size_t begin = out_.size();
        write(out_);
        return out_.size() <= finished_.size() ? finished_.substr(begin, out_.size() - begin) : std::string_view();
    }

private:
    writer& out_;
    std::string_view finished_;
};

namespace detail {

/// `album_id` as `AlbumId` or `albumId`.
constexpr void write_spelled(writer& out, std::string_view name, spelling as) {
    bool start = as == spelling::pascal;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] == '_' && i != 0 && as != spelling::as_is) {
            start = true;
            continue;
        }
        const char c = start ? upper(name[i]) : name[i];
        start = false;
        out.append(std::string_view(&c, 1));
    }
}

/// `tracker.GroupHash` as `tracker_grouphash`.
constexpr void write_default_table(writer& out, std::string_view key) {
    for (const char k : key) {
        const char c = k == '.' ? '_' : lower(k);
        out.append(std::string_view(&c, 1));
    }
}

/// `tracker.GroupHash` as `group_hash_id`, `auth.APIKey` as `api_key_id`.
constexpr void write_default_foreign_name(writer& out, std::string_view key) {
    const std::string_view name = key.substr(position_in(key, '.') + 1);
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool after_lower = i != 0 && !is_upper(name[i - 1]) && name[i - 1] != '_';
        const bool before_lower = i + 1 < name.size() && !is_upper(name[i + 1]) && name[i + 1] != '_';
        if (i != 0 && is_upper(name[i]) && (after_lower || (before_lower && name[i - 1] != '_'))) out.append("_");
        const char c = lower(name[i]);
        out.append(std::string_view(&c, 1));
    }
    out.append("_id");
}

/// A name and its quoted form; `write` appends a name that contains no quotes.
template <class Write>
constexpr void cut_quoted(name_cutter& names, const Write& write, std::string_view& plain, std::string_view& quoted) {
    quoted = names.cut([&](writer& out) {
        out.append("\"");
        write(out);
        out.append("\"");
    });
    plain = quoted.size() < 2 ? quoted : quoted.substr(1, quoted.size() - 2);
}

/// Position of the name that a member was given, or their number.
constexpr std::size_t own_name(const name_source& source, member_id member) noexcept {
    std::size_t at = 0;
    while (at < source.named.size() && source.named[at].member != member) ++at;
    return at;
}

constexpr void spell_column(name_cutter& names, const name_source& source, const described_member& member, dialect to,
                            column& found) {
    const auto store = [&](std::string_view plain, std::string_view quoted) {
        (to == dialect::postgres ? found.name.postgres : found.name.sqlite) = plain;
        (to == dialect::postgres ? found.quoted.postgres : found.quoted.sqlite) = quoted;
    };
    const std::size_t own = own_name(source, member.id);
    const bool named = own < source.named.size();
    const spelling as = named ? spelling::as_is : source.spellings[to];
    std::string_view plain = named ? source.named[own].name[to] : member.name;
    std::string_view quoted;
    if (as != spelling::as_is) {
        cut_quoted(names, [&](writer& out) { write_spelled(out, member.name, as); }, plain, quoted);
    } else if (to == dialect::sqlite && found.name.postgres == plain) {
        quoted = found.quoted.postgres;
    } else {
        quoted = names.cut([&](writer& out) { write_quoted(out, plain); });
    }
    store(plain, quoted);
}

}  // namespace detail

/// Appends every name of a model that has to be made, and fills in the views into `finished`, the text
/// that an earlier call wrote.
constexpr model_names spell_names(writer& out, std::string_view finished, const name_source& source,
                                  std::span<column> columns) {
    name_cutter names(out, finished);
    model_names found;
    found.schema = source.table.schema;
    if (source.table.name.empty()) {
        detail::cut_quoted(
            names, [&](writer& to) { detail::write_default_table(to, source.key); }, found.table.postgres,
            found.quoted_table.postgres);
        found.table.sqlite = found.table.postgres;
        found.quoted_table.sqlite = found.quoted_table.postgres;
    } else {
        found.table = source.table.name;
        const auto qualified = [&](dialect to) {
            return names.cut([&](writer& text) { write_qualified(text, found.schema[to], found.table[to]); });
        };
        found.quoted_table.postgres = qualified(dialect::postgres);
        const bool same = found.table.postgres == found.table.sqlite && found.schema.postgres == found.schema.sqlite;
        found.quoted_table.sqlite = same ? found.quoted_table.postgres : qualified(dialect::sqlite);
    }
    found.foreign_name = source.foreign_name;
    if (found.foreign_name.empty()) {
        found.foreign_name = names.cut([&](writer& to) { detail::write_default_foreign_name(to, source.key); });
    }
    for (std::size_t i = 0; i < source.members.size(); ++i) {
        column spelled{{}, {}, source.members[i].shape.kind, source.members[i].shape.optional};
        detail::spell_column(names, source, source.members[i], dialect::postgres, spelled);
        detail::spell_column(names, source, source.members[i], dialect::sqlite, spelled);
        if (!columns.empty()) columns[i] = spelled;
    }
    return found;
}

namespace detail {

template <std::size_t Columns>
struct cut_result {
    std::array<column, Columns> columns{};
    model_names names;
};

/// The names of a model and of its columns, as views into the text that a first call of `spell_names` wrote.
template <std::size_t Columns>
[[nodiscard]] consteval cut_result<Columns> cut_names(const name_source& source, std::string_view finished) {
    cut_result<Columns> all;
    writer out;
    all.names = spell_names(out, finished, source, all.columns);
    return all;
}

}  // namespace detail

}  // namespace winnow::inline v0
