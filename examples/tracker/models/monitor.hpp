// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <winnow/winnow.hpp>

namespace tracker {

/// A job that reports each of its runs; silence is an error.
struct Monitor {
    std::int64_t id;
    std::int64_t project_id;
    std::string slug;
    std::string schedule;
    winnow::object_status status;
};
WINNOW_DESCRIBE(Monitor, id, project_id, slug, schedule, status)

/// One run of a monitored job. The reporting client draws the key.
struct MonitorCheckin {
    winnow::uuid guid;
    std::int64_t monitor_id;
    std::int32_t status;
    std::optional<std::int32_t> duration_ms;
    winnow::timestamp checked_at;
};
WINNOW_DESCRIBE(MonitorCheckin, guid, monitor_id, status, duration_ms, checked_at)

}  // namespace tracker

template <> struct winnow::model<tracker::MonitorCheckin> {
    static constexpr text key = "tracker.MonitorCheckin";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto primary_key = winnow::primary_key<&tracker::MonitorCheckin::guid>;
};

template <> struct winnow::model<tracker::Monitor> {
    static constexpr text key = "tracker.Monitor";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto status = &tracker::Monitor::status;
    static constexpr auto children = winnow::children(cascade<&tracker::MonitorCheckin::monitor_id>);
};
