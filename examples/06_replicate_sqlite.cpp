// SPDX-License-Identifier: Apache-2.0
// Copies in another silo: a row is written, its copy arrives; it changes, the copy follows; it goes, the copy goes.
// Two SQLite databases in memory stand for the control silo and the cell `us`.
#include <winnow/runtime/flush.hpp>
#include <winnow/session.hpp>
#include <winnow/store/sqlite.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>
#include <iostream>
#include <string>

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

int main() {
    winnow::sqlite_connection control({.path = ":memory:", .mode = winnow::sqlite_mode::create});
    winnow::sqlite_connection us({.path = ":memory:", .mode = winnow::sqlite_mode::create});
    (void)winnow::migrate(control);
    (void)winnow::migrate(us);
    us.execute_script("CREATE TABLE shop_organization (id INTEGER PRIMARY KEY AUTOINCREMENT, slug TEXT, plan TEXT)");
    control.execute_script("CREATE TABLE shop_organizationcopy (cell TEXT, organization_id INTEGER, slug TEXT, "
                           "PRIMARY KEY (cell, organization_id))");

    const winnow::catalog models(winnow::plans_of<Models>);
    winnow::steady_clock time;
    winnow::observer silent;
    winnow::connected_silos silos(control, {{"us", &us}});
    winnow::context in_us{models, us, time, silent, winnow::silo_mode::cell};
    in_us.silos = &silos;
    in_us.cell_name = "us";
    winnow::drain_after_commit flush;  // without it a worker, or `outbox drain`, delivers
    const winnow::session<Models> session(in_us, &flush);

    const auto copy = [&](std::string_view when) {
        const winnow::rows found =
            control.execute("SELECT cell || ' ' || organization_id || ' ' || slug FROM shop_organizationcopy");
        const std::string text = found.empty() ? "none" : found.text(0, 0);
        std::cout << when << ": the copy is " << text << "\n";
        return text;
    };

    Organization acme{0, "acme", "free"};
    session.insert(acme);  // row and message in one transaction
    const bool arrived = copy("Inserted") == "us 1 acme";
    acme.slug = "acme-corporation";
    session.update(acme);
    const bool followed = copy("Updated") == "us 1 acme-corporation";
    session.erase(acme);
    const bool went = copy("Erased") == "none";
    return arrived && followed && went ? 0 : 1;
}
