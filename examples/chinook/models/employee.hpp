// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <winnow/winnow.hpp>

#include "sales.hpp"

namespace chinook {

/// Somebody who works in the store and reports to somebody else who does.
struct Employee {
    std::int32_t employee_id;
    std::string last_name;
    std::string first_name;
    std::optional<std::string> title;
    std::optional<std::int32_t> reports_to;
    std::optional<winnow::timestamp> birth_date;
    std::optional<winnow::timestamp> hire_date;
    std::optional<std::string> address;
    std::optional<std::string> city;
    std::optional<std::string> state;
    std::optional<std::string> country;
    std::optional<std::string> postal_code;
    std::optional<std::string> phone;
    std::optional<std::string> fax;
    std::optional<std::string> email;
};
WINNOW_DESCRIBE(Employee, employee_id, last_name, first_name, title, reports_to, birth_date, hire_date, address, city,
                state, country, postal_code, phone, fax, email)

/// What both programs say of employees; what becomes of those who report to one, each says for itself.
struct employee_model {
    static constexpr winnow::text key = "chinook.Employee";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto table = winnow::table("employee").on_sqlite("Employee");
    static constexpr auto naming = names;
    static constexpr auto primary_key = winnow::primary_key<&Employee::employee_id>;
};

}  // namespace chinook
