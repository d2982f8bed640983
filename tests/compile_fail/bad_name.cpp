// expect: this table or column name is empty, contains a NUL or is longer than the 63 bytes
// names: tracker.Project, pppppppppppppppp
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
    static constexpr text table = "pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp";
#else
    static constexpr text table = "ppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp";
#endif
};

using Models = winnow::registry<project>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
