// expect: these models refer to each other in a cycle without a nullable edge: declare one reference of the cycle as std::optional
// names: tracker.
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

struct a {
    std::int64_t id;
    std::int64_t c_id;
};
WINNOW_DESCRIBE(a, id, c_id)
struct b {
    std::int64_t id;
    std::int64_t a_id;
};
WINNOW_DESCRIBE(b, id, a_id)
struct c {
    std::int64_t id;
    std::int64_t b_id;
};
WINNOW_DESCRIBE(c, id, b_id)

template <> struct winnow::model<a> {
    static constexpr text key = "tracker.A";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&b::a_id>);
};

template <> struct winnow::model<b> {
    static constexpr text key = "tracker.B";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&c::b_id>);
};

template <> struct winnow::model<c> {
    static constexpr text key = "tracker.C";
    static constexpr auto silo = winnow::silo::cell;
#ifdef WINNOW_FAIL
    static constexpr auto children = winnow::children(cascade<&a::c_id>);
#else
    static constexpr auto children = winnow::children(do_nothing<&a::c_id>);
#endif
};

using Models = winnow::registry<a, b, c>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
