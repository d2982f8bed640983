// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <winnow/testing/lock_file.hpp>
#include <winnow/winnow.hpp>

enum class Scope { organization = 0 };
enum class Category { member_update = 4, team_update = 5 };
template <>
struct winnow::categories<Category> {
    static constexpr auto scopes =
        winnow::scopes(scope<Scope::organization, Category::member_update, Category::team_update>);
};

namespace lock_domain {
struct member {
    std::int64_t id;
    std::int64_t organization_id;
    std::string email;
    std::string name;
};
struct member_copy {
    std::int64_t id;
    std::int64_t member_id;
    std::string email;
    std::string cell;
};
struct team {
    std::int64_t id;
};
WINNOW_DESCRIBE(member, id, organization_id, email, name)
WINNOW_DESCRIBE(member_copy, id, member_id, email, cell)
WINNOW_DESCRIBE(team, id)
}  // namespace lock_domain

template <>
struct winnow::model<lock_domain::member> {
    static constexpr text key = "lock.Member";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr int replication_version = 3;
    static constexpr auto replication = replicates<Category::member_update>(
        shard<&lock_domain::member::organization_id>,
        mirror<lock_domain::member_copy>(map<&lock_domain::member::id, &lock_domain::member_copy::member_id>,
                                         map<&lock_domain::member::email, &lock_domain::member_copy::email>,
                                         from_cell<&lock_domain::member_copy::cell>));
};
template <>
struct winnow::model<lock_domain::member_copy> {
    static constexpr text key = "lock.MemberCopy";
    static constexpr auto silo = winnow::silo::control;
};
template <>
struct winnow::model<lock_domain::team> {
    static constexpr text key = "lock.Team";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto replication = replicates<Category::team_update>(shard<&lock_domain::team::id>);
    static void replicate(const lock_domain::team&, winnow::delivery&) {}
};

namespace {

using testing::HasSubstr;
using Models = winnow::registry<lock_domain::member, lock_domain::member_copy, lock_domain::team>;

class lock_file : public testing::Test {
protected:
    static std::string with(std::string_view what, std::string_view other) {
        std::string text = winnow::lock_text(winnow::catalog(winnow::plans_of<Models>));
        const std::size_t at = text.find(what);
        EXPECT_NE(at, std::string::npos) << what;
        return text.replace(at, what.size(), other);
    }
    static std::vector<winnow::lock_difference> compared(const std::string& text) {
        return winnow::compare_lock(winnow::catalog(winnow::plans_of<Models>), text);
    }
};

TEST_F(lock_file, says_a_line_for_each_thing_and_is_read_again) {
    const winnow::catalog models(winnow::plans_of<Models>);
    const std::string text = winnow::lock_text(models);
    EXPECT_THAT(text, HasSubstr("    \"lock.Member\": {\n      \"version\": 3,\n      \"fingerprint\": \""));
    EXPECT_THAT(text, HasSubstr("\"category\": \"member_update = 4\",\n      \"scope\": \"organization = 0\","));
    EXPECT_THAT(text, HasSubstr("\"mirror\": \"lock.MemberCopy\",\n      \"columns\": [\n        \"id -> member_id\",\n"
                                "        \"email -> email\",\n        \"(cell) -> cell\"\n      ]"));
    EXPECT_TRUE(winnow::compare_lock(models, text).empty());
    EXPECT_EQ(winnow::parse_lock(text).size(), 2U);
    EXPECT_EQ(winnow::lock_problems(models, text), "");
    EXPECT_EQ(winnow::lock_text(winnow::catalog(std::span<const winnow::plan>())),
              "{\n  \"winnow_lock\": 1,\n  \"models\": {}\n}\n");
}

TEST_F(lock_file, a_changed_mapping_under_the_same_version_names_the_model_and_what_to_do) {
    const auto found = compared(with("        \"email -> email\",\n", "        \"name -> email\",\n"));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found[0].must_raise);
    EXPECT_EQ(
        found[0].what,
        "lock.Member is copied in another way (`email -> email` came, `name -> email` went) and replication_version is "
        "still 3, so rows that exist would keep their old copies: make it 4 and run `lock`.");
    std::string text = with("\"fingerprint\": \"", "\"fingerprint\": \"0");
    EXPECT_THAT(compared(text).at(0).what, HasSubstr("its shard, its payload or their order changed"));
    EXPECT_THAT(compared(with("member_update = 4", "member_update = 7")).at(0).what,
                HasSubstr("category `member_update = 7` became `member_update = 4`"));
    EXPECT_TRUE(compared(with("organization = 0", "other = 1")).at(0).must_raise);
}

TEST_F(lock_file, a_version_that_was_raised_has_to_be_locked_and_one_that_went_back_is_refused) {
    const auto raised = compared(with("\"version\": 3", "\"version\": 2"));
    ASSERT_EQ(raised.size(), 1U);
    EXPECT_FALSE(raised[0].must_raise);
    EXPECT_THAT(raised[0].what, HasSubstr("was raised from 2 to 3: run `lock`"));
    const auto back = compared(with("\"version\": 3", "\"version\": 5"));
    EXPECT_TRUE(back.at(0).must_raise);
    EXPECT_THAT(back.at(0).what, HasSubstr("went back from 5 to 3"));
    EXPECT_THAT(back.at(0).what, HasSubstr("make it 6"));
}

TEST_F(lock_file, models_that_came_and_went) {
    const auto found = compared(with("lock.Team", "lock.Crew"));
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].what, "lock.Team is replicated and the lock file does not know it: run `lock`.");
    EXPECT_EQ(found[1].what, "lock.Crew is in the lock file and is not replicated any more: run `lock`.");
}

TEST_F(lock_file, what_is_no_lock_file_is_said_to_be_none) {
    for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
             {"", "not JSON"},
             {"<<<<<<< ours", "conflict"},
             {"[]", "no `winnow_lock`"},
             {"{\"winnow_lock\": 2, \"models\": {}}", "its form is 2"},
             {"{\"winnow_lock\": 1, \"models\": {\"a.B\": {}}}", "a.B has no proper `version`"},
             {"{\"winnow_lock\": 1, \"models\": {\"a.B\": {\"version\": \"1\"}}}", "a.B has no proper `version`"}}) {
        try {
            (void)compared(text);
            ADD_FAILURE() << text;
        } catch (const winnow::error& problem) {
            EXPECT_THAT(problem.what(), HasSubstr(why));
        }
    }
}

TEST_F(lock_file, the_helper_of_tests_reads_the_file) {
    const std::string path = testing::TempDir() + "winnow_" + std::to_string(::getpid()) + ".lock";
    EXPECT_THAT(winnow::problems_of_lock<Models>(path), HasSubstr("Write it with `lock`"));
    const auto write = [&](const std::string& text) {
        std::FILE* file = std::fopen(path.c_str(), "wb");
        ASSERT_NE(file, nullptr);
        (void)std::fwrite(text.data(), 1, text.size(), file);
        (void)std::fclose(file);
    };
    write(winnow::lock_text(winnow::catalog(winnow::plans_of<Models>)));
    EXPECT_EQ(winnow::problems_of_lock<Models>(path), "");
    write(with("email -> email", "name -> email"));
    EXPECT_THAT(winnow::problems_of_lock<Models>(path), HasSubstr("make it 4 and run `lock`.\n"));
    write("{");
    EXPECT_THAT(winnow::problems_of_lock<Models>(path), HasSubstr(path + ": this is no lock file"));
    (void)std::remove(path.c_str());
}

}  // namespace
