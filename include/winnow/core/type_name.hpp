// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace winnow::inline v0 {

namespace detail {

template <class Type>
constexpr std::string_view signature_of_type() noexcept {
    return __PRETTY_FUNCTION__;
}

template <auto Constant>
constexpr std::string_view signature_of_constant() noexcept {
    return __PRETTY_FUNCTION__;
}

/// What stands between the parts that are the same for every argument.
constexpr std::string_view between(std::string_view signature, std::string_view probe, std::string_view known) noexcept {
    const std::size_t before = probe.find(known);
    const std::size_t after = probe.size() - before - known.size();
    return signature.substr(before, signature.size() - before - after);
}

}  // namespace detail

/// The name of a type as the compiler spells it, with its namespaces: for messages, never for keys.
template <class Type>
[[nodiscard]] constexpr std::string_view type_name() noexcept {
    return detail::between(detail::signature_of_type<Type>(), detail::signature_of_type<double>(), "double");
}

/// The name of a member from its pointer, with its class: `Event::project_id`.
template <auto Member>
[[nodiscard]] constexpr std::string_view member_name() noexcept {
    std::string_view name =
        detail::between(detail::signature_of_constant<Member>(), detail::signature_of_constant<12345>(), "12345");
    if (name.starts_with('&')) name.remove_prefix(1);
    return name;
}

}  // namespace winnow::inline v0
