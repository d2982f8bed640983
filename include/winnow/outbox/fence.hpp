// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/outbox/retry.hpp"
#include "winnow/outbox/work.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/own_statement.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow::inline v0::detail {

/// A session with the database that the claim's messages go to.
/// @throws target_unreachable
[[nodiscard]] inline connection& open_target(const outbox_work& work) {
    try {
        if (work.with.silos == nullptr)
            throw error(failure::configuration, "The databases of the other silo are not known.")
                .with_hint("Name them in the configuration (`silos` of winnow::context).");
        return work.claim.where == silo::cell ? work.with.silos->control()
                                              : work.with.silos->cell(work.claim.cell_name);
    } catch (const error& problem) {
        throw target_unreachable(problem);
    }
}

/// Checks and raises the fences of these shards, in the caller's transaction of the target, whose first statement it
/// is. Those that a higher token has passed are lost (rules 5 and 6).
inline void raise_fences(outbox_work& work, connection& target, std::span<const std::size_t> shards) {
    const bool postgres = target.kind() == dialect::postgres;
    const std::string text = own_statement(
        std::string("INSERT INTO winnow_fence (source, token, shard_scope, shard_identifier) SELECT CAST($1 AS text), "
                    "CAST($2 AS bigint), ") +
            (postgres ? "d.scope, d.identifier FROM unnest($3::integer[], $4::bigint[]) AS d(scope, identifier)"
                      : "json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each($3)") +
            " WHERE true ORDER BY 3, 4 ON CONFLICT (source, shard_scope, shard_identifier) DO UPDATE SET token = "
            "excluded.token, updated_at = {now} WHERE winnow_fence.token <= excluded.token RETURNING shard_scope, "
            "shard_identifier",
        target.kind());
    work.keep(shards, target.execute(text, {std::string_view(work.source), work.claim.token, work.keys_of(shards)}));
}

/// Runs `each(connection&)` in one transaction of the target, the fences raised first; not at all when every shard
/// is lost. Tried again after a deadlock, and after a commit whose outcome is unknown: the same ids under the same
/// token may be written twice (rule 4).
/// @throws target_unreachable when the target stays away; else what `each` or the database throws
template <class Each>
void in_fence(outbox_work& work, const std::vector<std::size_t>& asked, Each&& each) {
    for (int tries = 1;; ++tries) {
        std::vector<std::size_t> shards;
        for (const std::size_t index : asked)
            if (!work.claim.shards[index].lost) shards.push_back(index);
        if (shards.empty()) return;
        try {
            connection& target = open_target(work);
            transaction open(target);
            raise_fences(work, target, shards);
            bool any = false;
            for (const std::size_t index : shards) any = any || !work.claim.shards[index].lost;
            if (!any) return;
            each(target);
            open.commit();
            return;
        } catch (const target_unreachable&) {
            if (tries == transaction_tries) throw;
        } catch (const error& problem) {
            const bool away = problem.kind() == failure::connection;
            if (!away && !problem.may_retry()) throw;
            if (tries == transaction_tries && away) throw target_unreachable(problem);
            if (tries == transaction_tries) throw;
        }
        wait_before_retry(work.with.time, tries);
    }
}

}  // namespace winnow::inline v0::detail
