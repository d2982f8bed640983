// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include "winnow/core/diagnostic.hpp"
#include "winnow/registry/proof.hpp"
#include "winnow/registry/verdict.hpp"

namespace winnow::inline v0 {

/// What is to be said about a list of models: `accepted`, or the refusal that `registry` would speak.
template <class... Models>
using verdict_of = verdict<proof_of<Models...>>;

/// All models of a program, or of a plugin. Naming it proves them:
///
///     using Models = winnow::registry<Organization, Project, Event>;
///
/// A wrong declaration is one compile error: the sentence of a named refusal, which asking for the size of the
/// verdict brings up. The name stays usable, or clang would add an error for each use of it.
template <class... Models>
    requires(requires { sizeof(verdict_of<Models...>); }) || true
class registry {
public:
    using proof = proof_of<Models...>;

    /// True if nothing is wrong: the only case in which anything may be made of the models.
    static constexpr bool proved = !proof::found;
    /// Records of the models, in the order of the arguments.
    static constexpr const auto& records = proof::records;
    static constexpr std::size_t size = sizeof...(Models);
    /// Whether a type is one of the models.
    template <class Type>
    static constexpr bool contains = (std::is_same_v<Type, Models> || ...);
};

}  // namespace winnow::inline v0
