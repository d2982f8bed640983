// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "dump.hpp"
#include "music_excerpt.hpp"
#include "program.hpp"
#include "scratch_database.hpp"

namespace music {

/// A music store in a database of its own, winnow's tables included. The folder named by WINNOW_CHINOOK_DATA
/// may hold the full data as sqlite.sql and postgresql.sql; without it the excerpt has to do.
class store {
public:
    explicit store(const std::string& server = {}) : scratch_("music", server) {
        const winnow::connection_ptr database = scratch_.open();
        const char* folder = std::getenv("WINNOW_CHINOOK_DATA");
        full_ = folder != nullptr && *folder != '\0';
        kind_ = database->kind();
        if (full_) {
            database->execute_script(
                script(std::string(folder) + (kind_ == winnow::dialect::sqlite ? "/sqlite.sql" : "/postgresql.sql")));
        } else {
            database->execute_script(spelled(excerpt, kind_));
        }
        migrated_ = program({"migrate"});
    }

    /// Is it the full data?
    [[nodiscard]] bool full() const { return full_; }
    [[nodiscard]] winnow::dialect kind() const { return kind_; }
    [[nodiscard]] const program_result& migrated() const { return migrated_; }
    [[nodiscard]] winnow::connection_ptr open() const { return scratch_.open(); }
    [[nodiscard]] std::string in_sql(std::string_view sql) const { return spelled(sql, kind_); }
    void execute(std::string_view sql) const { open()->execute_script(in_sql(sql)); }
    [[nodiscard]] std::int64_t count(std::string_view table, std::string_view condition) const {
        return open()
            ->execute_once(in_sql("SELECT count(*) FROM " + std::string(table) + " WHERE " + std::string(condition)),
                           {})
            .integer(0, 0);
    }

    [[nodiscard]] program_result program(std::vector<std::string> arguments,
                                         const std::string& name = "chinook") const {
        arguments.insert(arguments.begin(), {"--database", scratch_.url()});
        return run_program(name, arguments);
    }

    /// Every row of the eleven tables for which the table's condition in `without` does not hold.
    [[nodiscard]] database_dump dump(const std::map<std::string, std::string>& without = {}) const {
        static constexpr std::string_view tables[] = {"artist",     "album",        "track",    "genre",
                                                      "media_type", "playlist",     "employee", "playlist_track",
                                                      "invoice",    "invoice_line", "customer"};
        const winnow::connection_ptr database = open();
        database_dump all;
        for (const std::string_view table : tables) {
            std::string query = "SELECT * FROM {" + std::string(table) + "}";
            if (const auto found = without.find(std::string(table)); found != without.end())
                query += " WHERE NOT (" + found->second + ")";
            query += table == "playlist_track" ? " ORDER BY {playlist_id}, {track_id}"
                                               : " ORDER BY {" + std::string(table) + "_id}";
            all[std::string(table)] = lines_of(*database, in_sql(query));
        }
        return all;
    }

private:
    /// The script without what only psql understands: making the database, and connecting to it.
    static std::string script(const std::string& path) {
        std::ifstream file(path);
        if (!file) throw std::runtime_error("cannot read " + path);
        std::string text;
        for (std::string line; std::getline(file, line);) {
            if (line.starts_with("DROP DATABASE") || line.starts_with("CREATE DATABASE") || line.starts_with("\\c "))
                continue;
            text += line + "\n";
        }
        return text;
    }

    scratch_database scratch_;
    winnow::dialect kind_ = winnow::dialect::sqlite;
    bool full_ = false;
    program_result migrated_;
};

}  // namespace music
