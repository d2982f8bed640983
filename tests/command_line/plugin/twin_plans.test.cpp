// SPDX-License-Identifier: Apache-2.0
// A plan that has gone through the plugin contract is the plan that was compiled: what it says of itself, every statement of
// both databases, and what a copy is made of.
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "examples/tracker/registry.hpp"
#include "plugin_programs.hpp"
#include "plugins/access_log/access_log.hpp"
#include "plugins/access_log/schema.hpp"
#include "plugins/notes/notes.hpp"
#include "plugins/notes/schema.hpp"
#include "plugins/project_notes/project_notes.hpp"
#include "plugins/project_notes/schema.hpp"
#include "winnow/derive/plans_of.hpp"
#include "winnow/plan/explain.hpp"
#include "winnow/plugin/loader.hpp"

namespace {

using namespace winnow_test;

void expect_same(std::span<const winnow::plan> wanted, const winnow::model_part& found) {
    ASSERT_EQ(found.plans.size(), wanted.size());
    for (std::size_t at = 0; at < wanted.size(); ++at) {
        SCOPED_TRACE(wanted[at].key);
        EXPECT_EQ(winnow::explain(found.plans[at]), winnow::explain(wanted[at]));
        for (const dialect which : {dialect::sqlite, dialect::postgres})
            EXPECT_EQ(winnow::explain_statements(found.plans[at], which),
                      winnow::explain_statements(wanted[at], which));
        ASSERT_EQ(found.plans[at].replication == nullptr, wanted[at].replication == nullptr);
        if (wanted[at].replication != nullptr) {
            EXPECT_EQ(found.plans[at].replication->fingerprint, wanted[at].replication->fingerprint);
            EXPECT_EQ(found.plans[at].replication->version, wanted[at].replication->version);
        }
    }
}
void expect_same(std::span<const winnow::migration> wanted, std::span<const winnow::migration> found) {
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t at = 0; at < wanted.size(); ++at) {
        EXPECT_EQ(found[at].name, wanted[at].name);
        EXPECT_EQ(found[at].silo, wanted[at].silo) << wanted[at].name;
        EXPECT_EQ(found[at].script.postgres, wanted[at].script.postgres) << wanted[at].name;
        EXPECT_EQ(found[at].script.sqlite, wanted[at].script.sqlite) << wanted[at].name;
    }
}

const winnow::model_part& part(const winnow::loaded_models& of, std::string_view name) {
    for (const winnow::model_part& one : of.models.parts())
        if (one.name == name) return one;
    throw std::runtime_error("no part " + std::string(name));
}

TEST(twin_plans, of_the_plugins_are_the_compiled_ones) {
    winnow::plugin_loader loader({{.plans = winnow::plans_of<tracker::Models>}});
    loader.load({plugin_file("project_notes"), plugin_file("access_log"), plugin_file("notes")});
    const std::shared_ptr<const winnow::loaded_models> now = loader.current();
    EXPECT_EQ(now->models.size(), winnow::plans_of<tracker::Models>.size() + 6);
    expect_same(winnow::plans_of<notes::Models>, part(*now, "notes"));
    expect_same(winnow::plans_of<access_log::Models>, part(*now, "access_log"));
    expect_same(winnow::plans_of<project_notes::Models>, part(*now, "project_notes"));
    expect_same(notes::migrations, part(*now, "notes").migrations);
    expect_same(access_log::migrations, part(*now, "access_log").migrations);
    expect_same(project_notes::migrations, part(*now, "project_notes").migrations);
    ASSERT_EQ(part(*now, "notes").options.size(), notes::options.size());
    for (std::size_t at = 0; at < notes::options.size(); ++at) {
        EXPECT_EQ(part(*now, "notes").options[at].name, notes::options[at].name);
        EXPECT_EQ(part(*now, "notes").options[at].kind, notes::options[at].kind);
        EXPECT_EQ(part(*now, "notes").options[at].otherwise, notes::options[at].otherwise);
        EXPECT_EQ(part(*now, "notes").options[at].meaning, notes::options[at].meaning);
    }
}

TEST(twin_plans, of_all_models_of_the_tracker_are_the_compiled_ones) {
    if (!std::filesystem::exists(plugin_file("tracker_models"))) GTEST_SKIP() << "the examples were not built";
    winnow::plugin_loader loader(std::vector<winnow::model_part>{});
    loader.load({plugin_file("tracker_models")});
    expect_same(winnow::plans_of<tracker::Models>, part(*loader.current(), "tracker"));
}

}  // namespace
