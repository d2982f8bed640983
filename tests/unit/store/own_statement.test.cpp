// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "winnow/store/own_statement.hpp"
#include "winnow/store/own_tables.hpp"

namespace {

using winnow::dialect;
using winnow::own_statement;
using winnow::silo;

TEST(own_statement, spells_every_mark_for_both_databases) {
    const std::string text =
        "UPDATE winnow_{silo}_x SET a = {after $1}, b = {json c}, d = {iso e}, f = {since g}, h = {now} "
        "{lock}{skip}";
    const std::string postgres = own_statement(text, dialect::postgres, silo::control);
    const std::string sqlite = own_statement(text, dialect::sqlite, silo::cell);
    EXPECT_EQ(postgres.find("UPDATE winnow_control_x SET a = clock_timestamp() + $1"), 0U) << postgres;
    EXPECT_EQ(sqlite.find("UPDATE winnow_cell_x SET a = strftime("), 0U) << sqlite;
    EXPECT_NE(postgres.find("FOR NO KEY UPDATE"), std::string::npos);
    for (const std::string& spelled : {postgres, sqlite}) EXPECT_EQ(spelled.find('{'), std::string::npos) << spelled;
}

TEST(own_statement, leaves_other_braces_alone) {
    for (const char* text : {"DEFAULT '{}'", "{unknown}", "{", "a { b", "}{"})
        EXPECT_EQ(own_statement(text, dialect::sqlite), text);
}

TEST(own_tables, are_spelled_out) {
    for (const dialect which : {dialect::postgres, dialect::sqlite}) {
        const std::string script = winnow::own_tables_ddl(which);
        EXPECT_EQ(script.find("{silo}"), std::string::npos);
        for (const char* text :
             {"winnow_control_scheduled_deletion (", "winnow_cell_scheduled_deletion (", "DEFAULT '{}'"})
            EXPECT_NE(script.find(text), std::string::npos) << text;
    }
}

}  // namespace
