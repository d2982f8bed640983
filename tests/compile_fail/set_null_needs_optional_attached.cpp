// expect: set_null on a member that cannot be null: declare the member as std::optional
// names: tracker.Project, plugin.Note, project_id
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>
#include <optional>

struct project {
    std::int64_t id;
};
WINNOW_DESCRIBE(project, id)

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
};

struct note {
    std::int64_t id;
#ifdef WINNOW_FAIL
    std::int64_t project_id;
#else
    std::optional<std::int64_t> project_id;
#endif
};
WINNOW_DESCRIBE(note, id, project_id)

template <> struct winnow::model<note> {
    static constexpr text key = "plugin.Note";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto parents = winnow::parents(belongs_to<"tracker.Project", &note::project_id>.set_null());
};

using Models = winnow::registry<project, note>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
