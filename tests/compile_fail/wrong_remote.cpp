// expect: a remote relation needs an integer member, and a std::optional one for set_null()
// names: tracker.Member, user_id
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

struct member {
    std::int64_t id;
    std::int64_t user_id;
};
WINNOW_DESCRIBE(member, id, user_id)

template <> struct winnow::model<member> {
    static constexpr text key = "tracker.Member";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto remotes = winnow::remotes(remote<"accounts.User", &member::user_id>
#ifdef WINNOW_FAIL
                                                        .set_null()
#endif
    );
};

using Models = winnow::registry<member>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
