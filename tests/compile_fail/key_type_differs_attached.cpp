// expect: this member's type differs from that of the key it refers to: give both the same type
// names: tracker.Project, plugin.Note, project_id
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

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
    std::int32_t project_id;
#else
    std::int64_t project_id;
#endif
};
WINNOW_DESCRIBE(note, id, project_id)

template <> struct winnow::model<note> {
    static constexpr text key = "plugin.Note";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto parents = winnow::parents(belongs_to<"tracker.Project", &note::project_id>);
};

using Models = winnow::registry<project, note>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
