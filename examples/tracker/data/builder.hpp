// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <winnow/store/connection.hpp>
#include <winnow/store/transaction.hpp>

#include "generator.hpp"
#include "random.hpp"
#include "row_writer.hpp"

namespace tracker {

/// A group and what its events and attachments need to know of it.
struct group_reference {
    std::int64_t id;
    std::int64_t project_id;
};

/// What has been made of one organization so far, for later tables to refer to.
struct world {
    generated_organization* summary = nullptr;
    std::vector<std::int64_t> teams, members, projects, environments, rules, triggers, incidents, monitors,
        saved_queries, dashboards, widgets;
    std::vector<std::string> releases;
    std::vector<group_reference> groups;
    std::vector<std::vector<std::int64_t>> comments;  ///< of each group
};

/// Fills the tables one after the other, parents first, taking turns between the organizations so that
/// their rows lie side by side as they would in a living database.
class data_builder {
public:
    data_builder(winnow::connection& database, const generator_settings& settings, generated_data& result);

    void make_users();
    void make_organizations();
    void make_projects();
    void make_releases();
    void make_issues();
    void make_issue_details();
    void make_alerts();
    void make_monitors();
    void make_dashboards();
    void make_bookmarks();
    /// Lets the database's own numbering go on after the rows made here, and gathers statistics.
    void finish();

private:
    /// `base` rows at scale 1; at least one.
    [[nodiscard]] std::size_t many(double base) const {
        return static_cast<std::size_t>(std::max(1.0, std::round(base * settings_.scale)));
    }

    /// The next key of a table; keys are never used twice, even after deletions.
    [[nodiscard]] std::int64_t next_id(const std::string& table);

    /// One table in one transaction: `fill(writer)`.
    template <class Fill> void table(const std::string& name, std::string_view columns, const Fill& fill) {
        winnow::transaction transaction(database_, winnow::transaction_kind::write);
        current_ = name;
        row_writer writer(database_, name == "group" ? "\"group\"" : name, columns);
        fill(writer);
        writer.flush();
        transaction.commit();
    }

    /// `make(world, index)` so many times for each organization, taking turns, and counts the rows.
    template <class Make> void each(std::size_t count, const Make& make) {
        for (std::size_t index = 0; index < count; ++index) {
            for (world& w : worlds_) {
                make(w, index);
                ++w.summary->rows[current_];
                ++w.summary->total;
            }
        }
    }

    winnow::connection& database_;
    const generator_settings& settings_;
    random_source random_;
    std::array<world, 3> worlds_;
    std::vector<std::int64_t> users_;
    std::map<std::string, std::int64_t> last_ids_;
    std::string current_;  ///< the table that is being filled
};

}  // namespace tracker
