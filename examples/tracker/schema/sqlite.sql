-- SPDX-License-Identifier: Apache-2.0
-- The error tracker on SQLite. Every column that a relation walks has an index: without one each
-- chunk of a deletion reads the whole table.
-- AUTOINCREMENT: a freed key is never given to another row, so a scheduled deletion cannot hit a stranger.

-- Accounts: the control silo.
CREATE TABLE IF NOT EXISTS tracker_user (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    username TEXT NOT NULL,
    name TEXT NOT NULL,
    is_active BOOLEAN NOT NULL,
    joined_at TIMESTAMP NOT NULL,
    UNIQUE (username)
);
CREATE TABLE IF NOT EXISTS tracker_useremail (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES tracker_user (id),
    email TEXT NOT NULL,
    is_verified BOOLEAN NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_useremail_user_id_index ON tracker_useremail (user_id);
CREATE TABLE IF NOT EXISTS tracker_apitoken (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES tracker_user (id),
    token_hash TEXT NOT NULL,
    scopes TEXT NOT NULL,
    expires_at TIMESTAMP
);
CREATE INDEX IF NOT EXISTS tracker_apitoken_user_id_index ON tracker_apitoken (user_id);

-- Copies of rows of the other silo.
CREATE TABLE IF NOT EXISTS tracker_organizationmapping (
    cell TEXT NOT NULL,
    organization_id INTEGER NOT NULL,
    slug TEXT NOT NULL,
    name TEXT NOT NULL,
    status INTEGER NOT NULL,
    PRIMARY KEY (cell, organization_id)
);
CREATE TABLE IF NOT EXISTS tracker_usercopy (
    user_id INTEGER NOT NULL PRIMARY KEY,
    username TEXT NOT NULL,
    name TEXT NOT NULL,
    is_active BOOLEAN NOT NULL
);

-- Organizations and people.
CREATE TABLE IF NOT EXISTS tracker_organization (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    guid TEXT NOT NULL,
    slug TEXT NOT NULL,
    name TEXT NOT NULL,
    status INTEGER NOT NULL,
    default_team_id INTEGER REFERENCES tracker_team (id),
    created_at TIMESTAMP NOT NULL,
    UNIQUE (guid),
    UNIQUE (slug)
);
CREATE INDEX IF NOT EXISTS tracker_organization_default_team_id_index ON tracker_organization (default_team_id);
CREATE TABLE IF NOT EXISTS tracker_team (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id INTEGER NOT NULL REFERENCES tracker_organization (id),
    slug TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (organization_id, slug)
);
CREATE TABLE IF NOT EXISTS tracker_organizationmember (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id INTEGER NOT NULL REFERENCES tracker_organization (id),
    user_id INTEGER NOT NULL,
    role INTEGER NOT NULL,
    joined_at TIMESTAMP NOT NULL,
    UNIQUE (organization_id, user_id)
);
CREATE INDEX IF NOT EXISTS tracker_organizationmember_user_id_index ON tracker_organizationmember (user_id);
CREATE TABLE IF NOT EXISTS tracker_teammember (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    team_id INTEGER NOT NULL REFERENCES tracker_team (id),
    organization_member_id INTEGER NOT NULL REFERENCES tracker_organizationmember (id),
    UNIQUE (team_id, organization_member_id)
);
CREATE INDEX IF NOT EXISTS tracker_teammember_organization_member_id_index ON tracker_teammember (organization_member_id);
CREATE TABLE IF NOT EXISTS tracker_legalhold (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id INTEGER NOT NULL REFERENCES tracker_organization (id),
    reason TEXT NOT NULL,
    placed_at TIMESTAMP NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_legalhold_organization_id_index ON tracker_legalhold (organization_id);

-- Projects.
CREATE TABLE IF NOT EXISTS tracker_project (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id INTEGER NOT NULL REFERENCES tracker_organization (id),
    guid TEXT NOT NULL,
    slug TEXT NOT NULL,
    platform TEXT NOT NULL,
    status INTEGER NOT NULL,
    has_monitors BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL,
    UNIQUE (guid),
    UNIQUE (organization_id, slug)
);
CREATE TABLE IF NOT EXISTS tracker_projectteam (
    project_id INTEGER NOT NULL REFERENCES tracker_project (id),
    team_id INTEGER NOT NULL REFERENCES tracker_team (id),
    added_at TIMESTAMP NOT NULL,
    PRIMARY KEY (project_id, team_id)
);
CREATE INDEX IF NOT EXISTS tracker_projectteam_team_id_index ON tracker_projectteam (team_id);
CREATE TABLE IF NOT EXISTS tracker_projectkey (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES tracker_project (id),
    public_key TEXT NOT NULL,
    is_active BOOLEAN NOT NULL,
    rate_limit INTEGER,
    UNIQUE (public_key)
);
CREATE INDEX IF NOT EXISTS tracker_projectkey_project_id_index ON tracker_projectkey (project_id);
CREATE TABLE IF NOT EXISTS tracker_projectoption (
    project_id INTEGER NOT NULL REFERENCES tracker_project (id),
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (project_id, name)
);

-- Environments and releases.
CREATE TABLE IF NOT EXISTS tracker_environment (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id INTEGER NOT NULL REFERENCES tracker_organization (id),
    name TEXT NOT NULL,
    UNIQUE (organization_id, name)
);
CREATE TABLE IF NOT EXISTS tracker_environmentproject (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    environment_id INTEGER NOT NULL REFERENCES tracker_environment (id),
    project_id INTEGER NOT NULL REFERENCES tracker_project (id),
    is_hidden BOOLEAN NOT NULL,
    UNIQUE (environment_id, project_id)
);
CREATE INDEX IF NOT EXISTS tracker_environmentproject_project_id_index ON tracker_environmentproject (project_id);
CREATE TABLE IF NOT EXISTS tracker_release (
    version TEXT NOT NULL,
    organization_id INTEGER NOT NULL REFERENCES tracker_organization (id),
    commit_hash TEXT NOT NULL,
    released_at TIMESTAMP NOT NULL,
    PRIMARY KEY (version)
);
CREATE INDEX IF NOT EXISTS tracker_release_organization_id_index ON tracker_release (organization_id);
CREATE TABLE IF NOT EXISTS tracker_releaseproject (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    release_version TEXT NOT NULL REFERENCES tracker_release (version),
    project_id INTEGER NOT NULL REFERENCES tracker_project (id),
    new_groups INTEGER NOT NULL,
    UNIQUE (release_version, project_id)
);
CREATE INDEX IF NOT EXISTS tracker_releaseproject_project_id_index ON tracker_releaseproject (project_id);
CREATE TABLE IF NOT EXISTS tracker_releasefile (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    release_version TEXT NOT NULL REFERENCES tracker_release (version),
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    size INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_releasefile_release_version_index ON tracker_releasefile (release_version);
CREATE TABLE IF NOT EXISTS tracker_deploy (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    release_version TEXT NOT NULL REFERENCES tracker_release (version),
    environment_id INTEGER NOT NULL REFERENCES tracker_environment (id),
    finished_at TIMESTAMP NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_deploy_release_version_index ON tracker_deploy (release_version);
CREATE INDEX IF NOT EXISTS tracker_deploy_environment_id_index ON tracker_deploy (environment_id);

-- Issues: the table is called "group", a reserved word.
CREATE TABLE IF NOT EXISTS "group" (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES tracker_project (id),
    title TEXT NOT NULL,
    culprit TEXT NOT NULL,
    level INTEGER NOT NULL,
    status INTEGER NOT NULL,
    times_seen INTEGER NOT NULL,
    first_seen TIMESTAMP NOT NULL,
    last_seen TIMESTAMP NOT NULL,
    first_release_version TEXT REFERENCES tracker_release (version)
);
CREATE INDEX IF NOT EXISTS tracker_group_project_id_index ON "group" (project_id);
CREATE INDEX IF NOT EXISTS tracker_group_first_release_version_index ON "group" (first_release_version);
CREATE TABLE IF NOT EXISTS tracker_grouphash (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES tracker_project (id),
    group_id INTEGER REFERENCES "group" (id),
    hash TEXT NOT NULL,
    UNIQUE (project_id, hash)
);
CREATE INDEX IF NOT EXISTS tracker_grouphash_group_id_index ON tracker_grouphash (group_id);
CREATE TABLE IF NOT EXISTS tracker_event (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES tracker_project (id),
    group_id INTEGER REFERENCES "group" (id),
    guid TEXT NOT NULL,
    environment TEXT NOT NULL,
    message TEXT NOT NULL,
    payload TEXT NOT NULL,
    received_at TIMESTAMP NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_event_project_id_index ON tracker_event (project_id);
CREATE INDEX IF NOT EXISTS tracker_event_group_id_index ON tracker_event (group_id);
CREATE TABLE IF NOT EXISTS tracker_attachment (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES tracker_project (id),
    group_id INTEGER REFERENCES "group" (id),
    event_guid TEXT NOT NULL,
    name TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_attachment_project_id_index ON tracker_attachment (project_id);
CREATE INDEX IF NOT EXISTS tracker_attachment_group_id_index ON tracker_attachment (group_id);
CREATE TABLE IF NOT EXISTS tracker_activity (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES tracker_project (id),
    group_id INTEGER REFERENCES "group" (id),
    user_id INTEGER,
    kind INTEGER NOT NULL,
    data TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_activity_user_id_index ON tracker_activity (user_id);
CREATE INDEX IF NOT EXISTS tracker_activity_project_id_index ON tracker_activity (project_id);
CREATE INDEX IF NOT EXISTS tracker_activity_group_id_index ON tracker_activity (group_id);
CREATE TABLE IF NOT EXISTS tracker_groupassignee (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    group_id INTEGER NOT NULL REFERENCES "group" (id),
    team_id INTEGER REFERENCES tracker_team (id),
    organization_member_id INTEGER REFERENCES tracker_organizationmember (id),
    assigned_at TIMESTAMP NOT NULL,
    UNIQUE (group_id)
);
CREATE INDEX IF NOT EXISTS tracker_groupassignee_team_id_index ON tracker_groupassignee (team_id);
CREATE INDEX IF NOT EXISTS tracker_groupassignee_organization_member_id_index ON tracker_groupassignee (organization_member_id);
CREATE TABLE IF NOT EXISTS tracker_groupsubscription (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    group_id INTEGER NOT NULL REFERENCES "group" (id),
    user_id INTEGER NOT NULL,
    reason INTEGER NOT NULL,
    UNIQUE (group_id, user_id)
);
CREATE INDEX IF NOT EXISTS tracker_groupsubscription_user_id_index ON tracker_groupsubscription (user_id);
CREATE TABLE IF NOT EXISTS tracker_userreport (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES tracker_project (id),
    group_id INTEGER REFERENCES "group" (id),
    event_guid TEXT NOT NULL,
    email TEXT NOT NULL,
    comments TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_userreport_project_id_index ON tracker_userreport (project_id);
CREATE INDEX IF NOT EXISTS tracker_userreport_group_id_index ON tracker_userreport (group_id);
CREATE TABLE IF NOT EXISTS tracker_comment (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    group_id INTEGER NOT NULL REFERENCES "group" (id),
    parent_id INTEGER REFERENCES tracker_comment (id),
    user_id INTEGER NOT NULL,
    body TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_comment_group_id_index ON tracker_comment (group_id);
CREATE INDEX IF NOT EXISTS tracker_comment_parent_id_index ON tracker_comment (parent_id);

-- Alerts.
CREATE TABLE IF NOT EXISTS tracker_alertrule (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id INTEGER NOT NULL REFERENCES tracker_organization (id),
    team_id INTEGER REFERENCES tracker_team (id),
    name TEXT NOT NULL,
    query TEXT NOT NULL,
    status INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_alertrule_organization_id_index ON tracker_alertrule (organization_id);
CREATE INDEX IF NOT EXISTS tracker_alertrule_team_id_index ON tracker_alertrule (team_id);
CREATE TABLE IF NOT EXISTS tracker_alertruletrigger (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    alert_rule_id INTEGER NOT NULL REFERENCES tracker_alertrule (id),
    label TEXT NOT NULL,
    threshold REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_alertruletrigger_alert_rule_id_index ON tracker_alertruletrigger (alert_rule_id);
CREATE TABLE IF NOT EXISTS tracker_triggeraction (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    alert_rule_trigger_id INTEGER NOT NULL REFERENCES tracker_alertruletrigger (id),
    kind INTEGER NOT NULL,
    target TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_triggeraction_alert_rule_trigger_id_index ON tracker_triggeraction (alert_rule_trigger_id);
CREATE TABLE IF NOT EXISTS tracker_incident (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id INTEGER NOT NULL REFERENCES tracker_organization (id),
    alert_rule_id INTEGER REFERENCES tracker_alertrule (id),
    title TEXT NOT NULL,
    status INTEGER NOT NULL,
    detected_at TIMESTAMP NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_incident_organization_id_index ON tracker_incident (organization_id);
CREATE INDEX IF NOT EXISTS tracker_incident_alert_rule_id_index ON tracker_incident (alert_rule_id);
CREATE TABLE IF NOT EXISTS tracker_incidentactivity (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    incident_id INTEGER NOT NULL REFERENCES tracker_incident (id),
    kind INTEGER NOT NULL,
    value REAL,
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_incidentactivity_incident_id_index ON tracker_incidentactivity (incident_id);

-- Monitors.
CREATE TABLE IF NOT EXISTS tracker_monitor (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES tracker_project (id),
    slug TEXT NOT NULL,
    schedule TEXT NOT NULL,
    status INTEGER NOT NULL,
    UNIQUE (project_id, slug)
);
CREATE TABLE IF NOT EXISTS tracker_monitorcheckin (
    guid TEXT NOT NULL,
    monitor_id INTEGER NOT NULL REFERENCES tracker_monitor (id),
    status INTEGER NOT NULL,
    duration_ms INTEGER,
    checked_at TIMESTAMP NOT NULL,
    PRIMARY KEY (guid)
);
CREATE INDEX IF NOT EXISTS tracker_monitorcheckin_monitor_id_index ON tracker_monitorcheckin (monitor_id);

-- Dashboards and saved things.
CREATE TABLE IF NOT EXISTS tracker_savedquery (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id INTEGER NOT NULL REFERENCES tracker_organization (id),
    name TEXT NOT NULL,
    query TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_savedquery_organization_id_index ON tracker_savedquery (organization_id);
CREATE TABLE IF NOT EXISTS tracker_dashboard (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id INTEGER NOT NULL REFERENCES tracker_organization (id),
    title TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_dashboard_organization_id_index ON tracker_dashboard (organization_id);
CREATE TABLE IF NOT EXISTS tracker_dashboardwidget (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dashboard_id INTEGER NOT NULL REFERENCES tracker_dashboard (id),
    title TEXT NOT NULL,
    kind INTEGER NOT NULL,
    position INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_dashboardwidget_dashboard_id_index ON tracker_dashboardwidget (dashboard_id);
CREATE TABLE IF NOT EXISTS tracker_dashboardwidgetquery (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dashboard_widget_id INTEGER NOT NULL REFERENCES tracker_dashboardwidget (id),
    conditions TEXT NOT NULL,
    aggregates TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_dashboardwidgetquery_dashboard_widget_id_index ON tracker_dashboardwidgetquery (dashboard_widget_id);

-- Bookmarks point at several tables: the kind says which, so no foreign key can guard target_id.
CREATE TABLE IF NOT EXISTS tracker_bookmark (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_member_id INTEGER NOT NULL REFERENCES tracker_organizationmember (id),
    target_kind INTEGER NOT NULL,
    target_id INTEGER NOT NULL,
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX IF NOT EXISTS tracker_bookmark_organization_member_id_index ON tracker_bookmark (organization_member_id);
CREATE INDEX IF NOT EXISTS tracker_bookmark_target_index ON tracker_bookmark (target_kind, target_id);
