// SPDX-License-Identifier: Apache-2.0
// Who opened which notebook: many small rows that nobody looks at when they go, so they go in bulk.
#pragma once

#include <cstdint>
#include <string>

#include <winnow/winnow.hpp>

namespace access_log {

struct Entry {
    std::int64_t id;
    std::int64_t notebook_id;
    std::string reader;
    winnow::timestamp opened_at;
};
WINNOW_DESCRIBE(Entry, id, notebook_id, reader, opened_at)

}  // namespace access_log

template <> struct winnow::model<access_log::Entry> {
    static constexpr text key = "access_log.Entry";
    static constexpr auto silo = winnow::silo::cell;
    /// The model of another plugin, known here by its key alone.
    static constexpr auto parents = winnow::parents(belongs_to<"notes.Notebook", &access_log::Entry::notebook_id>);
};

namespace access_log {

using Models = winnow::registry<Entry>;

}  // namespace access_log
