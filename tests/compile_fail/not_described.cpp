// expect: this type is not described: write WINNOW_DESCRIBE(Type, members...)
// names: tracker::project
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

namespace tracker {
struct project {
    std::int64_t id;
};
#ifndef WINNOW_FAIL
WINNOW_DESCRIBE(project, id)
#endif
}  // namespace tracker

template <> struct winnow::model<tracker::project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
};

using Models = winnow::registry<tracker::project>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
