// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <winnow/winnow.hpp>

namespace shop {

enum class scope { organization = 0, user = 1 };
enum class category { organization_update = 0, user_update = 1 };

struct user {
    std::int64_t id;
    std::string email;
};
struct user_copy {
    std::int64_t user_id;
    std::string email;
};
struct organization {
    std::int64_t id;
    std::string name;
};
struct organization_copy {
    std::string cell;
    std::int64_t organization_id;
    std::string name;
};
struct member {
    std::int64_t id;
    std::int64_t organization_id;
    std::int64_t user_id;
};
struct badge {
    std::int64_t id;
    std::int64_t member_id;
};
WINNOW_DESCRIBE(user, id, email)
WINNOW_DESCRIBE(user_copy, user_id, email)
WINNOW_DESCRIBE(organization, id, name)
WINNOW_DESCRIBE(organization_copy, cell, organization_id, name)
WINNOW_DESCRIBE(member, id, organization_id, user_id)
WINNOW_DESCRIBE(badge, id, member_id)

}  // namespace shop

template <> struct winnow::categories<shop::category> {
    static constexpr auto scopes = winnow::scopes(scope<shop::scope::organization, shop::category::organization_update>,
                                                  scope<shop::scope::user, shop::category::user_update>);
};
template <> struct winnow::model<shop::user_copy> {
    static constexpr text key = "shop.UserCopy";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto primary_key = winnow::primary_key<&shop::user_copy::user_id>;
};
template <> struct winnow::model<shop::user> {
    static constexpr text key = "shop.User";
    static constexpr auto silo = winnow::silo::control;
    static constexpr auto replication = replicates<shop::category::user_update>(
        shard<&shop::user::id>, mirror<shop::user_copy>(map<&shop::user::id, &shop::user_copy::user_id>,
                                                        map<&shop::user::email, &shop::user_copy::email>));
};
template <> struct winnow::model<shop::organization_copy> {
    static constexpr text key = "shop.OrganizationCopy";
    static constexpr auto silo = winnow::silo::control;
    static constexpr auto primary_key =
        winnow::primary_key<&shop::organization_copy::cell, &shop::organization_copy::organization_id>;
};
template <> struct winnow::model<shop::badge> {
    static constexpr text key = "shop.Badge";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<shop::member> {
    static constexpr text key = "shop.Member";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&shop::badge::member_id>);
    static constexpr auto remotes = winnow::remotes(remote<"shop.User", &shop::member::user_id>);
};
template <> struct winnow::model<shop::organization> {
    static constexpr text key = "shop.Organization";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&shop::member::organization_id>);
    static constexpr auto replication = replicates<shop::category::organization_update>(
        shard<&shop::organization::id>,
        mirror<shop::organization_copy>(from_cell<&shop::organization_copy::cell>,
                                        map<&shop::organization::id, &shop::organization_copy::organization_id>,
                                        map<&shop::organization::name, &shop::organization_copy::name>));
};

namespace shop {

using models = winnow::registry<user, user_copy, organization, organization_copy, member, badge>;

}  // namespace shop
