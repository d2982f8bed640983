// SPDX-License-Identifier: Apache-2.0
#include "integration/outbox/domain.hpp"

#include <optional>
#include <vector>

#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

namespace outbox_domain {

enum class Scope { organization = 0, queue = 1, user = 2 };
enum class Category {
    org_update = 0,
    project_update = 1,
    note_update = 2,
    audit = 3,
    ticket_update = 4,
    slot_update = 5,
    user_update = 6
};

// cell → control, copied
struct Org {
    std::int64_t id;
    std::string slug;
    std::optional<std::string> note;
};
struct OrgCopy {
    std::int64_t id;
    std::int64_t org_id;
    std::string slug;
    std::string cell;
    std::optional<std::string> note;
};
struct Project {
    std::int64_t id;
    std::int64_t org_id;
    std::string name;
};
struct ProjectCopy {
    std::int64_t project_id;
    std::int64_t org_id;
    std::string name;
};
// cell → control, by a handler: the newest state, and every event
struct Note {
    std::int64_t id;
    std::int64_t org_id;
    std::string body;
};
struct Audit {
    std::int64_t id;
    std::int64_t org_id;
    std::string body;
};
// cell → control, in strict order: by a handler, and copied
struct Ticket {
    std::int64_t id;
    std::int64_t queue_id;
    std::string body;
};
struct Slot {
    std::int64_t id;
    std::int64_t queue_id;
    std::string body;
};
struct SlotCopy {
    std::int64_t slot_id;
    std::string body;
};
// control → each cell
struct User {
    std::int64_t id;
    std::string email;
};
struct UserCopy {
    std::int64_t user_id;
    std::string cell;
    std::string email;
};
WINNOW_DESCRIBE(Org, id, slug, note)
WINNOW_DESCRIBE(OrgCopy, id, org_id, slug, cell, note)
WINNOW_DESCRIBE(Project, id, org_id, name)
WINNOW_DESCRIBE(ProjectCopy, project_id, org_id, name)
WINNOW_DESCRIBE(Note, id, org_id, body)
WINNOW_DESCRIBE(Audit, id, org_id, body)
WINNOW_DESCRIBE(Ticket, id, queue_id, body)
WINNOW_DESCRIBE(Slot, id, queue_id, body)
WINNOW_DESCRIBE(SlotCopy, slot_id, body)
WINNOW_DESCRIBE(User, id, email)
WINNOW_DESCRIBE(UserCopy, user_id, cell, email)

spy& hooks() {
    static spy one;
    return one;
}

namespace {

void replicate(std::string_view model, std::int64_t id, const std::string& text, winnow::delivery& about) {
    if (hooks().replicate) hooks().replicate(model, id, text, about);
}
void erased(std::string_view model, std::int64_t id, winnow::delivery& about) {
    if (hooks().erased) hooks().erased(model, id, about);
}

}  // namespace

}  // namespace outbox_domain

using namespace outbox_domain;

template <> struct winnow::categories<Category> {
    static constexpr auto scopes =
        winnow::scopes(scope<Scope::organization, Category::org_update, Category::project_update, Category::note_update,
                             Category::audit>,
                       scope<Scope::queue, Category::ticket_update, Category::slot_update>.strict(),
                       scope<Scope::user, Category::user_update>);
    static constexpr auto every_event = winnow::events<Category::audit>;
};
template <> struct winnow::model<Org> {
    static constexpr text key = "t.Org";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr int replication_version = 2;
    static constexpr auto replication = replicates<Category::org_update>(
        shard<&Org::id>, mirror<OrgCopy>(map<&Org::id, &OrgCopy::org_id>, map<&Org::slug, &OrgCopy::slug>,
                                         map<&Org::note, &OrgCopy::note>, from_cell<&OrgCopy::cell>));
};
template <> struct winnow::model<OrgCopy> {
    static constexpr text key = "t.OrgCopy";
    static constexpr text table = "t_org_copy";
    static constexpr auto silo = winnow::silo::control;
};
template <> struct winnow::model<Project> {
    static constexpr text key = "t.Project";
    static constexpr auto unrelated = winnow::unrelated<&Project::org_id>;
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto replication = replicates<Category::project_update>(
        shard<&Project::org_id>,
        mirror<ProjectCopy>(map<&Project::id, &ProjectCopy::project_id>, map<&Project::org_id, &ProjectCopy::org_id>,
                            map<&Project::name, &ProjectCopy::name>));
};
template <> struct winnow::model<ProjectCopy> {
    static constexpr text key = "t.ProjectCopy";
    static constexpr text table = "t_project_copy";
    static constexpr auto primary_key = winnow::primary_key<&ProjectCopy::project_id>;
    static constexpr auto silo = winnow::silo::control;
};
template <> struct winnow::model<Note> {
    static constexpr text key = "t.Note";
    static constexpr auto unrelated = winnow::unrelated<&Note::org_id>;
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto replication = replicates<Category::note_update>(shard<&Note::org_id>, payload<&Note::body>);
    static void replicate(const Note& row, winnow::delivery& about) {
        outbox_domain::replicate("t.Note", row.id, row.body, about);
    }
    static void on_remote_deletion(std::int64_t id, winnow::delivery& about) {
        outbox_domain::erased("t.Note", id, about);
    }
};
template <> struct winnow::model<Audit> {
    static constexpr text key = "t.Audit";
    static constexpr auto unrelated = winnow::unrelated<&Audit::org_id>;
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto replication = replicates<Category::audit>(shard<&Audit::org_id>, payload<&Audit::body>);
    static void replicate(const Audit& row, winnow::delivery& about) {
        outbox_domain::replicate("t.Audit", row.id, row.body, about);
    }
    static void on_remote_deletion(std::int64_t id, winnow::delivery& about) {
        outbox_domain::erased("t.Audit", id, about);
    }
};
template <> struct winnow::model<Ticket> {
    static constexpr text key = "t.Ticket";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto replication = replicates<Category::ticket_update>(shard<&Ticket::queue_id>);
    static void replicate(const Ticket& row, winnow::delivery& about) {
        outbox_domain::replicate("t.Ticket", row.id, row.body, about);
    }
};
template <> struct winnow::model<Slot> {
    static constexpr text key = "t.Slot";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto replication = replicates<Category::slot_update>(
        shard<&Slot::queue_id>,
        mirror<SlotCopy>(map<&Slot::id, &SlotCopy::slot_id>, map<&Slot::body, &SlotCopy::body>));
};
template <> struct winnow::model<SlotCopy> {
    static constexpr text key = "t.SlotCopy";
    static constexpr text table = "t_slot_copy";
    static constexpr auto primary_key = winnow::primary_key<&SlotCopy::slot_id>;
    static constexpr auto silo = winnow::silo::control;
};
template <> struct winnow::model<User> {
    static constexpr text key = "t.User";
    static constexpr auto silo = winnow::silo::control;
    static constexpr auto replication = replicates<Category::user_update>(
        shard<&User::id>, mirror<UserCopy>(map<&User::id, &UserCopy::user_id>, map<&User::email, &UserCopy::email>,
                                           from_cell<&UserCopy::cell>));
};
template <> struct winnow::model<UserCopy> {
    static constexpr text key = "t.UserCopy";
    static constexpr text table = "t_user_copy";
    static constexpr auto primary_key = winnow::primary_key<&UserCopy::user_id, &UserCopy::cell>;
    static constexpr auto silo = winnow::silo::cell;
};

using Models =
    winnow::registry<Org, OrgCopy, Project, ProjectCopy, Note, Audit, Ticket, Slot, SlotCopy, User, UserCopy>;
static_assert(Models::proved);

namespace outbox_domain {

const winnow::catalog& models() {
    static const winnow::catalog all{std::span<const winnow::plan>(winnow::plans_of<Models>)};
    return all;
}

const winnow::catalog& older_models() {
    static const winnow::replication older = [] {
        winnow::replication made = *models()[models().at("t.Org")].replication;
        made.version = 1;
        return made;
    }();
    static const std::vector<winnow::plan> plans = [] {
        std::vector<winnow::plan> made;
        for (std::size_t i = 0; i < models().size(); ++i) {
            made.push_back(models()[i]);
            if (made.back().key == "t.Org") made.back().replication = &older;
        }
        return made;
    }();
    static const winnow::catalog all{std::span<const winnow::plan>(plans)};
    return all;
}

const winnow::catalog& older_models_in_schema() {
    static const std::vector<winnow::plan> plans = [] {
        std::vector<winnow::plan> made;
        for (std::size_t i = 0; i < older_models().size(); ++i) {
            made.push_back(older_models()[i]);
            if (made.back().key == "t.Org") made.back().schema = {"app", "app"};
        }
        return made;
    }();
    static const winnow::catalog all{std::span<const winnow::plan>(plans)};
    return all;
}

const winnow::catalog& fewer_models() {
    static const std::vector<winnow::plan> plans = [] {
        std::vector<winnow::plan> made;
        for (std::size_t i = 0; i < models().size(); ++i)
            if (models()[i].key != "t.Note") made.push_back(models()[i]);
        return made;
    }();
    static const winnow::catalog all{std::span<const winnow::plan>(plans)};
    return all;
}

}  // namespace outbox_domain
