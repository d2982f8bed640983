// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <winnow/winnow.hpp>

#include "bookmark.hpp"

namespace tracker {

struct SavedQuery {
    std::int64_t id;
    std::int64_t organization_id;
    std::string name;
    winnow::json_text query;
};
WINNOW_DESCRIBE(SavedQuery, id, organization_id, name, query)

struct Dashboard {
    std::int64_t id;
    std::int64_t organization_id;
    std::string title;
    winnow::timestamp created_at;
};
WINNOW_DESCRIBE(Dashboard, id, organization_id, title, created_at)

struct DashboardWidget {
    std::int64_t id;
    std::int64_t dashboard_id;
    std::string title;
    std::int32_t kind;
    std::int32_t position;
};
WINNOW_DESCRIBE(DashboardWidget, id, dashboard_id, title, kind, position)

struct DashboardWidgetQuery {
    std::int64_t id;
    std::int64_t dashboard_widget_id;
    std::string conditions;
    winnow::json_text aggregates;
};
WINNOW_DESCRIBE(DashboardWidgetQuery, id, dashboard_widget_id, conditions, aggregates)

}  // namespace tracker

template <> struct winnow::model<tracker::DashboardWidgetQuery> {
    static constexpr text key = "tracker.DashboardWidgetQuery";
    static constexpr auto silo = winnow::silo::cell;
};

template <> struct winnow::model<tracker::DashboardWidget> {
    static constexpr text key = "tracker.DashboardWidget";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&tracker::DashboardWidgetQuery::dashboard_widget_id>);
};

template <> struct winnow::model<tracker::Dashboard> {
    static constexpr text key = "tracker.Dashboard";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children =
        winnow::children(cascade<&tracker::DashboardWidget::dashboard_id>,
                         cascade<&tracker::Bookmark::target_id>.where<&tracker::Bookmark::target_kind>(
                             tracker::bookmark_target::dashboard));
};

template <> struct winnow::model<tracker::SavedQuery> {
    static constexpr text key = "tracker.SavedQuery";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children =
        winnow::children(cascade<&tracker::Bookmark::target_id>.where<&tracker::Bookmark::target_kind>(
            tracker::bookmark_target::saved_query));
};
