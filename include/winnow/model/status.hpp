// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "winnow/model/member.hpp"

namespace winnow::inline v0 {

/// The status of an object that can be deleted in the background.
enum class object_status : std::int32_t {
    active = 0,                ///< in use
    hidden = 1,                ///< in use, not shown
    pending_deletion = 2,      ///< its deletion is scheduled
    deletion_in_progress = 3,  ///< the first chunk has run
};

/// True once a deletion is scheduled or has begun: what `should_proceed` usually returns.
[[nodiscard]] constexpr bool is_deleting(object_status status) noexcept {
    return status == object_status::pending_deletion || status == object_status::deletion_in_progress;
}

/// A status in a type of the user's own: an enum or an integer.
///
///     static constexpr auto status = winnow::status<&T::state>{.active = 1, .pending = 8, .in_progress = 9};
template <auto Member>
struct status {
    static constexpr auto member = Member;
    using value_type = bare_member_type<Member>;
    value_type active;       ///< what a cancelled deletion goes back to
    value_type pending;      ///< written when a deletion is scheduled
    value_type in_progress;  ///< written by the first chunk
};

}  // namespace winnow::inline v0
