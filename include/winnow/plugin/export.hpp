// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string_view>
#include <type_traits>

#include "winnow/abi/entry.h"
#include "winnow/abi/version.h"
#include "winnow/core/config.hpp"
#include "winnow/derive/plans_of.hpp"
#include "winnow/plan/part.hpp"
#include "winnow/plugin/host.hpp"
#include "winnow/plugin/lower.hpp"
#include "winnow/plugin/lower_extras.hpp"
#include "winnow/plugin/name.hpp"
#include "winnow/registry/registry.hpp"

namespace winnow::inline v0 {

/// What a plugin says of itself; see `WINNOW_PLUGIN`.
struct plugin_about {
    std::string_view name{};         ///< letters, digits, _ and -, at most 64; unique in a program
    std::string_view version{};      ///< for people
    std::string_view description{};  ///< one line
    /// Its own tables. The array must have static storage.
    std::span<const migration> migrations{};
    /// Options that it brings, and other defaults for those of its models. The array must have static storage.
    std::span<const part_option> options{};
    /// Called before any hook; what it throws is the reason why the plugin is not loaded. Several hosts in one process
    /// may each call it.
    void (*start)(plugin_host host) = nullptr;
    /// Called after the last hook, once for each `start` that did not throw.
    void (*stop)(plugin_host host) = nullptr;
};

namespace detail {

template <class Type>
inline constexpr bool is_registry = false;
template <class... Models>
inline constexpr bool is_registry<registry<Models...>> = true;

/// The parts of a plugin's entry. `About::value` is what was given to `WINNOW_PLUGIN`.
template <class Models, class About, bool = is_registry<Models>>
struct plugin_parts {
    static_assert(
        is_registry<Models>,
        WINNOW_REFUSAL("this is no registry: write using Models = winnow::registry<Note, ...>; and hand Models to "
                       "WINNOW_PLUGIN"));
    /// Nothing is made of it, so that the refusal stays the only error.
    static constexpr winnow_plugin_entry entry{};
};

template <class Models, class About>
struct plugin_parts<Models, About, true> {
    static_assert(is_plugin_name(About::value.name),
                  WINNOW_REFUSAL("a plugin cannot be called that: give .name 1 to 64 letters, digits, _ and -"));
    static_assert(!About::value.version.empty(),
                  WINNOW_REFUSAL("the plugin has no version: write .version = \"1.0.0\""));

    static constexpr auto migrations = lower_migrations<About::value.migrations.size()>(About::value.migrations);
    static constexpr winnow_migrations migration_list{sizeof(winnow_migrations), 0, migrations.data(),
                                                      migrations.size(), sizeof(winnow_migration)};
    static constexpr auto options = lower_options<About::value.options.size()>(About::value.options);
    static constexpr winnow_options option_list{sizeof(winnow_options), 0, options.data(), options.size(),
                                                sizeof(winnow_option)};

    static const void* get_capability(winnow_text id, std::uint32_t revision) noexcept {
        if (revision != 1) return nullptr;
        if (!migrations.empty() && from_abi(id) == WINNOW_CAPABILITY_MIGRATIONS) return &migration_list;
        if (!options.empty() && from_abi(id) == WINNOW_CAPABILITY_OPTIONS) return &option_list;
        return nullptr;
    }
    static winnow_status start(const winnow_host* host) noexcept {
        try {
            About::value.start(plugin_host(*host));
            return WINNOW_OK;
        } catch (const std::exception& thrown) {
            host->set_error(host, to_abi(std::string_view(thrown.what())));
        } catch (...) {
            host->set_error(host, to_abi(std::string_view("something was thrown that is no std::exception")));
        }
        return WINNOW_FAILED;
    }
    static void stop(const winnow_host* host) noexcept {
        try {
            About::value.stop(plugin_host(*host));
        } catch (...) {
            host->log(host, WINNOW_LOG_ERROR, to_abi(std::string_view("the plugin's stop threw an exception")));
        }
    }

    static constexpr winnow_plugin_entry entry{sizeof(winnow_plugin_entry),
                                               WINNOW_ABI_VERSION,
                                               to_abi(About::value.name),
                                               to_abi(About::value.version),
                                               to_abi(About::value.description),
                                               lower_plans<plans_of<Models>>(),
                                               &get_capability,
                                               About::value.start == nullptr ? nullptr : &start,
                                               About::value.stop == nullptr ? nullptr : &stop};
};

}  // namespace detail

}  // namespace winnow::inline v0

/// Makes a library a plugin: defines the one symbol that it exports. Once, in one source file, outside of any namespace.
///
///     using Models = winnow::registry<Note, Attachment>;
///     WINNOW_PLUGIN(Models, .name = "audit", .version = "1.0.0")
///
/// After the registry, members of `winnow::plugin_about` in their order. Everything is constant: nothing runs when the
/// library is loaded. `winnow_add_plugin()` in CMake gives the library the flags that it needs.
#define WINNOW_PLUGIN(Models, ...)                                  \
    namespace {                                                     \
    struct winnow_plugin_about {                                    \
        static constexpr ::winnow::plugin_about value{__VA_ARGS__}; \
    };                                                              \
    }                                                               \
    constinit const winnow_plugin_entry winnow_plugin =             \
        ::winnow::detail::plugin_parts<Models, winnow_plugin_about>::entry;
