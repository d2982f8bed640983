// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/databases.hpp"
#include "unit/plan/plan_builder.hpp"
#include "winnow/context/clock.hpp"
#include "winnow/context/context.hpp"
#include "winnow/context/observer.hpp"
#include "winnow/deletion/run.hpp"
#include "winnow/deletion/schedule.hpp"
#include "winnow/plugin/loader.hpp"
#include "winnow/store/migrations.hpp"
#include "winnow/store/own_tables.hpp"

namespace winnow_test {

/// The file of a test module.
[[nodiscard]] inline std::string module_file(std::string_view name) {
    return std::string(WINNOW_TEST_MODULES) + "/" + std::string(name) + ".so";
}

/// Models of a host: topics and their posts.
[[nodiscard]] inline const plan_builder& topics() {
    static const plan_builder built({{.key = "app.Topic",
                                      .columns = {{"id"}},
                                      .relations = {{.child = "app.Post", .columns = {"topic_id"}}},
                                      .table = "topic"},
                                     {.key = "app.Post", .columns = {{"id"}, {"topic_id"}}, .table = "post"}});
    return built;
}
[[nodiscard]] inline std::vector<winnow::model_part> topic_parts() { return {{.plans = topics().plans()}}; }

/// Keeps what is logged.
class kept_log final : public winnow::observer {
public:
    void log(winnow::log_level, std::string_view message, std::initializer_list<winnow::label> labels) override {
        const std::scoped_lock lock(mutex_);
        std::string& line = lines_.emplace_back(message);
        for (const winnow::label& one : labels) line += " " + std::string(one.name) + "=" + std::string(one.text);
    }
    [[nodiscard]] std::vector<std::string> lines() const {
        const std::scoped_lock lock(mutex_);
        return lines_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> lines_;
};

/// A SQLite database with the host's tables and that of the notes.
class topic_database {
public:
    topic_database() : session(file_.open()) {
        winnow::migrate(*session);
        session->execute_script(
            "CREATE TABLE topic (id bigint PRIMARY KEY); CREATE TABLE post (id bigint PRIMARY KEY, topic_id bigint NOT "
            "NULL); CREATE INDEX post_topic ON post (topic_id);");
    }
    void add_note_table() {
        session->execute_script(
            "CREATE TABLE note (id bigint PRIMARY KEY, topic_id bigint); CREATE INDEX note_topic ON note "
            "(topic_id);");
    }
    /// Deletes topic 1 with its notes, which are made before.
    winnow::deletion_report delete_topic(const winnow::catalog& models) {
        session->execute_script("INSERT INTO topic VALUES (1); INSERT INTO note VALUES (1, 1), (2, 1);");
        winnow::context with{models, *session, time, watch};
        const winnow::value one = std::int64_t{1};
        return winnow::exec_sync(with, models.at("app.Topic"), {&one, 1});
    }
    [[nodiscard]] std::int64_t count(const std::string& table) {
        return session->execute_once("SELECT count(*) FROM " + table, {}).integer(0, 0);
    }

private:
    fresh_sqlite file_;

public:
    winnow::connection_ptr session;
    winnow::steady_clock time;
    kept_log watch;
};

/// A copy of a file in a folder of its own, gone when the object goes.
class copied_file {
public:
    explicit copied_file(const std::string& of, const std::string& name = "copy.so")
        : folder_(std::filesystem::temp_directory_path() / unused_name()) {
        std::filesystem::create_directory(folder_);
        std::filesystem::copy_file(of, folder_ / name);
        path_ = folder_ / name;
    }
    copied_file(const copied_file&) = delete;
    copied_file& operator=(const copied_file&) = delete;
    ~copied_file() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    [[nodiscard]] std::string path() const { return path_.string(); }
    [[nodiscard]] std::string folder() const { return folder_.string(); }

private:
    std::filesystem::path folder_;
    std::filesystem::path path_;
};

}  // namespace winnow_test
