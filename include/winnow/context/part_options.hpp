// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/context/options.hpp"
#include "winnow/core/dialect.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/part.hpp"

namespace winnow::inline v0 {

namespace detail {

/// A model that brings an option, in either kind of database, and the option's kind there.
struct option_bringer {
    std::size_t model;
    option_kind kind;
};

[[nodiscard]] inline std::vector<option_bringer> bringers_of(const catalog& models, std::string_view name) {
    std::vector<option_bringer> found;
    for (const dialect which : {dialect::postgres, dialect::sqlite}) {
        each_option_of_models(models, which, [&](const option_definition& one, std::size_t model) {
            if (one.name == name) found.push_back({model, one.kind});
        });
    }
    return found;
}

/// What is wrong with one option of a part, as the rest of a sentence; empty: nothing.
[[nodiscard]] inline std::string option_fault(const catalog& models, const model_part& part, const part_option& one) {
    const auto own = std::find_if(std::begin(known_options), std::end(known_options),
                                  [&](const known_option& known) { return known.name == one.name; });
    if (own != std::end(known_options)) return "is winnow's own, and its default is the same for all. Leave it out.";
    const std::vector<option_bringer> bringers = bringers_of(models, one.name);
    for (const option_bringer& each : bringers) {
        if (&models.part_of(each.model) != &part)
            return "belongs to " + std::string(models[each.model].key) + " of " + title_of(models.part_of(each.model)) +
                   ", which alone may give it a default. Leave it out.";
        if (each.kind != one.kind) return "is a " + std::string(name_of(each.kind)) + ". Give it that kind.";
    }
    if (bringers.empty() && part.name.empty())
        return "is none of its models' options. Name the part, and begin the option with that name.";
    const std::string prefix = std::string(part.name) + ".";
    if (bringers.empty() && (!one.name.starts_with(prefix) || one.name.size() == prefix.size()))
        return "is none of its models' options, and an option of its own begins with `" + prefix + "`. Rename it.";
    if (one.otherwise.empty() ? one.kind == option_kind::boolean : !fits_kind(one.kind, one.otherwise))
        return "has the default `" + std::string(one.otherwise) + "`, which is no " + std::string(name_of(one.kind)) +
               ". Correct it.";
    return {};
}

}  // namespace detail

/// A sentence for each option of a part that it may not bring: a part gives defaults to the options of its own models, and
/// has others under its own name. An empty default of a number or a list counts as unset.
[[nodiscard]] inline std::vector<std::string> find_option_faults(const catalog& models) {
    std::vector<std::string> wrong;
    for (const model_part& part : models.parts()) {
        for (std::size_t at = 0; at < part.options.size(); ++at) {
            const part_option& one = part.options[at];
            std::string fault = detail::option_fault(models, part, one);
            for (std::size_t before = 0; before < at; ++before) {
                if (fault.empty() && part.options[before].name == one.name) fault = "is there twice. Leave one out.";
            }
            if (!fault.empty())
                wrong.push_back(title_of(part) + ": its option `" + std::string(one.name) + "` " + fault);
        }
    }
    return wrong;
}

}  // namespace winnow::inline v0
