// SPDX-License-Identifier: MIT
// The conversations of a route, by their digests: one table for all rules that ask of them.

#ifndef SLO_VERIFY_CONVERSATIONS_HPP
#define SLO_VERIFY_CONVERSATIONS_HPP

#include <slo/verify/row.hpp>
#include <slo/verify/seen_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace slo::verify {

/// What the rules keep of a conversation.
struct ConversationFacts {
    std::uint64_t first_turn = 0; ///< digest of when its first row is due
    std::uint32_t beginning = 0;  ///< digest of how its prompts begin
    std::uint32_t messages = 0;   ///< of its longest prompt so far that begins so
};

/// Looks each row's conversation up once, whichever rules ask.
class Conversations {
public:
    using Entry = DigestTable<ConversationFacts>::Entry;

    /// The conversation of a row that has one, and whether the row is its first: its facts are then all 0.
    /// Valid until the next row.
    std::pair<Entry*, bool> of(const Row& row)
    {
        if (row.line() != line_) {
            last_ = table_.insert(row.conversation_digest(), row.line(), {});
            line_ = row.line();
        }
        return last_;
    }

    std::size_t size() const noexcept { return table_.size(); }

private:
    DigestTable<ConversationFacts> table_;
    std::size_t line_ = 0;
    std::pair<Entry*, bool> last_{nullptr, false};
};

} // namespace slo::verify

#endif
