// SPDX-License-Identifier: Apache-2.0
// What winnow takes of time, beside the same work done in other ways.
//   bench [--work deletion,backfill,drain] [--on postgres,sqlite] [--scale s1] [--rounds N] [--variants a;b]
//         [--rows-by-row N] [--json FILE] [--markdown FILE] [--folder FOLDER]
// Every run gets a fresh copy of one data set and is a process of its own; the variants run in turn, round by round, and
// the table shows medians. PostgreSQL is the server of WINNOW_TEST_POSTGRES, and must be private: databases are made
// and dropped, and files are read and written by the server. Fails when a variant did not do what it should, whatever
// it took. `run` in this folder starts a server and does it all.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <winnow/store/open.hpp>
#include <winnow/store/postgres.hpp>
#include <winnow/store/sqlite.hpp>

#include "data.hpp"
#include "variants.hpp"

namespace bench {

namespace {

namespace fs = std::filesystem;
constexpr std::array drivers{winnow::sqlite_driver, winnow::postgres_driver};

winnow::connection_ptr open(const std::string& url) { return winnow::open_connector(url, drivers)->open(); }

/// Arguments as `--name value` pairs.
class arguments {
public:
    arguments(int count, char** given) {
        for (int at = 1; at + 1 < count; at += 2) values_[given[at]] = given[at + 1];
    }
    [[nodiscard]] std::string text(const std::string& name, const std::string& otherwise = {}) const {
        const auto found = values_.find("--" + name);
        return found == values_.end() ? otherwise : found->second;
    }
    [[nodiscard]] std::int64_t number(const std::string& name, std::int64_t otherwise) const {
        const std::string given = text(name);
        return given.empty() ? otherwise : std::strtoll(given.c_str(), nullptr, 10);
    }
    [[nodiscard]] std::vector<std::string> list(const std::string& name, const std::string& otherwise,
                                                char separator = ',') const {
        std::vector<std::string> parts;
        std::istringstream all(text(name, otherwise));
        for (std::string one; std::getline(all, one, separator);) parts.push_back(one);
        return parts;
    }

private:
    std::map<std::string, std::string> values_;
};

/// What one run took.
struct figures {
    double wall = 0;     ///< seconds
    double cpu = 0;      ///< seconds, of the client
    double longest = 0;  ///< seconds of the longest transaction
    double memory = 0;   ///< KiB, the client's peak
    double log = 0;      ///< bytes of write-ahead log, PostgreSQL only
    double statements = 0;
    double transactions = 0;
    double rows = 0;
    double partly = 0;
};
constexpr std::array<std::pair<std::string_view, double figures::*>, 9> fields{{
    {"wall", &figures::wall},
    {"cpu", &figures::cpu},
    {"longest", &figures::longest},
    {"memory", &figures::memory},
    {"log", &figures::log},
    {"statements", &figures::statements},
    {"transactions", &figures::transactions},
    {"rows", &figures::rows},
    {"partly", &figures::partly},
}};

const variant& find_variant(std::string_view work, std::string_view name) {
    for (const std::span<const variant> all : {deletion_variants(), copy_variants()})
        for (const variant& one : all)
            if (one.work == work && one.name == name) return one;
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
int run_one(const arguments& given) {
    const variant& which = find_variant(given.text("work"), given.text("one"));
    const winnow::connection_ptr database = open(given.text("url"));
    const std::string target_url = given.text("target");
    const winnow::connection_ptr target = target_url.empty() ? nullptr : open(target_url);
    meter counted;
    metered_connection metered(*database, counted);
    std::optional<metered_connection> metered_target;
    if (target != nullptr) metered_target.emplace(*target, counted);
    place at{given.text("url"),
             target_url,
             metered,
             metered_target ? &*metered_target : nullptr,
             counted,
             given.text("folder"),
             given.number("rows-by-row", 0)};
    figures taken;
    const double log = log_position(*database);
    const double cpu = processor_seconds();
    const auto start = std::chrono::steady_clock::now();
    const done_work done = which.run(at);
    taken.wall = seconds(std::chrono::steady_clock::now() - start).count();
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

/// Databases of one kind: templates that are made once, and copies of them.
class databases {
public:
    virtual ~databases() = default;
    virtual std::string make(const std::string& name) = 0;  ///< an empty one, as URL
    virtual std::string copy(const std::string& from, const std::string& to) = 0;
    virtual void drop(const std::string& name) = 0;
    virtual void settle() {}
};

class postgres_databases final : public databases {
public:
    explicit postgres_databases(std::string server) : server_(std::move(server)), session_(open(server_)) {}
    std::string make(const std::string& name) override {
        drop(name);
        session_->execute_script("CREATE DATABASE " + name);
        return url(name);
    }
    std::string copy(const std::string& from, const std::string& to) override {
        drop(to);
        session_->execute_script("CREATE DATABASE " + to + " TEMPLATE " + from + " STRATEGY file_copy");
        // All in memory, so that what is measured is the work; and a checkpoint, so that each page that it touches first
        // is written to the log whole.
        open(url(to))->execute_once(
            "SELECT sum(pg_prewarm(oid::regclass)) FROM pg_class WHERE relkind IN ('r', 'i') AND relnamespace = "
            "'public'::regnamespace",
            {});
        return url(to);
    }
    void settle() override { session_->execute_script("CHECKPOINT"); }
    void drop(const std::string& name) override {
        session_->execute_script("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
    }

private:
    [[nodiscard]] std::string url(const std::string& name) const {
        return server_ + (server_.find('?') == std::string::npos ? "?dbname=" : "&dbname=") + name;
    }
    std::string server_;
    winnow::connection_ptr session_;
};

class sqlite_databases final : public databases {
public:
    explicit sqlite_databases(fs::path folder) : folder_(std::move(folder)) {}
    std::string make(const std::string& name) override {
        drop(name);
        return "sqlite:" + file(name) + "?mode=rwc";
    }
    std::string copy(const std::string& from, const std::string& to) override {
        drop(to);
        fs::copy_file(file(from), file(to));
        return "sqlite:" + file(to) + "?mode=rw";
    }
    void drop(const std::string& name) override {
        for (const char* end : {"", "-wal", "-shm"}) fs::remove(file(name) + end);
    }

private:
    [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / (name + ".db")).string(); }
    fs::path folder_;
};

double median(std::vector<double> all) {
    std::sort(all.begin(), all.end());
    const std::size_t half = all.size() / 2;
    return all.size() % 2 != 0 ? all[half] : (all[half - 1] + all[half]) / 2;
}

struct result {
    std::string on;
    std::string work;
    std::string scale;
    std::string name;
    std::vector<figures> rounds;

    [[nodiscard]] double of(double figures::* field) const {
        std::vector<double> all;
        for (const figures& one : rounds) all.push_back(one.*field);
        return median(all);
    }
    [[nodiscard]] double rate() const { return of(&figures::rows) / of(&figures::wall); }
};

/// One piece of work at one scale on one kind of database, in all its variants.
class bench_run {
public:
    bench_run(const arguments& given, databases& on, std::string kind, std::string work, std::string scale,
              std::string folder)
        : given_(given),
          on_(on),
          kind_(std::move(kind)),
          work_(std::move(work)),
          scale_(std::move(scale)),
          folder_(std::move(folder)) {}

    std::vector<result> run() {
        const bool postgres = kind_ == "postgres";
        std::vector<result> results;
        std::vector<const variant*> chosen;
        const std::vector<std::string> wanted = given_.list("variants", "", ';');
        for (const std::span<const variant> all : {deletion_variants(), copy_variants()})
            for (const variant& one : all) {
                if (one.work != work_ || !(postgres ? one.postgres : one.sqlite)) continue;
                if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), one.name) == wanted.end()) continue;
                chosen.push_back(&one);
                results.push_back({kind_, work_, scale_, std::string(one.name), {}});
            }
        make_templates(
            std::any_of(chosen.begin(), chosen.end(), [](const variant* one) { return one->cascading_keys; }));
        const std::int64_t rounds = given_.number("rounds", 1);
        for (std::int64_t round = 0; round < rounds; ++round)
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
            const tree_scale* scale = nullptr;
            for (const tree_scale& one : tree_scales)
                if (one.name == scale_) scale = &one;
            if (scale == nullptr) throw std::runtime_error("no scale is called " + scale_);
            make_tree(*open(on_.make("bench_plain")), *scale, key_action::none);
            if (!cascading) return;
            if (kind_ == "postgres") {
                const winnow::connection_ptr copy = open(on_.copy("bench_plain", "bench_cascade"));
                change_keys(*copy, key_action::cascade);
            } else {
                make_tree(*open(on_.make("bench_cascade")), *scale, key_action::cascade);
            }
            return;
        }
        const copy_scale* scale = nullptr;
        for (const copy_scale& one : copy_scales)
            if (one.name == scale_) scale = &one;
        if (scale == nullptr) throw std::runtime_error("no scale is called " + scale_);
        objects_ = scale->objects;
        const winnow::connection_ptr source = open(on_.make("bench_plain"));
        make_members(*source, *scale);
        if (work_ == "drain") fill_outbox(*source);
        if (work_ == "drain") make_copies(*open(on_.make("bench_target")));
    }

    figures one_run(const variant& which) {
        const std::string url = on_.copy(which.cascading_keys ? "bench_cascade" : "bench_plain", "bench_now");
        const std::string target = work_ == "drain" ? on_.copy("bench_target", "bench_there") : std::string();
        on_.settle();
        winnow::connection_ptr reader;
        if (which.held_snapshot) {
            reader = open(url);
            reader->execute_script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM organization");
        }
        const std::int64_t by_row = given_.number("rows-by-row", 0);
        figures taken;
        try {
            taken = run_apart({"bench", "--one", std::string(which.name), "--work", work_, "--url", url, "--target",
                               target, "--folder", folder_, "--rows-by-row", std::to_string(by_row)});
        } catch (const std::exception& problem) {
            throw std::runtime_error(kind_ + ", " + work_ + ", " + std::string(which.name) + ": " + problem.what());
        }
        reader.reset();
        const std::string fault = fault_of(url, target, taken);
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
        if (!partly && done != objects_) return std::to_string(done) + " messages were reported";
        if (work_ == "backfill")
            return count(*database, "winnow_cell_outbox") == done ? "" : "not every row has one message";
        const winnow::connection_ptr there = open(target);
        if (count(*database, "winnow_cell_outbox") != objects_ - done) return "messages are left";
        return count(*there, "member_copy") == done ? "" : "not every row has one copy";
    }

    const arguments& given_;
    databases& on_;
    std::string kind_;
    std::string work_;
    std::string scale_;
    std::string folder_;
    std::int64_t objects_ = 0;
};

std::string number(double of, int digits) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, of);
    return text.data();
}

std::string table_of(const std::vector<result>& results) {
    std::string text;
    std::string before;
    double base = 1;
    for (const result& one : results) {
        const std::string title = one.work + " on " + one.on + ", " + one.scale;
        if (title != before) {
            text +=
                (before.empty() ? "" : "\n") + title + ", medians of " + std::to_string(one.rounds.size()) +
                "\n\n| variant | wall s | rows/s | rate to the first | statements | transactions | longest s | log MB | client CPU s | client MB |\n"
                "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
            base = one.rate();
            before = title;
        }
        text += "| " + one.name + (one.rounds[0].partly != 0 ? " (in part)" : "") + " | " +
                number(one.of(&figures::wall), 2) + " | " + number(one.rate(), 0) + " | " +
                number(one.rate() / base, 3) + " | " + number(one.of(&figures::statements), 0) + " | " +
                number(one.of(&figures::transactions), 0) + " | " + number(one.of(&figures::longest), 3) + " | " +
                number(one.of(&figures::log) / 1e6, 0) + " | " + number(one.of(&figures::cpu), 2) + " | " +
                number(one.of(&figures::memory) / 1024, 1) + " |\n";
    }
    return text;
}

std::string json_of(const std::vector<result>& results) {
    std::string text = "[";
    for (const result& one : results) {
        text += (text.size() > 1 ? ",\n " : "\n ");
        text += "{\"on\": \"" + one.on + "\", \"work\": \"" + one.work + "\", \"scale\": \"" + one.scale +
                "\", \"variant\": \"" + one.name + "\", \"rate\": " + number(one.rate(), 1);
        for (const auto& [name, field] : fields) text += ", \"" + std::string(name) + "\": " + number(one.of(field), 6);
        text += ", \"walls\": [";
        for (std::size_t round = 0; round < one.rounds.size(); ++round)
            text += (round != 0 ? ", " : "") + number(one.rounds[round].wall, 6);
        text += "]}";
    }
    return text + "\n]\n";
}

int run_all(const arguments& given) {
    const fs::path folder = fs::path(given.text("folder", fs::temp_directory_path().string())) /
                            ("winnow_bench_" + std::to_string(::getpid()));
    fs::create_directory(folder);
    // The server writes files there too, and may be another user.
    fs::permissions(folder, fs::perms::all);
    std::vector<result> results;
    try {
        for (const std::string& kind : given.list("on", "postgres,sqlite")) {
            std::unique_ptr<databases> on;
            if (kind == "sqlite") {
                on = std::make_unique<sqlite_databases>(folder);
            } else {
                const char* server = std::getenv("WINNOW_TEST_POSTGRES");
                if (server == nullptr) {
                    std::fprintf(stderr, "no PostgreSQL: WINNOW_TEST_POSTGRES is not set\n");
                    continue;
                }
                on = std::make_unique<postgres_databases>(server);
            }
            for (const std::string& work : given.list("work", "deletion,backfill,drain"))
                for (const std::string& scale : given.list("scale", "s1")) {
                    if (work != "deletion" && scale == "sparse") continue;
                    for (result& one : bench_run(given, *on, kind, work, scale, folder.string()).run())
                        results.push_back(std::move(one));
                }
        }
    } catch (...) {
        fs::remove_all(folder);
        throw;
    }
    fs::remove_all(folder);
    const std::string table = table_of(results);
    std::fputs(table.c_str(), stdout);
    if (const std::string file = given.text("markdown"); !file.empty()) std::ofstream(file) << table;
    if (const std::string file = given.text("json"); !file.empty()) std::ofstream(file) << json_of(results);
    return results.empty() ? 1 : 0;
}

}  // namespace

}  // namespace bench

int main(int count, char** words) {
    const bench::arguments given(count, words);
    try {
        return given.text("one").empty() ? bench::run_all(given) : bench::run_one(given);
    } catch (const winnow::error& problem) {
        std::fprintf(stderr, "bench: %s %s\n", problem.what(), problem.hint().c_str());
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "bench: %s\n", problem.what());
    }
    return 1;
}
