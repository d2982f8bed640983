// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <winnow/winnow.hpp>

#include <cstdint>
#include <optional>
#include <string>

/// Structs for static tests. Which of them are models, and how, is said in each file.
struct Project {
    std::int64_t id;
    std::string name;
    std::string slug;
    winnow::object_status status;
};
struct Event {
    std::int64_t id;
    std::int64_t project_id;
    std::int32_t kind;
};
struct Comment {
    std::int64_t id;
    std::optional<std::int64_t> event_id;
    std::optional<std::int64_t> parent_id;
    std::string project_slug;
};
WINNOW_DESCRIBE(Project, id, name, slug, status)
WINNOW_DESCRIBE(Event, id, project_id, kind)
WINNOW_DESCRIBE(Comment, id, event_id, parent_id, project_slug)
