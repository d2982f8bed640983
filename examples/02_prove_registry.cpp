// SPDX-License-Identifier: Apache-2.0
// Proving: a registry is one graph, checked when this file is compiled. The same checker runs again on
// plain plans when a program starts; here it is shown a set with a hole in it.
#include <winnow/plan/catalog.hpp>
#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include <array>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>

struct Team {
    std::int64_t id;
    std::int64_t organization_id;
};
struct Organization {
    std::int64_t id;
    std::optional<std::int64_t> default_team_id;
};
struct Member {
    std::int64_t id;
    std::int64_t team_id;
    std::string name;
};
WINNOW_DESCRIBE(Team, id, organization_id)
WINNOW_DESCRIBE(Organization, id, default_team_id)
WINNOW_DESCRIBE(Member, id, team_id, name)

template <> struct winnow::model<Member> {
    static constexpr text key = "club.Member";
    static constexpr auto silo = winnow::silo::cell;
};

template <> struct winnow::model<Team> {
    static constexpr text key = "club.Team";
    static constexpr auto silo = winnow::silo::cell;
    // Organizations have teams and one of them is the default: a cycle. It is allowed because this edge
    // can be cut; with `cascade` and a member that is not optional the registry below would be refused.
    static constexpr auto children =
        winnow::children(cascade<&Member::team_id>, set_null<&Organization::default_team_id>);
};

template <> struct winnow::model<Organization> {
    static constexpr text key = "club.Organization";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&Team::organization_id>);
};

using Models = winnow::registry<Organization, Team, Member>;

int main() {
    const winnow::catalog models(winnow::plans_of<Models>);
    std::cout << "Proved: " << models.size() << " models. Rows go in this order:\n";
    for (const std::size_t index : models.children_first()) {
        std::cout << "    " << models[index].key << (models.is_cyclic(index) ? " (cyclic)" : "") << "\n";
    }

    // Organization and Team, but not Member, to which Team refers.
    const std::array<winnow::plan, 2> incomplete = {winnow::plans_of<Models>[0], winnow::plans_of<Models>[1]};
    try {
        const winnow::catalog refused{std::span<const winnow::plan>(incomplete)};
        std::cout << "accepted, which is wrong\n";
        return 1;
    } catch (const winnow::error& problem) {
        std::cout << "Without club.Member:\n" << problem.what() << "\n";
    }
}
