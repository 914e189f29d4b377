// SPDX-License-Identifier: MIT
// What a prefix cache can save at most of a route.

#ifndef SLO_WORKLOAD_CACHE_EXPECTATION_HPP
#define SLO_WORKLOAD_CACHE_EXPECTATION_HPP

#include <slo/base/json.hpp>
#include <slo/engine/prompt.hpp>
#include <slo/tokens/tokenizer.hpp>

#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace slo::workload {

/// Adds up the prompt tokens that a cache that forgets nothing finds again, when one request follows the
/// other: whole blocks of 16 tokens from the start, and never a prompt's last token, as vLLM reuses them.
/// Takes eight bytes of memory and some for each different block.
class CacheExpectation {
public:
    /// One prompt more.
    void add(const tokens::TokenList& prompt)
    {
        engine::BlockHashChain chain;
        hashes_.clear();
        for (const auto token : prompt)
            if (chain.push(token))
                hashes_.push_back(chain.last());
        const auto tokens = static_cast<std::int64_t>(prompt.size());
        const auto reusable =
            static_cast<std::size_t>(std::max<std::int64_t>(0, tokens - 1) / engine::block_tokens);
        std::size_t found = 0;
        while (found < std::min(reusable, hashes_.size()) && known_.contains(hashes_[found]))
            ++found;
        known_.insert(hashes_.begin(), hashes_.end());
        prompt_tokens_ += tokens;
        shared_tokens_ += static_cast<std::int64_t>(found) * engine::block_tokens;
    }

    /// For the manifest.
    json::object facts() const
    {
        return {{"block_tokens", engine::block_tokens},
                {"prompt_tokens", prompt_tokens_},
                {"shared_tokens", shared_tokens_},
                {"hit_rate", prompt_tokens_ == 0 ? json::value(nullptr)
                                                 : json::value(static_cast<double>(shared_tokens_) /
                                                               static_cast<double>(prompt_tokens_))}};
    }

private:
    boost::unordered_flat_set<engine::BlockHash> known_;
    std::vector<engine::BlockHash> hashes_;
    std::int64_t prompt_tokens_ = 0;
    std::int64_t shared_tokens_ = 0;
};

} // namespace slo::workload

#endif
