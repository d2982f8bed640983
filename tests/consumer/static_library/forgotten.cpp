// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include <winnow/derive/plans_of.hpp>
#include <winnow/plan/part.hpp>
#include <winnow/winnow.hpp>

struct Stamp {
    std::int64_t id;
};
WINNOW_DESCRIBE(Stamp, id)
template <> struct winnow::model<Stamp> {
    static constexpr text key = "forgotten.Stamp";
    static constexpr auto silo = winnow::silo::cell;
};

namespace forgotten {

// Nobody calls it: the linker leaves this file out of the program.
winnow::model_part models() {
    return {.name = "forgotten", .version = "1.0.0", .plans = winnow::plans_of<winnow::registry<Stamp>>};
}

}  // namespace forgotten
