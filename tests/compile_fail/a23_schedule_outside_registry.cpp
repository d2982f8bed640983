// expect: this type is not a model of the session's registry: pass an object of one of its models
// names: project, organization
// SPDX-License-Identifier: Apache-2.0
#include <winnow/session.hpp>
#include <winnow/winnow.hpp>

#include <cstdint>

// a project where an organization is wanted does not compile.
struct organization {
    std::int64_t id;
};
WINNOW_DESCRIBE(organization, id)

template <> struct winnow::model<organization> {
    static constexpr text key = "tracker.Organization";
    static constexpr auto silo = winnow::silo::cell;
};

struct project {
    std::int64_t id;
};
WINNOW_DESCRIBE(project, id)

template <> struct winnow::model<project> {
    static constexpr text key = "tracker.Project";
    static constexpr auto silo = winnow::silo::cell;
};

using Organizations = winnow::registry<organization>;

winnow::scheduled_deletion offboard(const winnow::session<Organizations>& session, const organization& customer,
                                    const project& other) {
#ifdef WINNOW_FAIL
    (void)customer;
    return session.schedule(other);
#else
    (void)other;
    return session.schedule(customer);
#endif
}
