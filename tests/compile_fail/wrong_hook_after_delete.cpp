// expect: this hook has a wrong signature: write static bool should_proceed(const T&), or static
// names: tracker.Project, after_delete
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
#ifdef WINNOW_FAIL
    static bool after_delete(const project&) { return true; }
#else
    static void after_delete(const project&) {}
#endif
};

using Models = winnow::registry<project>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
