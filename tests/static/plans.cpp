// SPDX-License-Identifier: Apache-2.0
// Plans, and exact statements of both dialects at compile time.
#include "domain.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "winnow/derive/plans_of.hpp"

bool has_events(const Project& project) { return !project.name.empty(); }

template <> struct winnow::model<Comment> {
    static constexpr text key = "tracker.Comment";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto unrelated = winnow::unrelated<&Comment::event_id>;
    static constexpr auto children = winnow::children(cascade<&Comment::parent_id>);
};
template <> struct winnow::model<Event> {
    static constexpr text key = "tracker.Event";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto unrelated = winnow::unrelated<&Event::project_id>;
};
template <> struct winnow::model<Project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto status = &Project::status;
    static constexpr auto children =
        winnow::children(cascade<&Event::project_id>.where<&Event::kind>(-3).when<&has_events>(),
                         restrict_<&Comment::project_slug, &Project::slug>);
    static bool should_proceed(const Project& project) { return is_deleting(project.status); }
};

namespace {

using winnow::dialect;
using winnow::strategy;

using Models = winnow::registry<Project, Event, Comment>;
constexpr const auto& plans = winnow::plans_of<Models>;
constexpr const winnow::plan& project = winnow::plan_of<Models, Project>();
constexpr const winnow::plan& event = winnow::plan_of<Models, Event>();
constexpr const winnow::plan& comment = winnow::plan_of<Models, Comment>();

static_assert(plans.size() == 3);
static_assert(&project == &plans[0]);

// Strategy and limits.
static_assert(project.strategy == strategy::per_row && project.chunk_size == 1'000 && project.query_limit == 1'000);
static_assert(event.strategy == strategy::bulk && event.chunk_size == 10'000);
static_assert(!event.strategy_reason.empty());

// The key first, then what relations refer to.
static_assert(project.identity.size() == 2 && project.identity[0] == 0 && project.identity[1] == 2);
static_assert(comment.identity.size() == 1);

// Exact statements.
static_assert(
    project.statements.read.postgres ==
    R"(SELECT "id", "name", "slug", "status" FROM "tracker_project" WHERE "id" = ANY($1::bigint[]) ORDER BY "id")");
static_assert(project.statements.lock.postgres ==
              R"(SELECT "id", "slug" FROM "tracker_project" WHERE "id" = ANY($1::bigint[]) ORDER BY "id" FOR UPDATE)");
static_assert(project.statements.remove.sqlite ==
              R"(DELETE FROM "tracker_project" WHERE "id" IN (SELECT value FROM json_each(?1)))");
static_assert(project.relations[0].statements.remove.postgres ==
              R"(DELETE FROM "tracker_event" WHERE "project_id" = ANY($1::bigint[]) AND "kind" = -3)");
static_assert(project.relations[1].statements.remove.empty());
static_assert(event.statements.mark.empty() && !project.statements.mark.empty());
static_assert(!comment.relations[0].statements.descend.empty());

/// True if `text` is what `write` appends.
template <class Write> constexpr bool same(std::string_view text, const Write& write) {
    std::array<char, 2048> buffer{};
    winnow::writer out{std::span<char>(buffer)};
    write(out);
    return text == std::string_view(buffer.data(), out.size());
}

// Statements are cut out of one text, and some are shared: each has to be what its writer writes.
constexpr bool all_rows_match(const winnow::plan& of) {
    for (const winnow::row_statement which : winnow::all_row_statements) {
        for (const dialect to : {dialect::postgres, dialect::sqlite}) {
            const std::string_view text = (of.statements.*winnow::member_of(which))[to];
            if (!same(text, [&](winnow::writer& out) { write_row_statement(out, which, of, to); })) return false;
        }
    }
    return true;
}
constexpr bool all_match(const winnow::relation& of, const winnow::plan& child) {
    for (const winnow::relation_statement which : winnow::all_relation_statements) {
        for (const dialect to : {dialect::postgres, dialect::sqlite}) {
            const std::string_view text = (of.statements.*winnow::member_of(which))[to];
            if (!same(text, [&](winnow::writer& out) { write_relation_statement(out, which, of, child, to); })) {
                return false;
            }
        }
    }
    return true;
}
static_assert(all_rows_match(project) && all_rows_match(event) && all_rows_match(comment));
static_assert(all_match(project.relations[0], event));
static_assert(all_match(project.relations[1], comment));
static_assert(all_match(comment.relations[0], comment));

}  // namespace
