// expect: this is no registry: write using Models = winnow::registry<Note, ...>;
// SPDX-License-Identifier: Apache-2.0
#include <winnow/plugin/export.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

struct note {
    std::int64_t id;
};
WINNOW_DESCRIBE(note, id)

template <> struct winnow::model<note> {
    static constexpr text key = "audit.Note";
    static constexpr auto silo = winnow::silo::cell;
};

using Models = winnow::registry<note>;
#ifdef WINNOW_FAIL
WINNOW_PLUGIN(note, .name = "audit_log", .version = "1.0.0")
#else
WINNOW_PLUGIN(Models, .name = "audit_log", .version = "1.0.0")
#endif
