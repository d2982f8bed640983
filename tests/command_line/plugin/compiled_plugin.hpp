// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "plugin_programs.hpp"

namespace winnow_test {

[[nodiscard]] inline bool there_is(const std::string& program) {
    return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

/// Builds one of the folders of plugins/ with another compiler or other flags, linked as winnow_add_plugin links it.
inline void compile_plugin(const std::string& compiler, const std::string& flags, const std::string& name,
                           const std::filesystem::path& to) {
    const std::string source = WINNOW_TEST_SOURCES;
    const std::string folder = source + "/plugins/" + name;
    const std::string command = compiler + " -std=c++20 " + flags +
                                " -fPIC -shared -fvisibility=hidden -fvisibility-inlines-hidden -I" + source +
                                "/include -Wl,--version-script=" + source +
                                "/cmake/winnow_plugin.map -Wl,--exclude-libs,ALL -Wl,-z,now,-z,defs -o " + to.string() +
                                " " + folder + "/*.cpp";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace winnow_test
