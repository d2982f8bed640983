// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "winnow/core/dialect.hpp"

namespace music {

/// Eleven tables of a music store, a handful of rows each, spelled as each database likes it: `invoice_line`
/// and `invoice_line_id` on PostgreSQL are `InvoiceLine` and `InvoiceLineId` on SQLite. Names between
/// braces are the ones that differ. Artist 90 has 2 of 4 albums; employees 3 to 5 report to 2.
inline constexpr std::string_view excerpt = R"sql(
CREATE TABLE {artist} ({artist_id} INTEGER NOT NULL PRIMARY KEY, {name} VARCHAR(120));
CREATE TABLE {genre} ({genre_id} INTEGER NOT NULL PRIMARY KEY, {name} VARCHAR(120));
CREATE TABLE {media_type} ({media_type_id} INTEGER NOT NULL PRIMARY KEY, {name} VARCHAR(120));
CREATE TABLE {playlist} ({playlist_id} INTEGER NOT NULL PRIMARY KEY, {name} VARCHAR(120));
CREATE TABLE {album} (
    {album_id} INTEGER NOT NULL PRIMARY KEY, {title} VARCHAR(160) NOT NULL,
    {artist_id} INTEGER NOT NULL REFERENCES {artist} ({artist_id}));
CREATE TABLE {track} (
    {track_id} INTEGER NOT NULL PRIMARY KEY, {name} VARCHAR(200) NOT NULL,
    {album_id} INTEGER REFERENCES {album} ({album_id}),
    {media_type_id} INTEGER NOT NULL REFERENCES {media_type} ({media_type_id}),
    {genre_id} INTEGER REFERENCES {genre} ({genre_id}),
    {composer} VARCHAR(220), {milliseconds} INTEGER NOT NULL, {bytes} INTEGER, {unit_price} NUMERIC(10,2) NOT NULL);
CREATE TABLE {playlist_track} (
    {playlist_id} INTEGER NOT NULL REFERENCES {playlist} ({playlist_id}),
    {track_id} INTEGER NOT NULL REFERENCES {track} ({track_id}),
    PRIMARY KEY ({playlist_id}, {track_id}));
CREATE TABLE {employee} (
    {employee_id} INTEGER NOT NULL PRIMARY KEY, {last_name} VARCHAR(20) NOT NULL, {first_name} VARCHAR(20) NOT NULL,
    {title} VARCHAR(30), {reports_to} INTEGER REFERENCES {employee} ({employee_id}), {birth_date} TIMESTAMP,
    {hire_date} TIMESTAMP, {address} VARCHAR(70), {city} VARCHAR(40), {state} VARCHAR(40), {country} VARCHAR(40),
    {postal_code} VARCHAR(10), {phone} VARCHAR(24), {fax} VARCHAR(24), {email} VARCHAR(60));
CREATE TABLE {customer} (
    {customer_id} INTEGER NOT NULL PRIMARY KEY, {first_name} VARCHAR(40) NOT NULL, {last_name} VARCHAR(20) NOT NULL,
    {company} VARCHAR(80), {address} VARCHAR(70), {city} VARCHAR(40), {state} VARCHAR(40), {country} VARCHAR(40),
    {postal_code} VARCHAR(10), {phone} VARCHAR(24), {fax} VARCHAR(24), {email} VARCHAR(60) NOT NULL,
    {support_rep_id} INTEGER REFERENCES {employee} ({employee_id}));
CREATE TABLE {invoice} (
    {invoice_id} INTEGER NOT NULL PRIMARY KEY, {customer_id} INTEGER NOT NULL REFERENCES {customer} ({customer_id}),
    {invoice_date} TIMESTAMP NOT NULL, {billing_address} VARCHAR(70), {billing_city} VARCHAR(40),
    {billing_state} VARCHAR(40), {billing_country} VARCHAR(40), {billing_postal_code} VARCHAR(10),
    {total} NUMERIC(10,2) NOT NULL);
CREATE TABLE {invoice_line} (
    {invoice_line_id} INTEGER NOT NULL PRIMARY KEY, {invoice_id} INTEGER NOT NULL REFERENCES {invoice} ({invoice_id}),
    {track_id} INTEGER NOT NULL REFERENCES {track} ({track_id}), {unit_price} NUMERIC(10,2) NOT NULL,
    {quantity} INTEGER NOT NULL);
CREATE INDEX album_artist ON {album} ({artist_id});
CREATE INDEX track_album ON {track} ({album_id});
CREATE INDEX track_genre ON {track} ({genre_id});
CREATE INDEX track_media_type ON {track} ({media_type_id});
CREATE INDEX playlist_track_track ON {playlist_track} ({track_id});
CREATE INDEX employee_reports_to ON {employee} ({reports_to});
CREATE INDEX customer_support_rep ON {customer} ({support_rep_id});
CREATE INDEX invoice_customer ON {invoice} ({customer_id});
CREATE INDEX invoice_line_invoice ON {invoice_line} ({invoice_id});
CREATE INDEX invoice_line_track ON {invoice_line} ({track_id});
INSERT INTO {artist} VALUES (7, 'Die Nachbarn'), (90, 'The Doomed'), (91, 'L''Étoile');
INSERT INTO {genre} VALUES (1, 'Rock'), (2, NULL);
INSERT INTO {media_type} VALUES (1, 'File'), (2, 'Stream');
INSERT INTO {playlist} VALUES (1, 'All'), (2, 'Quiet'), (3, 'Empty');
INSERT INTO {album} VALUES (1, 'Before', 7), (2, 'First', 90), (3, 'Second', 90), (4, 'After', 91);
INSERT INTO {track} VALUES
    (1, 'One', 1, 1, 1, NULL, 1000, 10, 0.99), (2, 'Two', 2, 1, 1, 'Somebody', 2000, NULL, 0.99),
    (3, 'Three', 2, 2, NULL, NULL, 3000, 30, 1.99), (4, 'Four', 3, 1, 2, NULL, 4000, 40, 0.99),
    (5, 'Five', 4, 1, 2, NULL, 5000, 50, 0.99), (6, 'Six', NULL, 1, 1, NULL, 6000, 60, 0.99);
INSERT INTO {playlist_track} VALUES (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (2, 2), (2, 5);
INSERT INTO {employee} ({employee_id}, {last_name}, {first_name}, {title}, {reports_to}, {hire_date}) VALUES
    (1, 'Ada', 'A', 'Head', NULL, '2020-01-01 00:00:00'), (2, 'Bea', 'B', 'Sales', 1, '2020-02-01 00:00:00'),
    (3, 'Cyd', 'C', NULL, 2, NULL), (4, 'Dan', 'D', NULL, 2, NULL), (5, 'Eve', 'E', NULL, 2, NULL),
    (6, 'Fay', 'F', 'IT', 1, NULL), (7, 'Gil', 'G', NULL, 6, NULL);
INSERT INTO {customer} ({customer_id}, {first_name}, {last_name}, {email}, {support_rep_id}) VALUES
    (1, 'Xan', 'X', 'x@example.org', 3), (2, 'Yve', 'Y', 'y@example.org', 5), (3, 'Zoe', 'Z', 'z@example.org', 6),
    (4, 'Nil', 'N', 'n@example.org', NULL);
INSERT INTO {invoice} ({invoice_id}, {customer_id}, {invoice_date}, {billing_city}, {total}) VALUES
    (1, 1, '2026-01-01 00:00:00', 'Graz', 3.97), (2, 2, '2026-01-02 00:00:00', NULL, 0.99);
INSERT INTO {invoice_line} VALUES (1, 1, 1, 0.99, 1), (2, 1, 2, 0.99, 1), (3, 1, 3, 1.99, 1), (4, 2, 5, 0.99, 1), (5, 2, 4, 0.99, 2);
)sql";

/// SQL with the names between braces spelled for one database.
[[nodiscard]] inline std::string spelled(std::string_view sql, winnow::dialect which) {
    std::string out;
    bool inside = false;
    bool start = false;
    for (const char c : sql) {
        if (c == '{' || c == '}') {
            inside = start = c == '{';
        } else if (inside && which == winnow::dialect::sqlite && c == '_') {
            start = true;
        } else {
            const bool raise = start && which == winnow::dialect::sqlite && c >= 'a' && c <= 'z';
            out += raise ? static_cast<char>(c - 'a' + 'A') : c;
            start = false;
        }
    }
    return out;
}

}  // namespace music
