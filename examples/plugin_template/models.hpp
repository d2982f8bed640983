// SPDX-License-Identifier: Apache-2.0
// The models of the plugin. Replace them by yours; the program that loads the plugin sees their keys only.
#pragma once

#include <cstdint>
#include <string>

#include <winnow/winnow.hpp>

namespace orders {

struct Order {
    std::int64_t id;
    std::string customer;
};
struct Line {
    std::int64_t id;
    std::int64_t order_id;
    std::string article;
};
WINNOW_DESCRIBE(Order, id, customer)
WINNOW_DESCRIBE(Line, id, order_id, article)

}  // namespace orders

template <> struct winnow::model<orders::Line> {
    static constexpr text key = "orders.Line";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<orders::Order> {
    static constexpr text key = "orders.Order";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&orders::Line::order_id>);
};

namespace orders {

using Models = winnow::registry<Order, Line>;

}  // namespace orders
