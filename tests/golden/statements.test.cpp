// SPDX-License-Identifier: Apache-2.0
// The text of every statement and of every explanation, compared with files. The files are documentation as
// well; WINNOW_GOLDEN_UPDATE=1 in the environment writes them anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "copied_models.hpp"
#include "models.hpp"
#include "winnow/derive/plans_of.hpp"
#include "winnow/derive/write.hpp"
#include "winnow/plan/explain.hpp"

namespace {

namespace files = std::filesystem;
using winnow::dialect;
using winnow::plan;

constexpr std::string_view licence = "-- SPDX-License-Identifier: Apache-2.0\n";

std::string read(const files::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// `order_line` of `shop.OrderLine`.
std::string stem_of(const plan& of) {
    std::string stem;
    for (const char c : of.key.substr(of.key.find('.') + 1)) {
        const bool upper = c >= 'A' && c <= 'Z';
        if (upper && !stem.empty()) stem += '_';
        stem += upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return stem;
}

/// The text of `actual` has to be that of the file.
void compare(const std::string& name, const std::string& actual) {
    const files::path path = files::path(WINNOW_GOLDEN_FILES) / name;
    const char* const update = std::getenv("WINNOW_GOLDEN_UPDATE");
    if (update != nullptr && *update == '1') {
        files::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << actual;
    }
    EXPECT_EQ(read(path), actual) << "tests/golden/" << name
                                  << " differs; if the change is wanted, run this test with WINNOW_GOLDEN_UPDATE=1";
}

/// A plan that GoogleTest prints by its key.
struct named_plan {
    const plan* of;
    const winnow::write_statements* writes = nullptr;  ///< part of the file where it is given
    friend void PrintTo(const named_plan& one, std::ostream* out) { *out << one.of->key; }
};

std::vector<named_plan> all_plans() {
    std::vector<named_plan> all;
    for (const plan& of : winnow::plans_of<shop::models>) all.push_back({&of});
    const auto add = [&]<class... Types>(winnow::registry<Types...>) {
        (all.push_back({&winnow::plan_of<depot::models, Types>(), &winnow::write_statements_of<Types>}), ...);
    };
    add(depot::models{});
    return all;
}

class golden : public testing::TestWithParam<named_plan> {
protected:
    [[nodiscard]] static const plan& of() { return *GetParam().of; }
    [[nodiscard]] static std::string statements(dialect which) {
        std::string text = std::string(licence) + explain_statements(of(), which);
        if (GetParam().writes != nullptr) text += explain_statements(*GetParam().writes, which);
        return text;
    }
};

TEST_P(golden, postgres) { compare("postgres/" + stem_of(of()) + ".sql", statements(dialect::postgres)); }

TEST_P(golden, sqlite) { compare("sqlite/" + stem_of(of()) + ".sql", statements(dialect::sqlite)); }

TEST_P(golden, explain) { compare("explain/" + stem_of(of()) + ".txt", explain(of())); }

INSTANTIATE_TEST_SUITE_P(shop, golden, testing::ValuesIn(all_plans()),
                         [](const auto& one) { return stem_of(*one.param.of); });

TEST(golden_files, belong_to_a_model) {
    std::set<std::string> known;
    for (const named_plan& one : all_plans()) known.insert(stem_of(*one.of));
    for (const char* folder : {"postgres", "sqlite", "explain"}) {
        std::set<std::string> found;
        for (const auto& file : files::directory_iterator(files::path(WINNOW_GOLDEN_FILES) / folder)) {
            found.insert(file.path().stem().string());
        }
        EXPECT_EQ(found, known) << folder;
    }
}

}  // namespace
