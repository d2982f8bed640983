// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "winnow/store/postgres_message.hpp"
#include "winnow/store/postgres_text.hpp"

namespace {

using winnow::read_postgres_message;

TEST(postgres_message, reads_the_labelled_lines) {
    const auto message = read_postgres_message(
        "ERROR:  23503: update or delete on table \"a\" violates foreign key constraint \"b_fk\" on table \"b\"\n"
        "DETAIL:  Key (id)=(1) is still referenced from table \"b\".\n"
        "SCHEMA NAME:  music\nTABLE NAME:  b\nCONSTRAINT NAME:  b_fk\nLOCATION:  ri_ReportViolation, ri_triggers.c:2797\n");
    EXPECT_EQ(message.sqlstate, "23503");
    EXPECT_EQ(message.table, "music.b");
    EXPECT_EQ(message.constraint, "b_fk");
    EXPECT_EQ(message.text, "update or delete on table \"a\" violates foreign key constraint \"b_fk\" on table \"b\" "
                            "Key (id)=(1) is still referenced from table \"b\".");
}

TEST(postgres_message, falls_back_to_names_in_quotes_of_any_language) {
    const auto german = read_postgres_message("FEHLER:  23503: Aktualisieren oder Loeschen in Tabelle \xC2\xBB"
                                              "a\xC2\xAB verletzt Fremdschluessel-Constraint "
                                              "\xC2\xBB"
                                              "b_fk\xC2\xAB von Tabelle \xC2\xBB"
                                              "b\xC2\xAB\n");
    EXPECT_EQ(german.sqlstate, "23503");
    EXPECT_EQ(german.constraint, "b_fk");
    EXPECT_EQ(german.table, "b");
    const auto french = read_postgres_message(
        "ERREUR:  23503: une instruction insert sur la table \xC2\xAB b \xC2\xBB viole la contrainte \xC2\xAB b_fk \xC2\xBB\n");
    EXPECT_EQ(french.table, "b");
    EXPECT_EQ(french.constraint, "b_fk");
    EXPECT_EQ(
        read_postgres_message("ERROR:  23505: duplicate key value violates unique constraint \"t_pkey\"").constraint,
        "t_pkey");
}

TEST(postgres_message, takes_any_text) {
    for (const char* text :
         {"", "\n", "ERROR:  2350", "ERROR:  23503:", "server closed the connection unexpectedly\n", ":  12345:"}) {
        EXPECT_NO_THROW((void)read_postgres_message(text)) << text;
    }
    EXPECT_EQ(read_postgres_message("server closed the connection\n").text, "server closed the connection");
    EXPECT_EQ(read_postgres_message("server closed the connection\n").sqlstate, "");
}

TEST(postgres_message, knows_what_may_be_retried) {
    for (const char* code : {"40001", "40P01", "55P03", "57014", "57P01", "08006", "53300"})
        EXPECT_TRUE(winnow::may_retry_sqlstate(code)) << code;
    for (const char* code : {"23503", "42P01", "08P01", "", "42501"})
        EXPECT_FALSE(winnow::may_retry_sqlstate(code)) << code;
    EXPECT_TRUE(winnow::ends_session("25P03"));
    EXPECT_FALSE(winnow::ends_session("57014"));
}

TEST(postgres_text, reads_cells_by_type) {
    EXPECT_EQ(winnow::detail::read_cell("t", 16), winnow::value(true));
    EXPECT_EQ(winnow::detail::read_cell("-5", 20), winnow::value(std::int64_t{-5}));
    EXPECT_EQ(winnow::detail::read_cell("\\x4142", 17), winnow::value(std::string("AB")));
    EXPECT_EQ(winnow::detail::read_cell("1.25", 1700), winnow::value(std::string("1.25")));
}

}  // namespace
