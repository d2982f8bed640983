// expect: this key is not of the form app.Model: write two names
// SPDX-License-Identifier: Apache-2.0
#include <winnow/plugin/export.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

struct note {
    std::int64_t id;
};
WINNOW_DESCRIBE(note, id)

template <> struct winnow::model<note> {
#ifdef WINNOW_FAIL
    static constexpr text key = "Note";
#else
    static constexpr text key = "audit.Note";
#endif
    static constexpr auto silo = winnow::silo::cell;
};

using Models = winnow::registry<note>;
WINNOW_PLUGIN(Models, .name = "audit_log", .version = "1.0.0")
