// SPDX-License-Identifier: Apache-2.0
// Loads the plugin as a program does, makes its tables in a database in memory, and deletes a tree.
//
//   orders_test /path/to/orders.so
#include <winnow/deletion/run.hpp>
#include <winnow/plugin/loader.hpp>
#include <winnow/store/migrations.hpp>
#include <winnow/store/sqlite.hpp>

#include <array>
#include <cstdint>
#include <iostream>

int main(int argc, char** argv) try {
    if (argc != 2) {
        std::cerr << "usage: orders_test /path/to/orders.so\n";
        return 2;
    }
    winnow::plugin_loader loader({});
    loader.load({argv[1]});
    const auto loaded = loader.current("the test");

    winnow::sqlite_connection database({.path = ":memory:", .mode = winnow::sqlite_mode::create});
    winnow::migrate(database);
    winnow::migrate_parts(database, loaded->models.parts(), winnow::silo_mode::monolith);
    database.execute_script("INSERT INTO orders_order VALUES (1, 'stays'), (2, 'goes');"
                            "INSERT INTO orders_line (order_id, article) VALUES (1, 'pen'), (2, 'ink'), (2, 'paper');");

    winnow::steady_clock time;
    winnow::observer silent;
    const winnow::context with{loaded->models, database, time, silent};
    const std::array<winnow::value, 1> id{std::int64_t{2}};
    const winnow::deletion_report report =
        winnow::exec_sync(with, with.models.at("orders.Order"), id, {.permit = winnow::permit_purge});

    std::cout << report.rows << " rows are gone\n";
    const auto left = database.execute("SELECT count(*) FROM orders_line").integer(0, 0);
    return report.rows == 3 && left == 1 ? 0 : 1;
} catch (const winnow::error& problem) {
    std::cerr << problem.what() << "\n" << problem.hint() << "\n";
    return 1;
}
