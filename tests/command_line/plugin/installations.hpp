// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "plugin_programs.hpp"

namespace winnow_test {

/// One database for both silos.
class stock_program : public on_every_database {
protected:
    /// The file of a plugin; a test may take another one than that of this build.
    [[nodiscard]] virtual std::string plugin(const std::string& name) const { return plugin_file(name); }
    void SetUp() override {
        on_every_database::SetUp();
        const program_result made = run({"migrate"});
        ASSERT_EQ(made.code, 0) << made.all();
        fill_notebooks(database());
        files_.write(1, 300);
    }
    [[nodiscard]] program_result run(const std::vector<std::string>& arguments) const {
        std::vector<std::string> line = {"--database", url_of(database())};
        line.insert(line.end(), arguments.begin(), arguments.end());
        return run_program("winnow", {plugin("notes"), plugin("access_log")}, line, {files_.variable()});
    }
    void expect_done(const std::vector<std::string>& arguments) const {
        const program_result result = run(arguments);
        EXPECT_EQ(result.code, 0) << result.all();
    }
    [[nodiscard]] std::int64_t rows(const std::string& table, const std::string& condition = "1 = 1") const {
        return count(database(), table, condition);
    }
    notes_folder files_;
};

/// A control silo and two cells, each in a database of its own.
class stock_program_in_silos : public testing::TestWithParam<dialect> {
protected:
    [[nodiscard]] virtual std::string plugin(const std::string& name) const { return plugin_file(name); }
    void SetUp() override {
        for (std::unique_ptr<fresh_database>* one : {&control_, &us_, &de_}) *one = make_database(GetParam());
        std::string redis;
        if (const char* url = std::getenv("WINNOW_TEST_REDIS"); url != nullptr && GetParam() == dialect::postgres)
            redis = ", \"redis\": \"" + std::string(url) + "\"";
        std::ofstream(config()) << R"({"control": ")" << url_of(*control_) << R"(", "cells": {"us": ")" << url_of(*us_)
                                << R"(", "de": ")" << url_of(*de_) << R"("}, "plugins": [")" << plugin("notes")
                                << R"(", ")" << plugin("access_log") << "\"]" << redis << "}";
        const program_result made = run({"migrate"});
        ASSERT_EQ(made.code, 0) << made.all();
        fill_notebooks(*us_);
        fill_notebooks(*de_);
        control_->run("INSERT INTO notes_follower VALUES ('ann', 'us', 1), ('bob', 'us', 1), ('ann', 'de', 1);");
        files_.write(1, 300);
    }
    [[nodiscard]] std::string config() const { return (folder_ / "silos.json").string(); }
    [[nodiscard]] program_result run(const std::vector<std::string>& arguments) const {
        std::vector<std::string> line = {"--config", config()};
        line.insert(line.end(), arguments.begin(), arguments.end());
        return run_program("winnow", {}, line, {files_.variable()});
    }
    void expect_done(const std::vector<std::string>& arguments) const {
        const program_result result = run(arguments);
        EXPECT_EQ(result.code, 0) << result.all();
    }
    scratch_folder folder_;
    notes_folder files_;
    std::unique_ptr<fresh_database> control_;
    std::unique_ptr<fresh_database> us_;
    std::unique_ptr<fresh_database> de_;
};

}  // namespace winnow_test
