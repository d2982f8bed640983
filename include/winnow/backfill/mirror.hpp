// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/backfill/record.hpp"
#include "winnow/context/context.hpp"
#include "winnow/core/error.hpp"
#include "winnow/store/cursor.hpp"

namespace winnow::inline v0 {

/// What was found under a cursor's key.
enum class cursor_health : unsigned char {
    none,       ///< no cursors are kept outside the database
    good,       ///< it says what the database says
    lost,       ///< nothing is there
    behind,     ///< an older position: a process ended before it wrote, or somebody moved it back
    ahead,      ///< a position that was never reached
    malformed,  ///< no list of two whole numbers
    unknown,    ///< it cannot be reached
};

[[nodiscard]] constexpr std::string_view name_of(cursor_health health) noexcept {
    switch (health) {
        case cursor_health::none: return "none";
        case cursor_health::good: return "good";
        case cursor_health::lost: return "lost";
        case cursor_health::behind: return "behind";
        case cursor_health::ahead: return "ahead";
        case cursor_health::malformed: return "malformed";
        case cursor_health::unknown: return "unknown";
    }
    return "unknown";
}

/// The cursor of a table: that of its least advanced target; the very beginning when there is none.
[[nodiscard]] inline cursor_position cursor_of(std::span<const backfill_record> records) {
    std::optional<cursor_position> least;
    for (const backfill_record& one : records)
        if (!least || one.position() < *least) least = one.position();
    return least.value_or(cursor_position{});
}

/// What a text under a key means beside what the database says.
[[nodiscard]] inline cursor_health health_of(const std::optional<std::string>& text, const cursor_position& wanted) {
    if (!text) return cursor_health::lost;
    const std::optional<cursor_position> read = parse_cursor(*text);
    if (!read) return cursor_health::malformed;
    return *read == wanted ? cursor_health::good : *read < wanted ? cursor_health::behind : cursor_health::ahead;
}

/// Keeps copies of the cursors where other programs look for them (rule 17). The rows of the database decide; a key
/// is written after a commit, and what is wrong with it is counted, logged and repaired. A store that cannot be
/// reached is told once and then left alone for the rest of the run.
class backfill_mirror {
public:
    explicit backfill_mirror(const context& with) : with_(with), store_(with.cursors) {}

    /// Looks at a table's key before anything is done, and repairs it.
    /// @param targets whose rows count
    void check(silo where, std::string_view table, std::span<const std::string> targets) {
        guarded(table, [&] {
            // The key first: it is written after the row, so that it is never honestly further than what is read later.
            const std::optional<std::string> seen = store_->read(cursor_key(table));
            const std::vector<backfill_record> records = of_targets(where, table, targets);
            const cursor_position wanted = cursor_of(records);
            const cursor_health health = health_of(seen, wanted);
            // Between the commit of another process and its write there is a moment.
            bool at_work = false;
            for (const backfill_record& one : records) at_work = at_work || one.seconds_idle < 2;
            if (health == cursor_health::good) return;
            if (health == cursor_health::behind) {
                (void)store_->advance(cursor_key(table), wanted);
                if (at_work) return;
            } else {
                (void)store_->replace(cursor_key(table), seen, wanted);
            }
            if (health == cursor_health::lost && records.empty()) return;  // it is begun lazily
            tell(table, health, seen, wanted);
        });
    }
    /// After a table was announced again, or for one more target: its key goes back, which is no fault.
    void restart(silo where, std::string_view table, std::span<const std::string> targets) {
        guarded(table, [&] {
            const std::optional<std::string> seen = store_->read(cursor_key(table));
            const cursor_position wanted = cursor_of(of_targets(where, table, targets));
            if (health_of(seen, wanted) != cursor_health::good) (void)store_->replace(cursor_key(table), seen, wanted);
            last_[std::string(table)] = wanted;
        });
    }
    /// After a commit.
    void write(std::string_view table, std::span<const backfill_record> records) {
        if (records.empty()) return;
        const cursor_position reached = cursor_of(records);
        with_.watch.gauge("backfill_outboxes.low_bound", static_cast<double>(reached.lower),
                          {{"table_name", table}, {"version", std::to_string(reached.version)}});
        guarded(table, [&] {
            const cursor_store::advanced done = store_->advance(cursor_key(table), reached);
            const auto known = last_.find(table);
            if (known != last_.end()) {
                const cursor_health health = health_of(done.before, known->second);
                if (health != cursor_health::good && health != cursor_health::ahead)
                    tell(table, health, done.before, reached);
            }
            last_.insert_or_assign(std::string(table), reached);
        });
    }

    /// Why the store did not do its work in this run, or may lose what it holds; empty: nothing is wrong.
    [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }

private:
    template <class Work>
    void guarded(std::string_view table, const Work& work) {
        if (store_ == nullptr || unreachable_) return;
        try {
            if (!asked_) {
                asked_ = true;
                trouble_ = store_->risk();
                if (!trouble_.empty()) {
                    trouble_ += "; the database has what matters";
                    with_.watch.log(log_level::warning, trouble_, {});
                }
            }
            work();
        } catch (const error& problem) {
            if (!with_.database.usable()) throw;
            unreachable_ = true;
            trouble_ = std::string("the cursor of ") + std::string(table) + " could not be written: " + problem.what();
            with_.watch.log(log_level::warning, "cursors cannot be kept; the backfill goes on without",
                            {{"table_name", table}, {"reason", problem.what()}});
        }
    }
    [[nodiscard]] std::vector<backfill_record> of_targets(silo where, std::string_view table,
                                                          std::span<const std::string> targets) {
        std::vector<backfill_record> records = read_backfill(with_.database, where, table);
        std::erase_if(records, [&](const backfill_record& one) {
            return std::find(targets.begin(), targets.end(), one.target) == targets.end();
        });
        return records;
    }
    void tell(std::string_view table, cursor_health health, const std::optional<std::string>& seen,
              const cursor_position& wanted) {
        with_.watch.count("backfill_outboxes.watermark_missing", 1,
                          {{"table_name", table}, {"reason", name_of(health)}});
        with_.watch.log(log_level::warning, "a backfill's cursor was not what it should be; repaired from the database",
                        {{"table_name", table},
                         {"reason", name_of(health)},
                         {"found", seen ? std::string_view(*seen) : std::string_view("nothing")},
                         {"repaired", cursor_text(wanted)}});
    }

    const context& with_;
    cursor_store* store_;
    bool asked_ = false;
    bool unreachable_ = false;
    std::string trouble_;
    std::map<std::string, cursor_position, std::less<>> last_;
};

}  // namespace winnow::inline v0
