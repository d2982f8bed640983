// SPDX-License-Identifier: Apache-2.0
#include "integration/backfill/domain.hpp"

#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

enum class Scope { organization = 0, user = 1 };
enum class Category { organization_update = 0, team_update = 1, token_update = 2, audit = 3 };
template <>
struct winnow::categories<Category> {
    static constexpr auto scopes = winnow::scopes(
        scope<Scope::organization, Category::organization_update, Category::team_update, Category::audit>,
        scope<Scope::user, Category::token_update>);
    static constexpr auto every_event = winnow::events<Category::audit>;
};

namespace domain {

struct organization {
    std::int64_t id;
    std::string name;
};
struct organization_copy {
    std::int64_t id;
    std::int64_t organization_id;
    std::string name;
};
struct team {
    std::int64_t id;
    std::string name;
};
struct token {
    std::int64_t id;
    std::string name;
};
struct event {
    std::int64_t id;
    std::string name;
};
WINNOW_DESCRIBE(organization, id, name)
WINNOW_DESCRIBE(organization_copy, id, organization_id, name)
WINNOW_DESCRIBE(team, id, name)
WINNOW_DESCRIBE(token, id, name)
WINNOW_DESCRIBE(event, id, name)

}  // namespace domain

template <>
struct winnow::model<domain::organization> {
    static constexpr text key = "t.Organization";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr int replication_version = 2;
    static constexpr auto replication = replicates<Category::organization_update>(
        shard<&domain::organization::id>,
        mirror<domain::organization_copy>(map<&domain::organization::id, &domain::organization_copy::organization_id>,
                                          map<&domain::organization::name, &domain::organization_copy::name>));
};
template <>
struct winnow::model<domain::organization_copy> {
    static constexpr text key = "t.OrganizationCopy";
    static constexpr auto silo = winnow::silo::control;
};
template <>
struct winnow::model<domain::team> {
    static constexpr text key = "t.Team";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto replication = replicates<Category::team_update>(shard<&domain::team::id>);
    static void replicate(const domain::team&, winnow::delivery&) {}
};
template <>
struct winnow::model<domain::token> {
    static constexpr text key = "t.Token";
    static constexpr auto silo = winnow::silo::control;
    static constexpr auto replication =
        replicates<Category::token_update>(shard<&domain::token::id>, payload<&domain::token::name>);
    static void replicate(const domain::token&, winnow::delivery&) {}
};
template <>
struct winnow::model<domain::event> {
    static constexpr text key = "t.Event";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto replication = replicates<Category::audit>(shard<&domain::event::id>);
    static void replicate(const domain::event&, winnow::delivery&) {}
};

namespace winnow_test {

using Models =
    winnow::registry<domain::organization, domain::organization_copy, domain::team, domain::token, domain::event>;

std::span<const winnow::plan> replicated_plans() { return winnow::plans_of<Models>; }

void make_replicated_tables(winnow::connection& database) {
    (void)winnow::migrate(database);
    for (const char* table : {"t_organization", "t_team", "t_token", "t_event"})
        database.execute_script("CREATE TABLE " + std::string(table) + " (id bigint PRIMARY KEY, name text NOT NULL)");
}

void add_rows(winnow::connection& database, std::string_view table, std::int64_t count, std::int64_t first) {
    const std::string last = std::to_string(first + (count - 1));
    const std::string into = "INSERT INTO " + std::string(table) + " (id, name) ";
    database.execute_script(
        database.kind() == winnow::dialect::postgres
            ? into + "SELECT i, 'n' || i FROM generate_series(" + std::to_string(first) + ", " + last + ") AS i"
            : into + "WITH RECURSIVE s(i) AS (SELECT " + std::to_string(first) +
                  " UNION ALL SELECT i + 1 FROM s WHERE i < " + last + ") SELECT i, 'n' || i FROM s");
}

}  // namespace winnow_test
