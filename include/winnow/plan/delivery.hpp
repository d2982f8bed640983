// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace winnow::inline v0 {

class connection;

/// One message on its way to the other silo: what a handler is told, and what it may do there.
///
/// A handler runs outside of every transaction and may be called again with the same message: after a crash, after a
/// time-out, or because another worker took over. What it writes to the target it writes through `in_target`, which
/// refuses a worker that was overtaken; an effect elsewhere must be idempotent.
class delivery {
public:
    delivery() = default;
    delivery(const delivery&) = delete;
    delivery& operator=(const delivery&) = delete;
    virtual ~delivery() = default;

    std::string_view model;       ///< key of the replicated model
    std::string_view category;    ///< name of the message's category
    std::int64_t object = 0;      ///< key of the row that changed
    std::int64_t message_id = 0;  ///< of the newest message that is delivered; the same in every attempt
    int attempt = 1;              ///< counted from 1
    std::string_view payload;     ///< JSON that was written with the message; empty: none
    std::string_view source;      ///< database and silo that the message comes from, unique everywhere
    std::string_view cell;        ///< the cell that it comes from or goes to

    /// Runs `work(connection&)` in one transaction of the target's database, after checking and raising the shard's
    /// fence there. Throws what `work` throws, and `error` when this worker was overtaken by another.
    template <class Work>
    void in_target(Work&& work) {
        run_in_target(false, call<Work>, &work);
    }
    /// The same, once for a message: a second call with the same message, even after a crash, does nothing.
    /// @return whether `work` ran
    template <class Work>
    bool once(Work&& work) {
        return run_in_target(true, call<Work>, &work);
    }

protected:
    using work_function = void (*)(void* work, connection& target);
    virtual bool run_in_target(bool once, work_function function, void* work) = 0;

private:
    template <class Work>
    static void call(void* work, connection& target) {
        (*static_cast<std::remove_reference_t<Work>*>(work))(target);
    }
};

}  // namespace winnow::inline v0
