// expect: WINNOW_DESCRIBE takes at most 50 members: name those that keys, relations, status and hooks use
// SPDX-License-Identifier: Apache-2.0
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

struct wide {
    std::int64_t id;
    std::int64_t m01, m02, m03, m04, m05, m06, m07, m08, m09, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20,
        m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42,
        m43, m44, m45, m46, m47, m48, m49, m50;
};
#ifdef WINNOW_FAIL
WINNOW_DESCRIBE(wide, id, m01, m02, m03, m04, m05, m06, m07, m08, m09, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
                m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40,
                m41, m42, m43, m44, m45, m46, m47, m48, m49, m50)
#else
WINNOW_DESCRIBE(wide, id, m01, m02, m03, m04, m05, m06, m07, m08, m09, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
                m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40,
                m41, m42, m43, m44, m45, m46, m47, m48, m49)
#endif

template <> struct winnow::model<wide> {
    static constexpr text key = "tracker.Wide";
    static constexpr auto silo = winnow::silo::cell;
};

using Models = winnow::registry<wide>;
const winnow::plan& first() { return winnow::plans_of<Models>[0]; }
