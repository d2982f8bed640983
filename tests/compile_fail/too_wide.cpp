// expect: a primary key, a reference or the filters of a relation name more than 8 members: name fewer
// names: tracker.Project
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

struct project {
    std::int64_t k0;
    std::int64_t k1;
    std::int64_t k2;
    std::int64_t k3;
    std::int64_t k4;
    std::int64_t k5;
    std::int64_t k6;
    std::int64_t k7;
    std::int64_t k8;
};
WINNOW_DESCRIBE(project, k0, k1, k2, k3, k4, k5, k6, k7, k8)

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
#ifdef WINNOW_FAIL
    static constexpr auto primary_key =
        winnow::primary_key<&project::k0, &project::k1, &project::k2, &project::k3, &project::k4, &project::k5,
                            &project::k6, &project::k7, &project::k8>;
#else
    static constexpr auto primary_key = winnow::primary_key<&project::k0, &project::k1, &project::k2, &project::k3,
                                                            &project::k4, &project::k5, &project::k6, &project::k7>;
#endif
};

using Models = winnow::registry<project>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
