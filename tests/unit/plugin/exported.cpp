// SPDX-License-Identifier: Apache-2.0
#include "exported.hpp"

#include "winnow/plugin/export.hpp"

namespace exported {

std::vector<record> calls;
std::function<void(const note&, winnow::delivery&)> on_replicate;
std::function<void(std::int64_t, winnow::delivery&)> on_erased;
std::string start_word;
std::string stop_word;

namespace {

constexpr winnow::migration steps[] = {
    {"table of notes", winnow::silo::cell, {"CREATE TABLE exported_note ()", "CREATE TABLE exported_note (id)"}},
    {"index for one", winnow::silo::control, {"CREATE INDEX i ON exported_note (id)", ""}},
};
constexpr winnow::part_option options[] = {
    {"exported.most", winnow::option_kind::integer, "12", "most notes at once"},
    {"exported.strict", winnow::option_kind::boolean, "true", "refuse what is in doubt"},
    {"exported.words", winnow::option_kind::text_list, "a,b", "words"},
};

void start(winnow::plugin_host host) {
    host.log(winnow::log_level::warning, "starting in " + std::string(host.name()));
    obey(start_word);
}
void stop(winnow::plugin_host) { obey(stop_word); }

}  // namespace

}  // namespace exported

WINNOW_PLUGIN(exported::models, .name = "exported", .version = "2.1.0", .description = "A plugin for tests",
              .migrations = exported::steps, .options = exported::options, .start = &exported::start,
              .stop = &exported::stop)
