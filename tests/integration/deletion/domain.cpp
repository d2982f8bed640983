// SPDX-License-Identifier: Apache-2.0
#include "integration/deletion/traits.hpp"

#include "winnow/derive/plans_of.hpp"
#include "winnow/plan/catalog.hpp"

namespace winnow_test {

namespace {

template <class Registry> const winnow::catalog& catalog_of() {
    static const winnow::catalog models(winnow::plans_of<Registry>);
    return models;
}

}  // namespace

const winnow::catalog& field_models() { return catalog_of<domain::field>(); }
const winnow::catalog& hooked_models() { return catalog_of<domain::hooked>(); }
const winnow::catalog& tree_models() { return catalog_of<domain::tree>(); }
const winnow::catalog& small_tree_models() { return catalog_of<domain::small_tree>(); }
const winnow::catalog& kinds_models() { return catalog_of<domain::kinds>(); }
const winnow::catalog& skip_models() { return catalog_of<domain::skip>(); }
const winnow::catalog& keys_models() { return catalog_of<domain::keys>(); }
const winnow::catalog& silo_models() { return catalog_of<domain::silos>(); }
const winnow::catalog& born_models() { return catalog_of<domain::born>(); }
const winnow::catalog& limited_models() { return catalog_of<domain::limited>(); }
const winnow::catalog& pair_models() { return catalog_of<domain::pair>(); }

spies& spy() {
    static spies all;
    return all;
}

}  // namespace winnow_test
