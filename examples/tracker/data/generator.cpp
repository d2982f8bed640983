// SPDX-License-Identifier: Apache-2.0
#include "generator.hpp"

#include <filesystem>
#include <string>
#include <string_view>

#include "../files.hpp"
#include "builder.hpp"
#include "schema.hpp"

namespace tracker {

data_builder::data_builder(winnow::connection& database, const generator_settings& settings, generated_data& result)
    : database_(database), settings_(settings), random_(settings.seed) {
    for (std::size_t i = 0; i < worlds_.size(); ++i) worlds_[i].summary = &result.organizations[i];
    // What comes on top of earlier data must differ from it, since guids are unique.
    const std::int64_t earlier = next_id("tracker_user") - 1;
    last_ids_["tracker_user"] = earlier;
    random_ = random_source(settings.seed + 1'000'003U * static_cast<std::uint64_t>(earlier));
}

std::int64_t data_builder::next_id(const std::string& table) {
    const auto found = last_ids_.find(table);
    if (found != last_ids_.end()) return ++found->second;
    const winnow::rows last =
        database_.kind() == winnow::dialect::sqlite
            ? database_.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?1",
                                {std::string_view(table)})
            : database_.execute_once("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM " + table + "_id_seq",
                                     {});
    return last_ids_[table] = last.integer(0, 0) + 1;
}

void data_builder::finish() {
    winnow::transaction transaction(database_, winnow::transaction_kind::write);
    if (database_.kind() == winnow::dialect::postgres) {
        for (const auto& [table, last] : last_ids_) {
            (void)database_.execute_once("SELECT setval('" + table + "_id_seq', " + std::to_string(last) + ")", {});
        }
    }
    database_.execute_script("ANALYZE;");
    transaction.commit();
}

void create_schema(winnow::connection& database) {
    winnow::transaction transaction(database, winnow::transaction_kind::write);
    database.execute_script(schema[database.kind()]);
    transaction.commit();
}

generated_data generate(winnow::connection& database, const generator_settings& settings) {
    if (settings.write_files) std::filesystem::create_directories(attachment_folder());
    generated_data result;
    data_builder builder(database, settings, result);
    builder.make_users();
    builder.make_organizations();
    builder.make_projects();
    builder.make_releases();
    builder.make_issues();
    builder.make_issue_details();
    builder.make_alerts();
    builder.make_monitors();
    builder.make_dashboards();
    builder.make_bookmarks();
    builder.finish();
    return result;
}

}  // namespace tracker
