// SPDX-License-Identifier: Apache-2.0
// What a member's type means for its column.
#include <winnow/winnow.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace {

using winnow::shape_of;
using winnow::value_kind;

enum class narrow : std::int32_t {};
enum class wide : std::int64_t {};
enum class small : std::uint8_t {};

template <class Type> constexpr bool is(value_kind kind, bool optional = false) {
    constexpr winnow::column_shape shape = shape_of<Type>();
    return shape.supported && shape.kind == kind && shape.optional == optional;
}

static_assert(is<std::int32_t>(value_kind::integer32));
static_assert(is<std::int64_t>(value_kind::integer64));
static_assert(is<long long>(value_kind::integer64));
static_assert(is<narrow>(value_kind::integer32));
static_assert(is<wide>(value_kind::integer64));
static_assert(is<small>(value_kind::integer32));
static_assert(is<bool>(value_kind::boolean));
static_assert(is<float>(value_kind::real));
static_assert(is<double>(value_kind::real));
static_assert(is<std::string>(value_kind::text));
static_assert(is<winnow::uuid>(value_kind::uuid));
static_assert(is<winnow::json_text>(value_kind::json));
static_assert(is<winnow::timestamp>(value_kind::timestamp));
static_assert(is<winnow::blob>(value_kind::blob));
static_assert(is<std::optional<std::int32_t>>(value_kind::integer32, true));
static_assert(is<std::optional<winnow::uuid>>(value_kind::uuid, true));

static_assert(!shape_of<std::uint64_t>().supported);
static_assert(!shape_of<std::int16_t>().supported);
static_assert(!shape_of<char>().supported);
static_assert(!shape_of<const char*>().supported);
static_assert(!shape_of<std::vector<int>>().supported);
static_assert(!shape_of<std::optional<std::optional<int>>>().supported);

}  // namespace
