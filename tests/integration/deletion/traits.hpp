// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integration/deletion/domain.hpp"

/// Traits of the models in domain.hpp, and their registries.

template <> struct winnow::model<domain::event> {
    static constexpr text key = "field.Event";
    static constexpr text table = "event";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<domain::issue> {
    static constexpr text key = "field.Issue";
    static constexpr text table = "issue";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&domain::event::issue_id>);
    static constexpr int chunk_size = 50;
};
template <> struct winnow::model<domain::proj> {
    static constexpr text key = "field.Proj";
    static constexpr text table = "proj";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&domain::issue::proj_id>);
};
template <> struct winnow::model<domain::org> {
    static constexpr text key = "field.Org";
    static constexpr text table = "org";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto status = &domain::org::status;
    static constexpr auto children = winnow::children(cascade<&domain::proj::org_id>);
    static bool should_proceed(const domain::org& o) {
        const auto& asked = winnow_test::spy().should_proceed;
        return asked ? asked(o.id, is_deleting(o.status)) : is_deleting(o.status);
    }
    static void pending_delete(const domain::org& o, const hook_context& context) {
        if (winnow_test::spy().pending_delete) winnow_test::spy().pending_delete(o.id, context);
    }
};

template <> struct winnow::model<domain::child> {
    static constexpr text key = "hooked.Child";
    static constexpr text table = "child";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr int chunk_size = 2;
    static void before_delete(const domain::child& c, const hook_context& context) {
        if (winnow_test::spy().before_delete) winnow_test::spy().before_delete(c.id, context);
    }
    static void after_delete(const domain::child& c, const hook_context& context) {
        if (winnow_test::spy().after_delete) winnow_test::spy().after_delete(c.id, context);
    }
};
template <> struct winnow::model<domain::parent> {
    static constexpr text key = "hooked.Parent";
    static constexpr text table = "parent";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&domain::child::parent_id>);
};

template <> struct winnow::model<domain::node> {
    static constexpr text key = "tree.Node";
    static constexpr text table = "node";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&domain::node::parent_id>);
};
template <> struct winnow::model<domain::small_node> {
    static constexpr text key = "tree.SmallNode";
    static constexpr text table = "node";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr int chunk_size = 2;
    static constexpr auto children = winnow::children(cascade<&domain::small_node::parent_id>);
};

template <> struct winnow::model<domain::memo> {
    static constexpr text key = "kinds.Memo";
    static constexpr text table = "memo";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr int chunk_size = 3;
};
template <> struct winnow::model<domain::invoice> {
    static constexpr text key = "kinds.Invoice";
    static constexpr text table = "invoice";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<domain::trace> {
    static constexpr text key = "kinds.Trace";
    static constexpr text table = "trace";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<domain::attachment> {
    static constexpr text key = "kinds.Attachment";
    static constexpr text table = "attachment";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<domain::perk> {
    static constexpr text key = "kinds.Perk";
    static constexpr text table = "perk";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<domain::doc> {
    static constexpr text key = "kinds.Doc";
    static constexpr text table = "doc";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr int chunk_size = 2;
    static constexpr auto children = winnow::children(external<domain::pages>);
};
template <> struct winnow::model<domain::owner> {
    static bool has_perks(const domain::owner& o) {
        return !winnow_test::spy().has_perks || winnow_test::spy().has_perks(o.id, o.level);
    }
    static constexpr text key = "kinds.Owner";
    static constexpr text table = "owner";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(
        external<domain::files>, cascade<&domain::doc::owner_id>, set_null<&domain::memo::owner_id>,
        restrict_<&domain::invoice::owner_id>, do_nothing<&domain::trace::owner_id>,
        cascade<&domain::attachment::object_id>.where<&domain::attachment::object_kind>(domain::target_kind::owner),
        cascade<&domain::perk::owner_id>.when<&has_perks>());
};

template <> struct winnow::model<domain::skip_event> {
    static constexpr text key = "skip.Event";
    static constexpr text table = "skip_event";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<domain::skip_group> {
    static constexpr text key = "skip.Group";
    static constexpr text table = "skip_group";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&domain::skip_event::group_id>);
};
template <> struct winnow::model<domain::skip_project> {
    static constexpr text key = "skip.Project";
    static constexpr text table = "skip_project";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(
        cascade<&domain::skip_event::project_id>, cascade<&domain::skip_group::project_id>.skip<domain::skip_event>());
};

template <> struct winnow::model<domain::booking> {
    static constexpr text key = "keys.Booking";
    static constexpr text table = "booking";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<domain::seat> {
    static constexpr text key = "keys.Seat";
    static constexpr text table = "seat";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto primary_key =
        winnow::primary_key<&domain::seat::region, &domain::seat::number, &domain::seat::place>;
    static constexpr auto children =
        winnow::children(cascade<on<&domain::booking::region, &domain::booking::number, &domain::booking::place>>);
};
template <> struct winnow::model<domain::tenant> {
    static constexpr text key = "keys.Tenant";
    static constexpr text table = "tenant";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto primary_key = winnow::primary_key<&domain::tenant::region, &domain::tenant::number>;
    static constexpr auto children = winnow::children(cascade<on<&domain::seat::region, &domain::seat::number>>);
};
template <> struct winnow::model<domain::city> {
    static constexpr text key = "keys.City";
    static constexpr text table = "city";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<domain::country> {
    static constexpr text key = "keys.Country";
    static constexpr text table = "country";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto primary_key = winnow::primary_key<&domain::country::code>;
    static constexpr auto children = winnow::children(cascade<&domain::city::country_code>);
};
template <> struct winnow::model<domain::reading> {
    static constexpr text key = "keys.Reading";
    static constexpr text table = "reading";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<domain::device> {
    static constexpr text key = "keys.Device";
    static constexpr text table = "device";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&domain::reading::device_id>);
};
template <> struct winnow::model<domain::tiny> {
    static constexpr text key = "keys.Tiny";
    static constexpr text table = "tiny";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<domain::narrow> {
    static constexpr text key = "keys.Narrow";
    static constexpr text table = "narrow";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&domain::tiny::narrow_id>);
};
template <> struct winnow::model<domain::post> {
    static constexpr text key = "keys.Post";
    static constexpr text table = "post";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<domain::item> {
    static constexpr text key = "keys.Item";
    static constexpr text table = "item";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<domain::feed> {
    static constexpr text key = "keys.Feed";
    static constexpr text table = "feed";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&domain::post::feed_slug, &domain::feed::slug>,
                                                      cascade<&domain::item::feed_code, &domain::feed::code>);
};

template <> struct winnow::model<domain::account> {
    static constexpr text key = "silos.Account";
    static constexpr text table = "account";
    static constexpr auto silo = winnow::silo::control;
};
template <> struct winnow::model<domain::team> {
    static constexpr text key = "silos.Team";
    static constexpr text table = "team";
    static constexpr auto silo = winnow::silo::cell;
};

template <> struct winnow::model<domain::thing> {
    static constexpr text key = "born.Thing";
    static constexpr text table = "thing";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto birth = &domain::thing::guid;
};

template <> struct winnow::model<domain::limited_bulk> {
    static constexpr text key = "limited.Bulk";
    static constexpr text table = "limited_bulk";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr int chunk_size = 10;
    static constexpr int query_limit = 10;
    static constexpr text rate_limit_option = "limited.bulk_rate";
};
template <> struct winnow::model<domain::limited_single> {
    static constexpr text key = "limited.Single";
    static constexpr text table = "limited_single";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr int chunk_size = 10;
    static constexpr int query_limit = 10;
    static constexpr text rate_limit_option = "limited.single_rate";
    static void before_delete(const domain::limited_single& row, const hook_context& context) {
        if (winnow_test::spy().before_delete) winnow_test::spy().before_delete(row.id, context);
    }
};
template <> struct winnow::model<domain::limited_parent> {
    static constexpr text key = "limited.Parent";
    static constexpr text table = "limited_parent";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children =
        winnow::children(cascade<&domain::limited_bulk::parent_id>, cascade<&domain::limited_single::parent_id>);
};

template <> struct winnow::model<domain::link_note> {
    static constexpr text key = "pair.Note";
    static constexpr text table = "link_note";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<domain::link> {
    static constexpr text key = "pair.Link";
    static constexpr text table = "link";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&domain::link_note::link_id>);
};
template <> struct winnow::model<domain::left> {
    static constexpr text key = "pair.Left";
    static constexpr text table = "leftside";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&domain::link::left_id>);
};
template <> struct winnow::model<domain::right> {
    static constexpr text key = "pair.Right";
    static constexpr text table = "rightside";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&domain::link::right_id>);
};

namespace domain {

using field = winnow::registry<org, proj, issue, event>;
using hooked = winnow::registry<parent, child>;
using tree = winnow::registry<node>;
using small_tree = winnow::registry<small_node>;
using kinds = winnow::registry<owner, memo, invoice, trace, attachment, perk, doc>;
using skip = winnow::registry<skip_project, skip_group, skip_event>;
using keys = winnow::registry<tenant, seat, booking, country, city, device, reading, narrow, tiny, feed, post, item>;
using silos = winnow::registry<account, team>;
using born = winnow::registry<thing>;
using limited = winnow::registry<limited_parent, limited_bulk, limited_single>;
using pair = winnow::registry<left, right, link, link_note>;

}  // namespace domain
