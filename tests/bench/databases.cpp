// SPDX-License-Identifier: Apache-2.0
#include "databases.hpp"

#include <array>
#include <filesystem>
#include <utility>

#include <winnow/store/open.hpp>
#include <winnow/store/postgres.hpp>
#include <winnow/store/sqlite.hpp>

namespace bench {

namespace {

namespace fs = std::filesystem;

class on_postgres final : public databases {
public:
    explicit on_postgres(std::string server) : server_(std::move(server)), session_(open(server_)) {}
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

class on_sqlite final : public databases {
public:
    explicit on_sqlite(fs::path folder) : folder_(std::move(folder)) {}
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

}  // namespace

winnow::connection_ptr open(const std::string& url) {
    static constexpr std::array drivers{winnow::sqlite_driver, winnow::postgres_driver};
    return winnow::open_connector(url, drivers)->open();
}

std::unique_ptr<databases> postgres_databases(const std::string& server) {
    return std::make_unique<on_postgres>(server);
}
std::unique_ptr<databases> sqlite_databases(const std::string& folder) { return std::make_unique<on_sqlite>(folder); }

}  // namespace bench
