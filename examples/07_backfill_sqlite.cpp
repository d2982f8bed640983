// SPDX-License-Identifier: Apache-2.0
// Rows that were there before: their messages are written a batch at a time, as far as an option allows, and again when
// the version is raised. Two SQLite databases in memory stand for the control silo and the cell `us`.
#include <winnow/backfill/run.hpp>
#include <winnow/backfill/status.hpp>
#include <winnow/derive/plans_of.hpp>
#include <winnow/outbox/drain.hpp>
#include <winnow/store/own_tables.hpp>
#include <winnow/store/sqlite.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

// What messages are about, and what they are delivered together by. The numbers are stored.
enum class Scope { organization = 0 };
enum class Category { organization_update = 0 };
template <> struct winnow::categories<Category> {
    static constexpr auto scopes = winnow::scopes(scope<Scope::organization, Category::organization_update>);
};

struct Organization {  // in each cell
    std::int64_t id;
    std::string slug;
    std::string plan;
};
struct OrganizationCopy {  // in the control silo
    std::string cell;
    std::int64_t organization_id;
    std::string slug;
};
WINNOW_DESCRIBE(Organization, id, slug, plan)
WINNOW_DESCRIBE(OrganizationCopy, cell, organization_id, slug)

template <> struct winnow::model<OrganizationCopy> {
    static constexpr text key = "shop.OrganizationCopy";
    static constexpr auto silo = winnow::silo::control;
    static constexpr auto primary_key =
        winnow::primary_key<&OrganizationCopy::cell, &OrganizationCopy::organization_id>;
};
template <> struct winnow::model<Organization> {
    static constexpr text key = "shop.Organization";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr int replication_version = 1;
    static constexpr auto replication = replicates<Category::organization_update>(
        shard<&Organization::id>, mirror<OrganizationCopy>(from_cell<&OrganizationCopy::cell>,
                                                           map<&Organization::id, &OrganizationCopy::organization_id>,
                                                           map<&Organization::slug, &OrganizationCopy::slug>));
};

using Models = winnow::registry<Organization, OrganizationCopy>;

/// Where the backfill is, in one line.
void show(const winnow::context& with, std::string_view when) {
    for (const winnow::backfill_status& one : winnow::backfill_statuses(with)) {
        std::cout << when << ": next id " << one.record.lower << " of version " << one.record.version << ", "
                  << name_of(one.record.stage) << ", " << one.rows_left << " rows left\n";
    }
}

/// Runs of at most 40 rows each until nothing is left, each followed by the delivery. @return rows that got messages
std::int64_t backfill(const winnow::context& with) {
    std::int64_t rows = 0;
    for (;;) {
        const winnow::backfill_report run = winnow::backfill_outboxes_for(with, {.max_batch_rate = 40});
        if (!run) {
            std::cout << "  nothing: " << run.tables[0].why << "\n";
            return rows;
        }
        rows += run.rows;
        show(with, "  " + std::to_string(run.rows) + " rows");
        (void)winnow::drain(with, winnow::silo::cell);
    }
}

int main() {
    winnow::sqlite_connection control({.path = ":memory:", .mode = winnow::sqlite_mode::create});
    winnow::sqlite_connection us({.path = ":memory:", .mode = winnow::sqlite_mode::create});
    (void)winnow::migrate(control);
    (void)winnow::migrate(us);
    us.execute_script("CREATE TABLE shop_organization (id INTEGER PRIMARY KEY AUTOINCREMENT, slug TEXT, plan TEXT);"
                      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) "
                      "INSERT INTO shop_organization (slug, plan) SELECT 'org-' || i, 'free' FROM n");
    control.execute_script("CREATE TABLE shop_organizationcopy (cell TEXT, organization_id INTEGER, slug TEXT, "
                           "PRIMARY KEY (cell, organization_id))");

    const winnow::catalog models(winnow::plans_of<Models>);
    winnow::steady_clock time;
    winnow::observer silent;
    winnow::connected_silos silos(control, {{"us", &us}});
    winnow::context with{models, us, time, silent, winnow::silo_mode::cell};
    with.silos = &silos;
    with.cell_name = "us";
    const auto copies = [&] { return control.execute("SELECT count(*) FROM shop_organizationcopy").integer(0, 0); };

    std::cout << "The gate is closed:\n";
    const std::int64_t closed = backfill(with);
    constexpr std::string_view gate = "outbox_replication.shop_organization.replication_version";
    with.options().set(gate, "1", "example");
    std::cout << "The gate is open:\n";
    const std::int64_t first = backfill(with);
    std::cout << "  " << copies() << " copies\n";

    // What the next release of the program brings: the same models, one of them with a higher version.
    std::vector<winnow::plan> plans(models.size(), winnow::plan{});
    for (std::size_t i = 0; i < plans.size(); ++i) plans[i] = models[i];
    winnow::replication raised = *plans[0].replication;
    raised.version = 2;
    plans[0].replication = &raised;
    const winnow::catalog next(plans);
    winnow::context released{next, us, time, silent, winnow::silo_mode::cell};
    released.silos = &silos;
    released.cell_name = "us";
    std::cout << "The version is raised, the gate still says 1:\n";
    const std::int64_t held = backfill(released);
    released.options().set(gate, "2", "example");
    std::cout << "The gate says 2:\n";
    const std::int64_t second = backfill(released);
    return closed == 0 && first == 100 && copies() == 100 && held == 0 && second == 100 ? 0 : 1;
}
