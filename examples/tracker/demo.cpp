// SPDX-License-Identifier: Apache-2.0
#include "demo.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <winnow/context/clock.hpp>
#include <winnow/context/context.hpp>
#include <winnow/deletion/measure.hpp>
#include <winnow/deletion/run.hpp>
#include <winnow/deletion/schedule.hpp>
#include <winnow/plan/catalog.hpp>
#include <winnow/store/open.hpp>
#include <winnow/store/own_tables.hpp>
#include <winnow/store/postgres.hpp>
#include <winnow/store/sqlite.hpp>

#include "copies_demo.hpp"
#include "data/generator.hpp"
#include "files.hpp"
#include "fingerprint.hpp"
#include "output.hpp"
#include "plans.hpp"

namespace tracker {

namespace {

/// A folder that is gone when the demonstration is over.
class temporary_folder {
public:
    explicit temporary_folder(bool keep)
        : path_(std::filesystem::temp_directory_path() / ("tracker-demo-" + std::to_string(::getpid()))), keep_(keep) {
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder() {
        std::error_code ignored;
        if (!keep_) std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    bool keep_;
};

void print_made(const generated_data& data, double seconds) {
    std::int64_t rows = 0;
    std::int64_t files = 0;
    for (const generated_organization& one : data.organizations) {
        rows += one.total;
        files += one.files;
    }
    std::printf("Made %s rows and %s attachment files in %.1f s:\n", grouped(rows).c_str(), grouped(files).c_str(),
                seconds);
    for (const generated_organization& one : data.organizations) {
        std::printf("  organization %lld \"%s\": %s rows\n", static_cast<long long>(one.id), one.slug.c_str(),
                    grouped(one.total).c_str());
    }
}

void print_plan(const winnow::deletion_plan& plan) {
    std::vector<std::vector<std::string>> table = {{"table", "action", "rows", "strategy", "chunks", "found by"}};
    for (const winnow::planned_table& one : plan.tables) {
        const bool counted = one.rows >= 0;
        table.push_back({one.table, one.action, counted ? (one.at_most ? "<= " : "") + grouped(one.rows) : one.note,
                         one.action == "deleted" ? one.strategy : "",
                         one.action == "deleted" ? grouped(one.chunks) : "", one.access});
    }
    print_table(table, {2, 4});
    std::printf("  %s rows would be deleted%s.\n", grouped(plan.total).c_str(),
                plan.complete ? "" : ", or more: not everything was measured");
}

/// Passes until the deletion has ended one way or the other.
winnow::deletion_report run_to_the_end(const winnow::context& with, const std::string& guid) {
    winnow::deletion_report report;
    do {
        const auto claimed = winnow::claim_deletion(with, winnow::silo::cell, guid);
        if (!claimed) throw winnow::error(winnow::failure::refused, "the deletion could not be claimed");
        report = winnow::run_deletion(with, *claimed);
    } while (report.outcome == winnow::deletion_outcome::yielded);
    return report;
}

/// Says what was expected and what was found. Counts what is wrong.
class findings {
public:
    void expect(bool right, const std::string& text) {
        std::printf("  %s  %s\n", right ? "ok   " : "WRONG", text.c_str());
        if (!right) ++wrong_;
    }
    [[nodiscard]] int wrong() const { return wrong_; }

private:
    int wrong_ = 0;
};

/// Is everything of the organization gone, and nothing else?
int verify(const winnow::context& with, const generated_data& data, const winnow::deletion_report& report,
           const fingerprint& before, std::int64_t files_before) {
    const generated_organization& doomed = data.doomed();
    const fingerprint after = take_fingerprint(with.database, plans());
    const difference found = compare(before, after);
    std::printf("\nVerification:\n");
    findings check;

    std::int64_t orphans = 0;
    for (const winnow::orphan_count& one : winnow::find_orphans(with)) {
        orphans += one.rows;
        if (one.rows != 0)
            std::printf("  %s: %lld rows point at a missing %s\n", one.child.c_str(), static_cast<long long>(one.rows),
                        one.parent.c_str());
    }
    check.expect(orphans == 0, grouped(orphans) + " orphans");
    check.expect(found.gone == doomed.rows, "gone: " + grouped(found.total_gone) + " rows, all " +
                                                grouped(doomed.total) + " of \"" + doomed.slug + "\"");
    check.expect(report.rows == doomed.total, "reported: " + grouped(report.rows) + " rows");
    std::int64_t kept = 0;
    for (const auto& [table, hashes] : before) kept += static_cast<std::int64_t>(hashes.size());
    kept -= doomed.total;
    check.expect(found.unchanged == kept && found.changed_or_new == 0,
                 "neighbours unchanged: " + grouped(found.unchanged) + " other rows are what they were, byte for byte");
    char text[32];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(checksum(after)));
    std::printf("         checksum of what is left: %s\n", text);
    const std::int64_t files = count_attachment_files();
    check.expect(files == files_before - doomed.files,
                 "attachment files: " + grouped(doomed.files) + " removed, " + grouped(files) + " left");
    return check.wrong();
}

int demonstrate(const demo_settings& settings, const std::string& url) {
    const winnow::connection_ptr database = open_or_create(url);
    const winnow::catalog models(plans());
    winnow::steady_clock time;
    live_progress watch;
    const winnow::context with{models, *database, time, watch, winnow::silo_mode::monolith, "demo"};
    std::printf("Error tracker: %zu models in two silos, on %s\n\n", models.size(), database->description().c_str());

    stopwatch making;
    create_schema(*database);
    (void)winnow::migrate(*database);
    const generated_data data = generate(*database, {settings.scale, settings.seed, true});
    print_made(data, making.seconds());
    const generated_organization& doomed = data.doomed();
    const fingerprint before = take_fingerprint(*database, plans());
    const std::int64_t files_before = count_attachment_files();

    const std::size_t organization = models.at("tracker.Organization");
    const std::array<winnow::value, 1> key = {doomed.id};
    std::printf("\nPlan: delete organization %lld \"%s\"\n", static_cast<long long>(doomed.id), doomed.slug.c_str());
    print_plan(winnow::plan_deletion(with, organization, key));

    std::printf("\nDeletion:\n");
    winnow::schedule_options now;
    now.days = 0;
    now.permit = winnow::permit_purge;
    now.confirmed = true;
    const winnow::scheduled_deletion scheduled = winnow::schedule(with, organization, key, now);
    std::printf("  scheduled, transaction %s\n", scheduled.guid.c_str());
    stopwatch running;
    const winnow::deletion_report report = run_to_the_end(with, scheduled.guid);
    const double seconds = running.seconds();
    watch.finish();
    std::printf("  %s%s%s\n\nDeleted:\n", std::string(name_of(report.outcome)).c_str(),
                report.detail.empty() ? "" : ": ", report.detail.c_str());

    std::vector<std::vector<std::string>> table = {{"table", "rows"}};
    for (const auto& [model, rows] : report.by_model)
        table.push_back({std::string(models[models.at(model)].table[database->kind()]), grouped(rows)});
    table.push_back({"total", grouped(report.rows)});
    print_table(table, {1});
    std::printf("  %s rows in %.2f s: %s rows per second\n", grouped(report.rows).c_str(), seconds,
                grouped(static_cast<std::int64_t>(static_cast<double>(report.rows) / std::max(seconds, 1e-6))).c_str());
    std::printf("  %s transactions, the longest %.3f s\n", grouped(watch.transactions()).c_str(),
                watch.longest_transaction());
    const tally seen = hooks_so_far();
    std::printf("  hooks saw %s bytes of attachments and %s releases go\n", grouped(seen.released_bytes).c_str(),
                grouped(seen.deleted_releases).c_str());

    const int wrong = verify(with, data, report, before, files_before) +
                      (report.outcome == winnow::deletion_outcome::completed ? 0 : 1);
    std::printf("\n%s\n", wrong == 0 ? "Done: 0 orphans." : "Something is wrong; see above.");
    return wrong;
}

}  // namespace

winnow::connection_ptr open_or_create(const std::string& url) {
    static constexpr std::array drivers = {winnow::sqlite_driver, winnow::postgres_driver};
    const bool bare_file = url.starts_with("sqlite:") && url.find('?') == std::string::npos;
    return winnow::open_connector(bare_file ? url + "?mode=rwc" : url, drivers)->open();
}

int run_demo(const demo_settings& settings) {
    const temporary_folder folder(settings.keep);
    use_attachment_folder(folder.path() / "attachments");
    int wrong = demonstrate(
        settings, settings.database.empty() ? "sqlite:" + (folder.path() / "tracker.db").string() : settings.database);
    wrong += demonstrate_copies(folder.path(), settings.seed);
    std::printf("\n%s\n",
                wrong == 0 ? "Done: all copies are equal to their sources." : "Something is wrong; see above.");
    if (settings.keep) std::printf("Kept in %s\n", folder.path().c_str());
    return wrong == 0 ? 0 : 1;
}

int run_generate(const generate_settings& settings) {
    if (!settings.files.empty()) use_attachment_folder(settings.files);
    const winnow::connection_ptr database = open_or_create(settings.database);
    stopwatch making;
    create_schema(*database);
    print_made(generate(*database, {settings.scale, settings.seed, true}), making.seconds());
    std::printf("Attachment files are in %s\n", attachment_folder().c_str());
    return 0;
}

}  // namespace tracker
