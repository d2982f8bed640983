// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <winnow/store/connection.hpp>

namespace bench {

[[nodiscard]] winnow::connection_ptr open(const std::string& url);

/// Databases of one kind: templates that are made once, and copies of them.
class databases {
public:
    virtual ~databases() = default;
    virtual std::string make(const std::string& name) = 0;  ///< an empty one, as URL
    virtual std::string copy(const std::string& from, const std::string& to) = 0;
    virtual void drop(const std::string& name) = 0;
    virtual void settle() {}
};

/// @param server URL of a PostgreSQL server that nobody else uses
[[nodiscard]] std::unique_ptr<databases> postgres_databases(const std::string& server);
/// @param folder where the files go
[[nodiscard]] std::unique_ptr<databases> sqlite_databases(const std::string& folder);

}  // namespace bench
