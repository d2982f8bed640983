// expect: this key is not of the form app.Model: write two names
// names: Project
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

struct note {
    std::int64_t id;
    std::int64_t project_id;
};
WINNOW_DESCRIBE(note, id, project_id)

template <> struct winnow::model<note> {
    static constexpr text key = "plugin.Note";
    static constexpr auto silo = winnow::silo::cell;
#ifdef WINNOW_FAIL
    static constexpr auto parents = winnow::parents(belongs_to<"Project", &note::project_id>);
#else
    static constexpr auto parents = winnow::parents(belongs_to<"tracker.Project", &note::project_id>);
#endif
};

using Models = winnow::registry<note>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
