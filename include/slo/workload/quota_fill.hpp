// SPDX-License-Identifier: MIT
// Fills groups of rows from a pool, each conversation at most once, until all are full or none can be.

#ifndef SLO_WORKLOAD_QUOTA_FILL_HPP
#define SLO_WORKLOAD_QUOTA_FILL_HPP

#include <slo/base/digest.hpp>
#include <slo/base/error.hpp>
#include <slo/workload/quota_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace slo::workload {

/// A row and the group it stands for.
struct FilledRow {
    std::size_t group = 0;
    BuiltRow row;
};

/// Goes round the pool with one cursor for all groups. Each conversation that is looked at counts as a try,
/// whatever becomes of it: a group that stays short after three rounds, or gets nothing in a whole one, ends
/// the building with the reasons.
class QuotaFiller {
public:
    static constexpr std::uint64_t rounds = 3;

    QuotaFiller(const QuotaSpec& spec, const std::vector<Conversation>& pool, RowMaker& maker)
        : spec_(spec), pool_(pool), maker_(maker), taken_(pool.size(), false)
    {
    }

    /// Appends the rows of a group. Throws Error when the pool does not give them.
    void fill(const RowGroup& group, std::size_t group_index, std::vector<FilledRow>& rows)
    {
        std::map<std::string, std::uint64_t> reasons;
        const auto is_taken = [this](const auto& block) { return first_blocks_.count(block) > 0; };
        auto missing = group.rows;
        std::uint64_t tries = 0;
        std::uint64_t tries_since_last = 0;
        while (missing > 0) {
            const auto left = std::min(rounds * pool_.size() - tries, pool_.size() - tries_since_last);
            const auto before = cursor_;
            const auto candidates = next_candidates(group, missing, left, reasons);
            tries += cursor_ - before;
            tries_since_last += cursor_ - before;
            if (candidates.empty())
                throw Error("'" + printable(group.name, 60) + "'", lacking(group, missing, tries, reasons));
            for (auto& row : maker_.make(group, candidates, is_taken)) {
                const auto why_not = row.why_not.empty() ? twin(row) : row.why_not;
                if (!why_not.empty()) {
                    ++reasons[why_not];
                    ++left_out_[why_not];
                    continue;
                }
                taken_[row.candidate.conversation] = true;
                row.prompt.clear();
                row.prompt.shrink_to_fit();
                rows.push_back({group_index, std::move(row)});
                --missing;
                tries_since_last = 0;
            }
        }
    }

    /// How many candidates were no rows, by reason.
    const std::map<std::string, std::uint64_t>& left_out() const noexcept { return left_out_; }

private:
    // Memory for the prompts of a batch is bounded, whatever the quota.
    static constexpr std::int64_t most_candidates = 1024;

    std::vector<Candidate> next_candidates(const RowGroup& group, std::int64_t missing,
                                           std::uint64_t most_tries,
                                           std::map<std::string, std::uint64_t>& reasons)
    {
        std::vector<Candidate> candidates;
        const auto wanted = static_cast<std::size_t>(std::min(missing, most_candidates));
        std::set<std::size_t> in_batch;
        const auto first = cursor_;
        while (candidates.size() < wanted && cursor_ - first < most_tries) {
            const auto turn = cursor_;
            const auto index = static_cast<std::size_t>(turn % pool_.size());
            if (in_batch.count(index))
                break; // once round a small pool: what becomes of it must be known first
            ++cursor_;
            if (taken_[index]) {
                ++reasons["the conversation is in the route already"];
            } else if (group.category && !is_of(*group.category, pool_[index])) {
                ++reasons["the conversation is none of the category's"];
            } else {
                in_batch.insert(index);
                candidates.push_back({index, entry_of(group, turn), turn});
            }
        }
        return candidates;
    }

    static bool is_of(const Category& category, const Conversation& conversation)
    {
        const auto& where = category.where;
        return static_cast<std::int64_t>(conversation.history.size()) >= where.min_turns &&
               (!where.same_role_neighbours || has_same_role_neighbours(conversation.history)) &&
               (where.language_not.empty() || !is_language(conversation.language, where.language_not));
    }

    std::size_t entry_of(const RowGroup& group, std::uint64_t turn) const
    {
        const auto& entries = spec_.prompt.entries;
        const auto found = std::find_if(entries.begin(), entries.end(), [&](const EntryKind& entry) {
            if (group.category && !group.category->entry.empty())
                return entry.name == group.category->entry;
            return entry.every > 0 && turn % static_cast<std::uint64_t>(entry.every) == 0;
        });
        const auto chosen = found != entries.end()
                                ? found
                                : std::find_if(entries.begin(), entries.end(),
                                               [](const EntryKind& entry) { return entry.every == 0; });
        return static_cast<std::size_t>(chosen - entries.begin());
    }

    // Equal prompts would be answered from the cache, and so would be equal first blocks.
    std::string twin(const BuiltRow& row)
    {
        auto digest = sha256(row.prompt);
        if (prompts_.count(digest))
            return "the prompt is in the route already";
        if (!first_blocks_.insert(row.first_block).second)
            return first_block_taken;
        prompts_.insert(std::move(digest));
        return {};
    }

    static std::string lacking(const RowGroup& group, std::int64_t missing, std::uint64_t tries,
                               const std::map<std::string, std::uint64_t>& reasons)
    {
        auto text = "lacks " + std::to_string(missing) + " of " + std::to_string(group.rows) +
                    " rows after " + std::to_string(tries) + " tries";
        const auto* before = " (";
        for (const auto& [reason, count] : reasons)
            text += std::exchange(before, "; ") + std::to_string(count) + ": " + reason;
        return reasons.empty() ? text : text + ")";
    }

    const QuotaSpec& spec_;
    const std::vector<Conversation>& pool_;
    RowMaker& maker_;
    std::uint64_t cursor_ = 0;
    std::vector<bool> taken_;
    std::set<std::string> prompts_;
    std::set<tokens::TokenList> first_blocks_;
    std::map<std::string, std::uint64_t> left_out_;
};

} // namespace slo::workload

#endif
