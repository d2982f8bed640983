// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <winnow/winnow.hpp>

namespace tracker {

/// What the messages between the silos are about. The numbers are stored: none is ever given away again.
enum class Category : std::int32_t { organization_update = 0, user_update = 1 };
/// Messages of one scope and one identifier are delivered together.
enum class Scope : std::int32_t { organization = 0, user = 1 };

/// What the control silo knows of an organization, and in which cell it lives. Ids of organizations are unique in
/// their cell only.
struct OrganizationMapping {
    std::string cell;
    std::int64_t organization_id;
    std::string slug;
    std::string name;
    winnow::object_status status;
};
WINNOW_DESCRIBE(OrganizationMapping, cell, organization_id, slug, name, status)

/// What each cell knows of a person.
struct UserCopy {
    std::int64_t user_id;
    std::string username;
    std::string name;
    bool is_active;
};
WINNOW_DESCRIBE(UserCopy, user_id, username, name, is_active)

}  // namespace tracker

template <> struct winnow::categories<tracker::Category> {
    static constexpr auto scopes =
        winnow::scopes(scope<tracker::Scope::organization, tracker::Category::organization_update>,
                       scope<tracker::Scope::user, tracker::Category::user_update>);
};

template <> struct winnow::model<tracker::OrganizationMapping> {
    static constexpr text key = "tracker.OrganizationMapping";
    static constexpr auto silo = winnow::silo::control;
    static constexpr auto primary_key =
        winnow::primary_key<&tracker::OrganizationMapping::cell, &tracker::OrganizationMapping::organization_id>;
};

template <> struct winnow::model<tracker::UserCopy> {
    static constexpr text key = "tracker.UserCopy";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto primary_key = winnow::primary_key<&tracker::UserCopy::user_id>;
};
