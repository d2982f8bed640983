// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace winnow::inline v0 {

/// A UUID in its canonical text form, `8-4-4-4-12` lower-case hexadecimal digits.
struct uuid {
    std::string text;
    friend bool operator==(const uuid&, const uuid&) = default;
    friend auto operator<=>(const uuid&, const uuid&) = default;
};

/// A JSON document as the database holds it, unparsed.
struct json_text {
    std::string text;
    friend bool operator==(const json_text&, const json_text&) = default;
    friend auto operator<=>(const json_text&, const json_text&) = default;
};

/// A point in time in the database's own text form.
struct timestamp {
    std::string text;
    friend bool operator==(const timestamp&, const timestamp&) = default;
    friend auto operator<=>(const timestamp&, const timestamp&) = default;
};

/// Raw bytes. Never part of a key.
struct blob {
    std::string bytes;
    friend bool operator==(const blob&, const blob&) = default;
    friend auto operator<=>(const blob&, const blob&) = default;
};

}  // namespace winnow::inline v0
