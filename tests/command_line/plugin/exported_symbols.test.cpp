// SPDX-License-Identifier: Apache-2.0
// Every plugin of this build makes one name known, the one that the contract asks for.
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "compiled_plugin.hpp"

namespace {

using namespace winnow_test;

std::vector<std::string> exported(const std::filesystem::path& file) {
    std::FILE* pipe = ::popen(("nm -D --defined-only '" + file.string() + "'").c_str(), "r");
    std::vector<std::string> lines;
    std::array<char, 4096> line{};
    while (pipe != nullptr && std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr)
        lines.emplace_back(line.data());
    EXPECT_TRUE(pipe != nullptr && ::pclose(pipe) == 0) << file;
    return lines;
}

TEST(exported_symbols, are_one_of_every_plugin) {
    if (!there_is("nm")) GTEST_SKIP() << "nm (binutils) is not there";
    std::size_t plugins = 0;
    for (const auto& entry : std::filesystem::directory_iterator(WINNOW_TEST_PLUGINS)) {
        if (entry.path().extension() != ".so") continue;
        ++plugins;
        const std::vector<std::string> lines = exported(entry.path());
        ASSERT_EQ(lines.size(), 1U) << entry.path() << (lines.empty() ? "" : "\n" + lines[0]);
        EXPECT_TRUE(lines[0].ends_with(" winnow_plugin\n")) << entry.path() << ": " << lines[0];
    }
    EXPECT_GE(plugins, 3U);
}

}  // namespace
