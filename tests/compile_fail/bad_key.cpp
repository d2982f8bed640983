// expect: this key is not of the form app.Model: write two names
// names: project, Project
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

struct project {
    std::int64_t id;
};
WINNOW_DESCRIBE(project, id)

template <> struct winnow::model<project> {
#ifdef WINNOW_FAIL
    static constexpr text key = "Project";
#else
    static constexpr text key = "tracker.Project";
#endif
    static constexpr auto silo = winnow::silo::cell;
};

using Models = winnow::registry<project>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
