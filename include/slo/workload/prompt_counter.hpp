// SPDX-License-Identifier: MIT
// Lengths and first blocks of many prompts at once.

#ifndef SLO_WORKLOAD_PROMPT_COUNTER_HPP
#define SLO_WORKLOAD_PROMPT_COUNTER_HPP

#include <slo/base/json.hpp>
#include <slo/tokens/tokenizer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace slo::workload {

/// What is kept of a prompt's tokens.
struct PromptCount {
    std::int64_t tokens = 0;
    tokens::TokenList first_block; ///< shorter than a block where the prompt is
};

/// Counts prompts in batches and says how many it counted.
class PromptCounter {
public:
    PromptCounter(tokens::Tokenizer& tokenizer, std::int64_t block_tokens)
        : tokenizer_(tokenizer), block_tokens_(static_cast<std::size_t>(block_tokens))
    {
    }

    /// One count a prompt. Throws Error.
    std::vector<PromptCount> count(const std::vector<json::value>& prompts)
    {
        std::vector<PromptCount> counts;
        counts.reserve(prompts.size());
        for (std::size_t begin = 0; begin < prompts.size(); begin += batch) {
            const auto end = std::min(prompts.size(), begin + batch);
            std::vector<const json::value*> asked;
            for (auto i = begin; i < end; ++i)
                asked.push_back(&prompts[i]);
            for (const auto& list : tokenizer_.encode_prompts(asked)) {
                const auto length = std::min(list.size(), block_tokens_);
                counts.push_back({static_cast<std::int64_t>(list.size()),
                                  {list.begin(), list.begin() + static_cast<std::ptrdiff_t>(length)}});
            }
        }
        counted_ += prompts.size();
        return counts;
    }

    /// Prompts counted so far.
    std::uint64_t counted() const noexcept { return counted_; }
    tokens::Tokenizer& tokenizer() noexcept { return tokenizer_; }

private:
    // Bounds what the token lists of one call take, whatever the prompts' lengths.
    static constexpr std::size_t batch = 512;

    tokens::Tokenizer& tokenizer_;
    std::size_t block_tokens_;
    std::uint64_t counted_ = 0;
};

} // namespace slo::workload

#endif
