// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "winnow/core/diagnostic.hpp"
#include "winnow/core/fixed_string.hpp"
#include "winnow/model/record.hpp"
#include "winnow/model/violations.hpp"
#include "winnow/registry/violations.hpp"

namespace winnow::inline v0 {

namespace detail {

/// The refusal of a fault. All take three names and leave out what they do not speak of.
template <fault Fault>
struct refusal_of;

template <>
struct refusal_of<fault::no_model> {
    template <fixed_string A, fixed_string, fixed_string>
    using type = refusal::no_model<A>;
};
template <>
struct refusal_of<fault::not_described> {
    template <fixed_string A, fixed_string, fixed_string>
    using type = refusal::not_described<A>;
};
template <>
struct refusal_of<fault::missing_key> {
    template <fixed_string A, fixed_string, fixed_string>
    using type = refusal::missing_key<A>;
};
template <>
struct refusal_of<fault::bad_key> {
    template <fixed_string A, fixed_string B, fixed_string>
    using type = refusal::bad_key<A, B>;
};
template <>
struct refusal_of<fault::missing_silo> {
    template <fixed_string A, fixed_string, fixed_string>
    using type = refusal::missing_silo<A>;
};
template <>
struct refusal_of<fault::bad_name> {
    template <fixed_string A, fixed_string B, fixed_string>
    using type = refusal::bad_name<A, B>;
};
template <>
struct refusal_of<fault::unsupported_column> {
    template <fixed_string A, fixed_string B, fixed_string>
    using type = refusal::unsupported_column<A, B>;
};
template <>
struct refusal_of<fault::not_a_column> {
    template <fixed_string A, fixed_string B, fixed_string>
    using type = refusal::not_a_column<A, B>;
};
template <>
struct refusal_of<fault::missing_primary_key> {
    template <fixed_string A, fixed_string, fixed_string>
    using type = refusal::missing_primary_key<A>;
};
template <>
struct refusal_of<fault::bad_primary_key> {
    template <fixed_string A, fixed_string B, fixed_string>
    using type = refusal::bad_primary_key<A, B>;
};
template <>
struct refusal_of<fault::wrong_status> {
    template <fixed_string A, fixed_string, fixed_string>
    using type = refusal::wrong_status<A>;
};
template <>
struct refusal_of<fault::wrong_birth> {
    template <fixed_string A, fixed_string, fixed_string>
    using type = refusal::wrong_birth<A>;
};
template <>
struct refusal_of<fault::wrong_hook> {
    template <fixed_string A, fixed_string B, fixed_string>
    using type = refusal::wrong_hook<A, B>;
};
template <>
struct refusal_of<fault::bad_chunk_size> {
    template <fixed_string A, fixed_string, fixed_string>
    using type = refusal::bad_chunk_size<A>;
};
template <>
struct refusal_of<fault::bad_query_limit> {
    template <fixed_string A, fixed_string, fixed_string>
    using type = refusal::bad_query_limit<A>;
};
template <>
struct refusal_of<fault::too_wide> {
    template <fixed_string A, fixed_string B, fixed_string>
    using type = refusal::too_wide<A, B>;
};
template <>
struct refusal_of<fault::wrong_width> {
    template <fixed_string A, fixed_string B, fixed_string>
    using type = refusal::wrong_width<A, B>;
};
template <>
struct refusal_of<fault::wrong_filter> {
    template <fixed_string A, fixed_string B, fixed_string C>
    using type = refusal::wrong_filter<A, B, C>;
};
template <>
struct refusal_of<fault::wrong_condition> {
    template <fixed_string A, fixed_string B, fixed_string>
    using type = refusal::wrong_condition<A, B>;
};
template <>
struct refusal_of<fault::wrong_external_task> {
    template <fixed_string A, fixed_string B, fixed_string>
    using type = refusal::wrong_external_task<A, B>;
};
template <>
struct refusal_of<fault::set_null_needs_optional> {
    template <fixed_string A, fixed_string B, fixed_string C>
    using type = refusal::set_null_needs_optional<A, B, C>;
};
template <>
struct refusal_of<fault::duplicate_key> {
    template <fixed_string A, fixed_string B, fixed_string C>
    using type = refusal::duplicate_key<A, B, C>;
};
template <>
struct refusal_of<fault::duplicate_table> {
    template <fixed_string A, fixed_string B, fixed_string C>
    using type = refusal::duplicate_table<A, B, C>;
};
template <>
struct refusal_of<fault::unknown_child> {
    template <fixed_string A, fixed_string B, fixed_string>
    using type = refusal::unknown_child<A, B>;
};
template <>
struct refusal_of<fault::unknown_skip> {
    template <fixed_string A, fixed_string B, fixed_string>
    using type = refusal::unknown_skip<A, B>;
};
template <>
struct refusal_of<fault::other_silo> {
    template <fixed_string A, fixed_string B, fixed_string C>
    using type = refusal::other_silo<A, B, C>;
};
template <>
struct refusal_of<fault::key_type_differs> {
    template <fixed_string A, fixed_string B, fixed_string C>
    using type = refusal::key_type_differs<A, B, C>;
};
template <>
struct refusal_of<fault::bulk_forced> {
    template <fixed_string A, fixed_string, fixed_string>
    using type = refusal::bulk_forced<A>;
};
template <>
struct refusal_of<fault::endless_cycle> {
    template <fixed_string A, fixed_string B, fixed_string C>
    using type = refusal::endless_cycle<A, B, C>;
};
template <>
struct refusal_of<fault::forgotten_child> {
    template <fixed_string A, fixed_string B, fixed_string C>
    using type = refusal::forgotten_child<A, B, C>;
};
template <>
struct refusal_of<fault::category_scope> {
    template <fixed_string A, fixed_string B, fixed_string>
    using type = refusal::category_scope<A, B>;
};
template <>
struct refusal_of<fault::wrong_shard> {
    template <fixed_string A, fixed_string, fixed_string>
    using type = refusal::wrong_shard<A>;
};
template <>
struct refusal_of<fault::wrong_replicated_key> {
    template <fixed_string A, fixed_string, fixed_string>
    using type = refusal::wrong_replicated_key<A>;
};
template <>
struct refusal_of<fault::bad_replication_version> {
    template <fixed_string A, fixed_string, fixed_string>
    using type = refusal::bad_replication_version<A>;
};
template <>
struct refusal_of<fault::no_receiver> {
    template <fixed_string A, fixed_string, fixed_string>
    using type = refusal::no_receiver<A>;
};
template <>
struct refusal_of<fault::wrong_receiver> {
    template <fixed_string A, fixed_string, fixed_string>
    using type = refusal::wrong_receiver<A>;
};
template <>
struct refusal_of<fault::copy_type_differs> {
    template <fixed_string A, fixed_string B, fixed_string C>
    using type = refusal::copy_type_differs<A, B, C>;
};
template <>
struct refusal_of<fault::copy_not_found> {
    template <fixed_string A, fixed_string B, fixed_string>
    using type = refusal::copy_not_found<A, B>;
};
template <>
struct refusal_of<fault::wrong_remote> {
    template <fixed_string A, fixed_string B, fixed_string>
    using type = refusal::wrong_remote<A, B>;
};
template <>
struct refusal_of<fault::unknown_copy> {
    template <fixed_string A, fixed_string B, fixed_string>
    using type = refusal::unknown_copy<A, B>;
};
template <>
struct refusal_of<fault::copy_in_same_silo> {
    template <fixed_string A, fixed_string B, fixed_string>
    using type = refusal::copy_in_same_silo<A, B>;
};

/// One name of a finding as a template argument. `Proof::found` is the finding.
template <class Proof, std::size_t Position>
consteval auto found_name() {
    constexpr std::string_view name = Proof::found.names[Position];
    return fixed_string<name.size()>(name);
}

template <class Proof, bool Fine = !Proof::found>
struct verdict_on {
    using type = accepted;
};
template <class Proof>
struct verdict_on<Proof, false> {
    using type = typename refusal_of<Proof::found.what>::template type<found_name<Proof, 0>(), found_name<Proof, 1>(),
                                                                       found_name<Proof, 2>()>;
};

}  // namespace detail

/// `accepted`, or the named refusal of what `Proof::found` found.
template <class Proof>
using verdict = typename detail::verdict_on<Proof>::type;

}  // namespace winnow::inline v0
