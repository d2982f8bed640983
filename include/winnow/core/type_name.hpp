// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace winnow::inline v0 {

namespace detail {

template <class Type>
constexpr std::string_view signature_of_type() noexcept {
    return {__PRETTY_FUNCTION__, sizeof(__PRETTY_FUNCTION__) - 1};
}

template <auto Constant>
constexpr std::string_view signature_of_constant() noexcept {
    return {__PRETTY_FUNCTION__, sizeof(__PRETTY_FUNCTION__) - 1};
}

/// How much of a signature stands before and behind the argument, which is the same for every argument.
struct signature_frame {
    std::size_t before;
    std::size_t around;

    constexpr signature_frame(std::string_view probe, std::string_view known) noexcept
        : before(probe.find(known)), around(probe.size() - known.size()) {}

    [[nodiscard]] constexpr std::string_view inside(std::string_view signature) const noexcept {
        return {signature.data() + before, signature.size() - around};
    }
};

inline constexpr signature_frame type_frame(signature_of_type<double>(), "double");
inline constexpr signature_frame constant_frame(signature_of_constant<12345>(), "12345");

}  // namespace detail

/// The name of a type as the compiler spells it, with its namespaces: for messages, never for keys.
template <class Type>
[[nodiscard]] constexpr std::string_view type_name() noexcept {
    return detail::type_frame.inside(detail::signature_of_type<Type>());
}

/// The name of a member from its pointer, with its class: `Event::project_id`.
template <auto Member>
[[nodiscard]] constexpr std::string_view member_name() noexcept {
    std::string_view name = detail::constant_frame.inside(detail::signature_of_constant<Member>());
    if (name.starts_with('&')) name.remove_prefix(1);
    return name;
}

}  // namespace winnow::inline v0
