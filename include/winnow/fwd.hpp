// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// Forward declarations of the names that headers of an application mention.
namespace winnow::inline v0 {

enum class dialect : unsigned char;
enum class failure : unsigned char;
enum class silo : unsigned char;
enum class silo_mode : unsigned char;
enum class relation_kind : std::uint8_t;
enum class strategy : std::uint8_t;
enum class object_status : std::int32_t;

class error;
class key_set;
class catalog;
class connection;

struct hook_context;
struct plan;
struct relation;
struct uuid;
struct json_text;
struct timestamp;
struct blob;

template <class Type>
struct model;

template <std::size_t Size>
struct text;

}  // namespace winnow::inline v0
