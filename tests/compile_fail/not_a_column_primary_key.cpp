// expect: this member is not a column of the model: add it to the model's WINNOW_DESCRIBE
// names: tracker.Project, project::guid
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>
#include <string>

struct project {
    std::int64_t id;
    winnow::object_status status;
    std::string guid;
    std::string name;
};
#ifdef WINNOW_FAIL
WINNOW_DESCRIBE(project, id, name)
#else
WINNOW_DESCRIBE(project, id, status, guid, name)
#endif

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto primary_key = winnow::primary_key<&project::guid>;
};

using Models = winnow::registry<project>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
