// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "winnow/deletion/children.hpp"
#include "winnow/deletion/frame.hpp"
#include "winnow/deletion/work.hpp"

namespace winnow::inline v0::detail {

/// Children of one set of rows, of which several connections take sets: none of them twice, so that what each works on
/// is disjoint (R14). Used by several threads at once.
class row_pool {
public:
    /// @param found  the first of them; what belongs to all of them is taken from this frame
    /// @param place  of their parents, with how far it was fetched
    /// @param parents  references, as `references_of` gives them; nothing: no further ones are fetched
    row_pool(frame found, frame place, std::optional<key_set> parents)
        : pattern_(std::move(found)),
          place_(std::move(place)),
          parents_(std::move(parents)),
          batch_(std::move(pattern_.parts[0].rows)) {}

    /// The next set as a frame, fetched over the connection of `by` when none is left. Smaller towards the end, so that
    /// all come to the end together.
    /// @param connections how many share them
    /// @return a frame without rows when there are none left
    [[nodiscard]] frame take(deletion_work& by, std::size_t connections) {
        const std::lock_guard guard(mutex_);
        const std::size_t model = pattern_.via->child;
        const bool are_all = !parents_ || place_.last_batch;
        if (next_ == batch_.size() && !are_all) {
            const std::int64_t most =
                std::max<std::int64_t>(by.tuning[model].most, static_cast<std::int64_t>(8 * connections));
            batch_ = fetch_children(by, place_, *pattern_.via, *parents_, most);
            next_ = 0;
        }
        const std::size_t left = batch_.size() - next_;
        const std::size_t least = !parents_ || place_.last_batch ? 1 : 64;
        const std::size_t some = std::min(left, std::clamp<std::size_t>(left / (2 * connections), least, 1'000));
        frame set = pattern_;
        set.parts.assign(1, {model, key_set(by.plan_of(model).identity.size())});
        for (const std::size_t end = next_ + some; next_ < end; ++next_) set.parts[0].rows.push_back(batch_[next_]);
        return set;
    }

    /// How far the children have been fetched. Only for use when nobody takes any more.
    [[nodiscard]] const frame& place() const noexcept { return place_; }

private:
    std::mutex mutex_;
    frame pattern_;
    frame place_;
    std::optional<key_set> parents_;
    key_set batch_;
    std::size_t next_ = 0;
};

}  // namespace winnow::inline v0::detail
