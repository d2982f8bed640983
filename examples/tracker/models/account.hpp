// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <winnow/winnow.hpp>

#include "copies.hpp"

namespace tracker {

/// A person. Accounts are global: they live in the control silo.
struct User {
    std::int64_t id;
    std::string username;
    std::string name;
    bool is_active;
    winnow::timestamp joined_at;
};
WINNOW_DESCRIBE(User, id, username, name, is_active, joined_at)

struct UserEmail {
    std::int64_t id;
    std::int64_t user_id;
    std::string email;
    bool is_verified;
};
WINNOW_DESCRIBE(UserEmail, id, user_id, email, is_verified)

struct ApiToken {
    std::int64_t id;
    std::int64_t user_id;
    std::string token_hash;
    winnow::json_text scopes;
    std::optional<winnow::timestamp> expires_at;
};
WINNOW_DESCRIBE(ApiToken, id, user_id, token_hash, scopes, expires_at)

}  // namespace tracker

template <> struct winnow::model<tracker::UserEmail> {
    static constexpr text key = "tracker.UserEmail";
    static constexpr auto silo = winnow::silo::control;
};

template <> struct winnow::model<tracker::ApiToken> {
    static constexpr text key = "tracker.ApiToken";
    static constexpr auto silo = winnow::silo::control;
};

template <> struct winnow::model<tracker::User> {
    static constexpr text key = "tracker.User";
    static constexpr auto silo = winnow::silo::control;
    static constexpr auto children =
        winnow::children(cascade<&tracker::UserEmail::user_id>, cascade<&tracker::ApiToken::user_id>);
    /// Each cell has a copy of each person.
    static constexpr auto replication = replicates<tracker::Category::user_update>(
        shard<&tracker::User::id>,
        mirror<tracker::UserCopy>(map<&tracker::User::id, &tracker::UserCopy::user_id>,
                                  map<&tracker::User::username, &tracker::UserCopy::username>,
                                  map<&tracker::User::name, &tracker::UserCopy::name>,
                                  map<&tracker::User::is_active, &tracker::UserCopy::is_active>));

    static bool should_proceed(const tracker::User& user) { return !user.is_active; }
};
