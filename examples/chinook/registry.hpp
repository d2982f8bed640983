// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <winnow/winnow.hpp>

#include "models/catalogue.hpp"
#include "models/employee.hpp"
#include "models/sales.hpp"

namespace chinook {

/// The music store. Include it after the trait of `Employee`, which each program writes itself.
using Models = winnow::registry<Artist, Album, Track, Genre, MediaType, Playlist, PlaylistTrack, Customer, Invoice,
                                InvoiceLine, Employee>;

}  // namespace chinook
