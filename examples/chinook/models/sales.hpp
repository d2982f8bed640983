// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <winnow/winnow.hpp>

namespace chinook {

/// The same store on two databases: `invoice_line_id` on PostgreSQL is `InvoiceLineId` on SQLite.
inline constexpr auto names = winnow::naming{.postgres = winnow::spelling::as_is, .sqlite = winnow::spelling::pascal};

struct Customer {
    std::int32_t customer_id;
    std::string first_name;
    std::string last_name;
    std::optional<std::string> company;
    std::optional<std::string> address;
    std::optional<std::string> city;
    std::optional<std::string> state;
    std::optional<std::string> country;
    std::optional<std::string> postal_code;
    std::optional<std::string> phone;
    std::optional<std::string> fax;
    std::string email;
    std::optional<std::int32_t> support_rep_id;
};
WINNOW_DESCRIBE(Customer, customer_id, first_name, last_name, company, address, city, state, country, postal_code,
                phone, fax, email, support_rep_id)

struct Invoice {
    std::int32_t invoice_id;
    std::int32_t customer_id;
    winnow::timestamp invoice_date;
    std::optional<std::string> billing_address;
    std::optional<std::string> billing_city;
    std::optional<std::string> billing_state;
    std::optional<std::string> billing_country;
    std::optional<std::string> billing_postal_code;
    std::string total;  ///< exact decimals
};
WINNOW_DESCRIBE(Invoice, invoice_id, customer_id, invoice_date, billing_address, billing_city, billing_state,
                billing_country, billing_postal_code, total)

struct InvoiceLine {
    std::int32_t invoice_line_id;
    std::int32_t invoice_id;
    std::int32_t track_id;
    std::string unit_price;  ///< exact decimals
    std::int32_t quantity;
};
WINNOW_DESCRIBE(InvoiceLine, invoice_line_id, invoice_id, track_id, unit_price, quantity)

}  // namespace chinook

template <> struct winnow::model<chinook::InvoiceLine> {
    static constexpr text key = "chinook.InvoiceLine";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto table = winnow::table("invoice_line").on_sqlite("InvoiceLine");
    static constexpr auto naming = chinook::names;
    static constexpr auto primary_key = winnow::primary_key<&chinook::InvoiceLine::invoice_line_id>;
};

template <> struct winnow::model<chinook::Invoice> {
    static constexpr text key = "chinook.Invoice";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto table = winnow::table("invoice").on_sqlite("Invoice");
    static constexpr auto naming = chinook::names;
    static constexpr auto primary_key = winnow::primary_key<&chinook::Invoice::invoice_id>;
    static constexpr auto children = winnow::children(cascade<&chinook::InvoiceLine::invoice_id>);
};

template <> struct winnow::model<chinook::Customer> {
    static constexpr text key = "chinook.Customer";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto table = winnow::table("customer").on_sqlite("Customer");
    static constexpr auto naming = chinook::names;
    static constexpr auto primary_key = winnow::primary_key<&chinook::Customer::customer_id>;
    static constexpr auto children = winnow::children(cascade<&chinook::Invoice::customer_id>);
};
