// SPDX-License-Identifier: Apache-2.0
// What winnow takes of time, beside the same work done in other ways. `bench --help` lists the arguments.
// Every run gets a fresh copy of one data set and is a process of its own; the variants run in turn, round by round, and
// the tables show medians. PostgreSQL is the server of WINNOW_TEST_POSTGRES, and must be private: databases are made
// and dropped, and files are read and written by the server. Fails when a variant did not do what it should, whatever
// it took. `run` in this folder starts a server and does it all.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <winnow/core/error.hpp>

#include "command_line.hpp"
#include "data.hpp"
#include "databases.hpp"
#include "figures.hpp"
#include "report.hpp"
#include "variants.hpp"

namespace bench {

namespace {

namespace fs = std::filesystem;

struct options {
    std::vector<std::string> works{"deletion", "backfill", "drain"};
    std::vector<std::string> on{"postgres", "sqlite"};
    std::vector<std::string> scales{"s1"};
    std::vector<std::string> variants;
    std::int64_t rounds = 1;
    std::int64_t rows_by_row = 0;
    bool fresh = false;
    std::string json;
    std::string markdown;
    std::string folder = fs::temp_directory_path().string();
    /// For a process that does one run of one variant.
    std::string one;
    std::string url;
    std::string target;
};

std::vector<const variant*> all_variants() {
    std::vector<const variant*> all;
    for (const std::span<const variant> some : {deletion_variants(), copy_variants()})
        for (const variant& one : some) all.push_back(&one);
    return all;
}

const tree_scale* find_tree(std::string_view name) {
    for (const tree_scale& one : tree_scales)
        if (one.name == name) return &one;
    return nullptr;
}
const copy_scale* find_copies(std::string_view name) {
    for (const copy_scale& one : copy_scales)
        if (one.name == name) return &one;
    return nullptr;
}

/// @return the exit code when the program is to end here
std::optional<int> read(options& given, int count, char** words) {
    std::set<std::string> scales;
    for (const tree_scale& one : tree_scales) scales.emplace(one.name);
    for (const copy_scale& one : copy_scales) scales.emplace(one.name);
    std::set<std::string> variants;
    for (const variant* one : all_variants()) variants.emplace(one->name);
    CLI::App program(
        "Measures deletions, backfills and drains, by winnow and in other ways, on PostgreSQL (the private "
        "server of WINNOW_TEST_POSTGRES) and SQLite.",
        "bench");
    program.add_option("--work", given.works, "what is done: deletion, backfill, drain; all by default")
        ->delimiter(',')
        ->check(CLI::IsMember({"deletion", "backfill", "drain"}));
    program.add_option("--on", given.on, "on which databases: postgres, sqlite; both by default")
        ->delimiter(',')
        ->check(CLI::IsMember({"postgres", "sqlite"}));
    program.add_option("--scale", given.scales, "how much: small, s1, s2, s30, sparse; s1 by default")
        ->delimiter(',')
        ->check(CLI::IsMember(scales));
    program
        .add_option("--variants", given.variants,
                    "only these, as the tables name them, with ; between them; all by default")
        ->delimiter(';')
        ->check(CLI::IsMember(variants));
    program.add_option("--rounds", given.rounds, "how often each variant is run; 1 by default")
        ->check(CLI::Range(1, 1'000));
    program
        .add_option("--rows-by-row", given.rows_by_row,
                    "variants that go row by row stop after so many rows; 0, the default: they do them all")
        ->check(CLI::NonNegativeNumber);
    program.add_flag("--fresh", given.fresh,
                     "make the tree anew for each deletion instead of copying one; always so at scale s30");
    program.add_option("--json", given.json, "file for the figures");
    program.add_option("--markdown", given.markdown, "file for the tables");
    program.add_option("--folder", given.folder, "where temporary files go")->check(CLI::ExistingDirectory);
    // What this program tells itself when it runs one variant: in no group, so that the help leaves them out.
    program.add_option("--one", given.one)->group("");
    program.add_option("--url", given.url)->group("");
    program.add_option("--target", given.target)->group("");
    return read_arguments(program, count, words);
}

const variant& find_variant(std::string_view work, std::string_view name) {
    for (const variant* one : all_variants())
        if (one->work == work && one->name == name) return *one;
    throw std::runtime_error("no variant of " + std::string(work) + " is called " + std::string(name));
}

double processor_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto of = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return of(used.ru_utime) + of(used.ru_stime);
}
double peak_memory() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr);
    return 0;
}
/// Where the server's write-ahead log ends.
double log_position(winnow::connection& database) {
    if (database.kind() != winnow::dialect::postgres) return 0;
    return std::get<double>(
        database.execute_once("SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8", {}).at(0, 0));
}

/// The child process: does one variant's work on a database that was made for it, and prints what it took.
int run_one(const options& given) {
    const variant& which = find_variant(given.works.at(0), given.one);
    const winnow::connection_ptr database = open(given.url);
    const winnow::connection_ptr target = given.target.empty() ? nullptr : open(given.target);
    meter counted;
    metered_connection metered(*database, counted);
    std::optional<metered_connection> metered_target;
    if (target != nullptr) metered_target.emplace(*target, counted);
    place at{given.url, given.target, metered,          metered_target ? &*metered_target : nullptr,
             counted,   given.folder, given.rows_by_row};
    figures taken;
    const double log = log_position(*database);
    const double cpu = processor_seconds();
    const auto start = std::chrono::steady_clock::now();
    const done_work done = which.run(at);
    taken.wall = done.seconds != 0 ? done.seconds : seconds(std::chrono::steady_clock::now() - start).count();
    taken.cpu = processor_seconds() - cpu;
    taken.log = log_position(*database) - log;
    taken.memory = peak_memory();
    taken.longest = counted.longest;
    taken.statements = static_cast<double>(counted.statements);
    taken.transactions = static_cast<double>(counted.transactions);
    taken.rows = static_cast<double>(done.rows);
    taken.partly = done.partly ? 1 : 0;
    for (const auto& [name, field] : fields) std::printf("%s %.17g\n", std::string(name).c_str(), taken.*field);
    return 0;
}

/// Starts this program again for one run and reads what it prints.
figures run_apart(const std::vector<std::string>& command) {
    int output[2];
    if (::pipe(output) != 0) throw std::runtime_error("no pipe");
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("no process");
    if (child == 0) {
        ::dup2(output[1], 1);
        ::close(output[0]);
        ::close(output[1]);
        std::vector<char*> words;
        for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
        words.push_back(nullptr);
        ::execv("/proc/self/exe", words.data());
        ::_exit(127);
    }
    ::close(output[1]);
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t got = 0; (got = ::read(output[0], buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<std::size_t>(got));
    ::close(output[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0) throw std::runtime_error("the run failed");
    figures taken;
    std::istringstream lines(text);
    for (std::string name; lines >> name;) {
        double number = 0;
        lines >> number;
        for (const auto& [known, field] : fields)
            if (known == name) taken.*field = number;
    }
    return taken;
}

/// One piece of work at one scale on one kind of database, in all its variants.
class bench_run {
public:
    bench_run(const options& given, databases& on, std::string kind, std::string work, std::string scale,
              std::string folder)
        : given_(given),
          on_(on),
          kind_(std::move(kind)),
          work_(std::move(work)),
          scale_(std::move(scale)),
          folder_(std::move(folder)),
          tree_(find_tree(scale_)),
          copies_(find_copies(scale_)) {}

    std::vector<result> run() {
        const bool postgres = kind_ == "postgres";
        std::vector<result> results;
        std::vector<const variant*> chosen;
        const std::vector<std::string>& wanted = given_.variants;
        for (const variant* one : all_variants()) {
            if (one->work != work_ || !(postgres ? one->postgres : one->sqlite)) continue;
            if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), one->name) == wanted.end()) continue;
            if (one->object_mapper && !has_object_mapper()) {
                std::fprintf(stderr, "bench: no object mapper: python3-django or python3-psycopg2 is not installed\n");
                continue;
            }
            chosen.push_back(one);
            results.push_back({kind_, work_, scale_, std::string(one->name), {}});
        }
        if (chosen.empty()) return results;
        make_templates(
            std::any_of(chosen.begin(), chosen.end(), [](const variant* one) { return one->cascading_keys; }));
        for (std::int64_t round = 0; round < given_.rounds; ++round)
            for (std::size_t which = 0; which < chosen.size(); ++which) {
                results[which].rounds.push_back(one_run(*chosen[which]));
                const figures& last = results[which].rounds.back();
                std::fprintf(stderr, "%s %s %s, round %d: %s %.2f s, %.0f rows/s\n", kind_.c_str(), work_.c_str(),
                             scale_.c_str(), static_cast<int>(round + 1), results[which].name.c_str(), last.wall,
                             last.rows / last.wall);
            }
        for (const char* name : {"bench_plain", "bench_cascade", "bench_target"}) on_.drop(name);
        return results;
    }

private:
    void make_templates(bool cascading) {
        if (work_ == "deletion") {
            if (alone()) return;
            make_tree(*open(on_.make("bench_plain")), *tree_, key_action::none);
            if (!cascading) return;
            if (kind_ == "postgres") {
                const winnow::connection_ptr copy = open(on_.copy("bench_plain", "bench_cascade"));
                change_keys(*copy, key_action::cascade);
            } else {
                make_tree(*open(on_.make("bench_cascade")), *tree_, key_action::cascade);
            }
            return;
        }
        const winnow::connection_ptr source = open(on_.make("bench_plain"));
        make_members(*source, *copies_);
        if (work_ == "drain") fill_outbox(*source);
        if (work_ == "drain") make_copies(*open(on_.make("bench_target")));
    }

    /// Whether each deletion has a tree of its own instead of a copy of one.
    [[nodiscard]] bool alone() const { return given_.fresh || tree_->alone; }

    /// A database for one run.
    std::string make_place(const variant& which) {
        if (work_ != "deletion" || !alone())
            return on_.copy(which.cascading_keys ? "bench_cascade" : "bench_plain", "bench_now");
        std::string url = on_.make("bench_now");
        make_tree(*open(url), *tree_, which.cascading_keys ? key_action::cascade : key_action::none);
        return url;
    }

    figures one_run(const variant& which) {
        const std::string url = make_place(which);
        const std::string target = work_ == "drain" ? on_.copy("bench_target", "bench_there") : std::string();
        on_.settle();
        winnow::connection_ptr reader;
        if (which.held_snapshot) {
            reader = open(url);
            reader->execute_script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM organization");
        }
        figures taken;
        std::string fault;
        try {
            taken = run_apart({"bench", "--one", std::string(which.name), "--work", work_, "--url", url, "--target",
                               target, "--folder", folder_, "--rows-by-row", std::to_string(given_.rows_by_row)});
            reader.reset();
            fault = fault_of(url, target, taken);
        } catch (const std::exception& problem) {
            fault = problem.what();
        }
        if (!fault.empty())
            throw std::runtime_error(kind_ + ", " + work_ + ", " + std::string(which.name) + ": " + fault);
        on_.drop("bench_now");
        if (!target.empty()) on_.drop("bench_there");
        return taken;
    }

    /// What a run left behind must be the same whoever did it.
    std::string fault_of(const std::string& url, const std::string& target, figures& taken) const {
        const winnow::connection_ptr database = open(url);
        const bool partly = taken.partly != 0;
        if (work_ == "deletion") {
            if (!partly) taken.rows = static_cast<double>(doomed_rows(*database));
            return tree_fault(*database, partly);
        }
        const auto count = [](winnow::connection& in, const char* table) {
            return in.execute_once("SELECT count(*) FROM " + std::string(table), {}).integer(0, 0);
        };
        const auto done = static_cast<std::int64_t>(taken.rows);
        if (!partly && done != copies_->objects) return std::to_string(done) + " messages were reported";
        if (work_ == "backfill")
            return count(*database, "winnow_cell_outbox") == done ? "" : "not every row has one message";
        const winnow::connection_ptr there = open(target);
        if (count(*database, "winnow_cell_outbox") != copies_->objects - done) return "messages are left";
        return count(*there, "member_copy") == done ? "" : "not every row has one copy";
    }

    const options& given_;
    databases& on_;
    std::string kind_;
    std::string work_;
    std::string scale_;
    std::string folder_;
    const tree_scale* tree_;    ///< null: deletions have no such scale
    const copy_scale* copies_;  ///< null: copies have no such scale
};

int run_all(const options& given) {
    const fs::path folder = fs::path(given.folder) / ("winnow_bench_" + std::to_string(::getpid()));
    fs::create_directory(folder);
    // The server writes files there too, and may be another user.
    fs::permissions(folder, fs::perms::all);
    std::vector<result> results;
    try {
        for (const std::string& kind : given.on) {
            const char* server = std::getenv("WINNOW_TEST_POSTGRES");
            if (kind == "postgres" && server == nullptr) {
                std::fprintf(stderr, "bench: no PostgreSQL: WINNOW_TEST_POSTGRES is not set\n");
                continue;
            }
            const std::unique_ptr<databases> on =
                kind == "postgres" ? postgres_databases(server) : sqlite_databases(folder.string());
            for (const std::string& work : given.works)
                for (const std::string& scale : given.scales) {
                    const bool known = work == "deletion" ? find_tree(scale) != nullptr : find_copies(scale) != nullptr;
                    if (!known) continue;
                    for (result& one : bench_run(given, *on, kind, work, scale, folder.string()).run())
                        results.push_back(std::move(one));
                }
        }
    } catch (...) {
        fs::remove_all(folder);
        throw;
    }
    fs::remove_all(folder);
    if (results.empty()) throw std::runtime_error("these databases, works, scales and variants have nothing in common");
    const std::string tables = tables_of(results);
    std::fputs(tables.c_str(), stdout);
    if (!given.markdown.empty()) std::ofstream(given.markdown) << tables;
    if (!given.json.empty()) std::ofstream(given.json) << json_of(results);
    return 0;
}

}  // namespace

}  // namespace bench

int main(int count, char** words) {
    bench::options given;
    if (const std::optional<int> code = bench::read(given, count, words)) return *code;
    try {
        return given.one.empty() ? bench::run_all(given) : bench::run_one(given);
    } catch (const winnow::error& problem) {
        std::fprintf(stderr, "bench: %s %s\n", problem.what(), problem.hint().c_str());
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "bench: %s\n", problem.what());
    }
    return 1;
}
