// SPDX-License-Identifier: MIT
// Conversations made into rows of a wanted length, many at once.

#ifndef SLO_WORKLOAD_QUOTA_ROWS_HPP
#define SLO_WORKLOAD_QUOTA_ROWS_HPP

#include <slo/base/random.hpp>
#include <slo/engine/tokenizer.hpp>
#include <slo/workload/assembly.hpp>
#include <slo/workload/pad.hpp>
#include <slo/workload/pool.hpp>
#include <slo/workload/prompt_counter.hpp>
#include <slo/workload/quota_spec.hpp>
#include <slo/workload/trim.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace slo::workload {

/// What a number of rows have in common: a bucket of a quota spec or a category of a boundary spec.
struct RowGroup {
    std::string name;
    std::int64_t rows = 0;
    const Bucket* bucket = nullptr;     ///< of a quota spec
    const Category* category = nullptr; ///< of a boundary spec
};

/// A conversation that is to become a row.
struct Candidate {
    std::size_t conversation = 0; ///< its index in the pool
    std::size_t entry = 0;        ///< the index of its entry kind in the spec
    std::uint64_t turn = 0;       ///< how many conversations were looked at before it
};

/// A row that can be written, with what is needed to make its text again.
struct BuiltRow {
    Candidate candidate;
    std::int64_t made_words = 0; ///< words a message of a made-up history has
    std::size_t start = 0;       ///< first message left by the trimming
    std::vector<std::int64_t> padding;
    std::int64_t target = 0;
    RowFacts facts;
    tokens::TokenList first_block;
    std::string prompt;  ///< JSON text
    std::string why_not; ///< why it is no row after all; empty: it is one
};

/// Why a conversation is left out whose prompt would begin as another's.
inline constexpr const char* first_block_taken = "the first block is in the route already";

/// Makes rows of conversations: assembles, trims, pads, and checks what came out.
class RowMaker {
public:
    /// `seed` chooses the lengths of a spec that spreads them. Throws Error.
    RowMaker(const QuotaSpec& spec, const std::vector<Conversation>& pool, tokens::Tokenizer& tokenizer,
             std::uint64_t seed)
        : spec_(spec), pool_(pool), counter_(tokenizer, spec.block_tokens),
          padder_(counter_, spec.prompt.padding), seed_(seed)
    {
    }

    /// Says of a first block that a row has it already.
    using IsTaken = std::function<bool(const tokens::TokenList&)>;

    /// One row a candidate, in the same order. Throws Error.
    std::vector<BuiltRow> make(const RowGroup& group, const std::vector<Candidate>& candidates,
                               const IsTaken& is_taken)
    {
        const auto words = group.category ? group.category->made.words : Range{1, 1};
        std::vector<BuiltRow> rows(candidates.size());
        std::vector<std::size_t> open(candidates.size());
        for (std::size_t i = 0; i < open.size(); ++i)
            open[i] = i;
        for (auto count = words.low; count <= words.high && !open.empty(); ++count) {
            for (const auto i : open)
                rows[i] = {candidates[i], count, 0, {}, target(group, candidates[i]), {}, {}, {}, {}};
            make_open(group, rows, open, is_taken);
            std::erase_if(open, [&](std::size_t i) { return rows[i].why_not != unexpected; });
        }
        return rows;
    }

    /// The history of a row as it came: the pool's last messages or made-up ones, and what the entry appends.
    std::vector<Turn> history(const RowGroup& group, const BuiltRow& row) const
    {
        const auto& conversation = pool_[row.candidate.conversation];
        std::vector<Turn> turns;
        if (group.category && group.category->made.turns > 0) {
            turns = made_history(group.category->made, row.made_words);
        } else {
            const auto last = group.category && group.category->history_last >= 0
                                  ? group.category->history_last
                                  : spec_.prompt.history_last;
            const auto kept = std::min(conversation.history.size(), static_cast<std::size_t>(last));
            turns.assign(conversation.history.end() - static_cast<std::ptrdiff_t>(kept),
                         conversation.history.end());
        }
        if (!spec_.prompt.entries[row.candidate.entry].append_first.empty())
            turns.push_back({"assistant", conversation.appended[row.candidate.entry], true});
        return turns;
    }

    /// The draft of a row from its history, as it was trimmed and padded.
    Draft draft(const std::vector<Turn>& history, const BuiltRow& row) const
    {
        Draft draft{system_text(spec_.prompt, pool_[row.candidate.conversation]),
                    merge_turns(history),
                    spec_.prompt.trigger,
                    row.start,
                    {}};
        if (!row.padding.empty())
            draft.padding = padder_.text(row.padding);
        return draft;
    }

    std::int64_t budget(std::int64_t target) const { return std::min(target, spec_.prompt.budget_tokens); }
    std::uint64_t prompts_counted() const noexcept { return counter_.counted(); }

private:
    static std::vector<Turn> made_history(const MadeHistory& made, std::int64_t words)
    {
        std::vector<Turn> turns;
        for (std::int64_t i = 0; i < made.turns; ++i) {
            const auto word = made.turns > 1 ? made.word + std::to_string(i) : made.word;
            std::string text = word;
            for (std::int64_t w = 1; w < words; ++w)
                text += " " + word;
            turns.push_back({i % 2 == 0 ? "user" : "assistant", std::move(text), true});
        }
        return turns;
    }

    std::int64_t target(const RowGroup& group, const Candidate& candidate) const
    {
        if (group.category)
            return group.category->target;
        if (!spec_.prompt.spread)
            return group.bucket->target;
        // By the turn, not in the order of asking: how rows are batched must not matter.
        Random random(seed_ ^ engine::mix64(candidate.turn + 1));
        const auto width = static_cast<double>(group.bucket->below - group.bucket->from);
        return std::max<std::int64_t>(1, group.bucket->from +
                                             static_cast<std::int64_t>(random.uniform() * width));
    }

    void make_open(const RowGroup& group, std::vector<BuiltRow>& rows, const std::vector<std::size_t>& open,
                   const IsTaken& is_taken)
    {
        std::vector<Draft> drafts;
        std::vector<json::value> prompts;
        for (const auto i : open) {
            const auto turns = history(group, rows[i]);
            rows[i].facts.turns_in = static_cast<std::int64_t>(turns.size());
            drafts.push_back(draft(turns, rows[i]));
            prompts.push_back(drafts.back().prompt());
        }
        auto counts = counter_.count(prompts);
        std::vector<Trimming> trimmings;
        std::vector<std::size_t> trimmed;
        for (std::size_t k = 0; k < open.size(); ++k) {
            auto& row = rows[open[k]];
            if (is_taken(counts[k].first_block)) {
                row.why_not = first_block_taken;
                continue;
            }
            trimmings.push_back({&drafts[k], budget(row.target), std::move(counts[k]), false});
            trimmed.push_back(open[k]);
        }
        trim_histories(counter_, trimmings);
        pad_trimmed(group, rows, trimmings, trimmed);
    }

    // What cannot keep its promise is not padded: that would take most of the counting.
    void pad_trimmed(const RowGroup& group, std::vector<BuiltRow>& rows, std::vector<Trimming>& trimmings,
                     const std::vector<std::size_t>& trimmed)
    {
        std::vector<Padding> paddings;
        std::vector<std::size_t> padded;
        for (std::size_t k = 0; k < trimmed.size(); ++k) {
            auto& row = rows[trimmed[k]];
            note_history(row, *trimmings[k].draft, trimmings[k].count.tokens);
            row.facts.prompt_tokens = row.target;
            row.why_not =
                trimmings[k].fits ? why_not(group, row.facts) : "the system message alone is over the budget";
            if (!row.why_not.empty())
                continue;
            paddings.push_back({trimmings[k].draft, row.target, std::move(trimmings[k].count), false, {}});
            padded.push_back(trimmed[k]);
        }
        padder_.pad(paddings);
        for (std::size_t p = 0; p < paddings.size(); ++p) {
            auto& row = rows[padded[p]];
            row.padding = std::move(paddings[p].uses);
            row.first_block = std::move(paddings[p].count.first_block);
            row.prompt = to_json(paddings[p].draft->prompt());
            if (!paddings[p].exact)
                row.why_not = "no padding gives the exact length";
        }
    }

    void note_history(BuiltRow& row, const Draft& draft, std::int64_t tokens) const
    {
        row.start = draft.start;
        row.facts.local_tokens = tokens;
        row.facts.trimmed = draft.start > 0;
        row.facts.entry = spec_.prompt.entries[row.candidate.entry].name;
        row.facts.language = pool_[row.candidate.conversation].language;
        for (const auto& message : draft.kept()) {
            ++row.facts.turns_out;
            row.facts.turns_merged += message.parts > 1;
            row.facts.longest_message_chars =
                std::max(row.facts.longest_message_chars,
                         static_cast<std::int64_t>(count_code_points(message.content)));
        }
    }

    std::string why_not(const RowGroup& group, const RowFacts& facts) const
    {
        if (group.bucket && !group.bucket->holds(facts.prompt_tokens))
            return "outside the bucket";
        if (group.category) {
            const auto broken = broken_part(group.category->promise, facts);
            return broken.empty() ? "" : unexpected;
        }
        return {};
    }

    static constexpr const char* unexpected = "not as the category expects";

    const QuotaSpec& spec_;
    const std::vector<Conversation>& pool_;
    PromptCounter counter_;
    Padder padder_;
    std::uint64_t seed_;
};

} // namespace slo::workload

#endif
