// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <winnow/winnow.hpp>

#include "models/account.hpp"
#include "models/alert.hpp"
#include "models/attachment.hpp"
#include "models/bookmark.hpp"
#include "models/copies.hpp"
#include "models/dashboard.hpp"
#include "models/environment.hpp"
#include "models/issue.hpp"
#include "models/monitor.hpp"
#include "models/organization.hpp"
#include "models/project.hpp"
#include "models/release.hpp"

namespace tracker {

/// Everything the tracker stores, proved as one graph when this file is compiled.
using Models = winnow::registry<
    // accounts (control silo)
    User, UserEmail, ApiToken,
    // copies of rows of the other silo
    OrganizationMapping, UserCopy,
    // organizations and people
    Organization, Team, OrganizationMember, TeamMember, LegalHold,
    // projects
    Project, ProjectTeam, ProjectKey, ProjectOption,
    // environments and releases
    Environment, EnvironmentProject, Release, ReleaseProject, ReleaseFile, Deploy,
    // issues
    Group, GroupHash, Event, Attachment, Activity, GroupAssignee, GroupSubscription, UserReport, Comment,
    // alerts and monitors
    AlertRule, AlertRuleTrigger, TriggerAction, Incident, IncidentActivity, Monitor, MonitorCheckin,
    // dashboards and saved things
    SavedQuery, Dashboard, DashboardWidget, DashboardWidgetQuery, Bookmark>;

}  // namespace tracker
