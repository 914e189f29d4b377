// SPDX-License-Identifier: MIT
// Which conversation the requests of an imported trace belong to.

#ifndef SLO_WORKLOAD_IMPORT_CHAINS_HPP
#define SLO_WORKLOAD_IMPORT_CHAINS_HPP

#include <slo/record/route.hpp>
#include <slo/trace/request.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

namespace slo::workload {

/// Follows requests that name the one before them: all that hang together are one conversation, named by the
/// first. Keeps two numbers a request.
class ImportChains {
public:
    /// Names the conversation of a request that has a chat id. Throws RowError for an id that was there
    /// before.
    void name(trace::TraceRequest& request)
    {
        if (!request.chat_id)
            return;
        auto root = *request.chat_id;
        if (request.parent_id) {
            const auto parent = roots_.find(*request.parent_id);
            if (parent == roots_.end())
                ++missing_parents_;
            else
                root = parent->second;
        }
        if (!roots_.emplace(*request.chat_id, root).second)
            throw record::RowError("a chat_id that was there before (" + std::to_string(*request.chat_id) +
                                   ")");
        request.conversation = std::to_string(root);
    }

    /// Requests whose parent is not in the trace, or comes after them: each begins a conversation.
    std::uint64_t missing_parents() const noexcept { return missing_parents_; }

private:
    std::unordered_map<std::int64_t, std::int64_t> roots_;
    std::uint64_t missing_parents_ = 0;
};

} // namespace slo::workload

#endif
