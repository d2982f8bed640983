// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "silos_cases.hpp"

namespace {

class silos_sqlite : public testing::Test {
protected:
    void SetUp() override {
        if (!std::filesystem::exists(program_path("tracker"))) GTEST_SKIP() << "the examples were not built";
    }
};

TEST_F(silos_sqlite, deletions_cross_silos) {
    const silos_test::installation tracker("");
    ASSERT_EQ(tracker.trouble(), "");
    silos_test::deletions_cross_silos(tracker);
}
TEST_F(silos_sqlite, a_broken_copy_is_named_and_replayed) {
    const silos_test::installation tracker("");
    ASSERT_EQ(tracker.trouble(), "");
    silos_test::a_broken_copy_is_named_and_replayed(tracker);
}
TEST_F(silos_sqlite, upgrade_fills_every_copy_where_it_is_self_hosted) {
    std::string text;
    {
        const silos_test::installation hosted("");
        ASSERT_EQ(hosted.trouble(), "");
        const program_result nothing = hosted.program({"upgrade"});
        silos_test::expect_code(nothing, 0);
        EXPECT_TRUE(nothing.says("not self-hosted")) << nothing.output;
        EXPECT_EQ(hosted.number(hosted.control(), "SELECT count(*) FROM tracker_organizationmapping"), 0);
    }
    const silos_test::installation own("", R"(, "self_hosted": true)");
    ASSERT_EQ(own.trouble(), "");
    silos_test::upgrade_fills_every_copy(own);
}
TEST_F(silos_sqlite, a_worker_does_it_by_itself) {
    const silos_test::installation tracker("");
    ASSERT_EQ(tracker.trouble(), "");
    silos_test::workers_do_it_by_themselves(tracker, {{"worker"}});
}

TEST_F(silos_sqlite, the_lock_file_notices_another_mapping) {
    const scratch_database scratch("lock");
    const std::string path = (scratch.folder() / "winnow.lock").string();
    silos_test::expect_code(run_program("tracker", {"lock", path}), 0);
    silos_test::expect_code(run_program("tracker", {"lock", path, "--check"}), 0);
    std::ifstream file(path);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const std::string mapped = "slug -> slug";
    ASSERT_NE(text.find(mapped), std::string::npos) << text;
    text.replace(text.find(mapped), mapped.size(), "guid -> slug");
    const std::string print = "\"fingerprint\": \"";
    const std::size_t at = text.find(print) + print.size();
    text[at] = text[at] == '0' ? '1' : '0';
    std::ofstream(path) << text;
    const program_result changed = run_program("tracker", {"lock", path, "--check"});
    silos_test::expect_code(changed, 1);
    EXPECT_TRUE(changed.says("tracker.Organization") && changed.says("replication_version")) << changed.output;
}

}  // namespace
