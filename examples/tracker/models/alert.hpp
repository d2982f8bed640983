// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <winnow/winnow.hpp>

namespace tracker {

/// A question asked of the events again and again.
struct AlertRule {
    std::int64_t id;
    std::int64_t organization_id;
    std::optional<std::int64_t> team_id;
    std::string name;
    std::string query;
    winnow::object_status status;
};
WINNOW_DESCRIBE(AlertRule, id, organization_id, team_id, name, query, status)

/// The level at which a rule calls for attention.
struct AlertRuleTrigger {
    std::int64_t id;
    std::int64_t alert_rule_id;
    std::string label;
    double threshold;
};
WINNOW_DESCRIBE(AlertRuleTrigger, id, alert_rule_id, label, threshold)

/// Whom a trigger tells.
struct TriggerAction {
    std::int64_t id;
    std::int64_t alert_rule_trigger_id;
    std::int32_t kind;
    std::string target;
};
WINNOW_DESCRIBE(TriggerAction, id, alert_rule_trigger_id, kind, target)

/// A rule that fired. It is history, so it outlives its rule.
struct Incident {
    std::int64_t id;
    std::int64_t organization_id;
    std::optional<std::int64_t> alert_rule_id;
    std::string title;
    std::int32_t status;
    winnow::timestamp detected_at;
};
WINNOW_DESCRIBE(Incident, id, organization_id, alert_rule_id, title, status, detected_at)

struct IncidentActivity {
    std::int64_t id;
    std::int64_t incident_id;
    std::int32_t kind;
    std::optional<double> value;
    winnow::timestamp created_at;
};
WINNOW_DESCRIBE(IncidentActivity, id, incident_id, kind, value, created_at)

}  // namespace tracker

template <> struct winnow::model<tracker::TriggerAction> {
    static constexpr text key = "tracker.TriggerAction";
    static constexpr auto silo = winnow::silo::cell;
};

template <> struct winnow::model<tracker::AlertRuleTrigger> {
    static constexpr text key = "tracker.AlertRuleTrigger";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&tracker::TriggerAction::alert_rule_trigger_id>);
};

template <> struct winnow::model<tracker::IncidentActivity> {
    static constexpr text key = "tracker.IncidentActivity";
    static constexpr auto silo = winnow::silo::cell;
};

template <> struct winnow::model<tracker::Incident> {
    static constexpr text key = "tracker.Incident";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&tracker::IncidentActivity::incident_id>);
};

template <> struct winnow::model<tracker::AlertRule> {
    static constexpr text key = "tracker.AlertRule";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto status = &tracker::AlertRule::status;
    static constexpr auto children = winnow::children(cascade<&tracker::AlertRuleTrigger::alert_rule_id>,
                                                      set_null<&tracker::Incident::alert_rule_id>);
};
