// SPDX-License-Identifier: MIT
// The share of prompt tokens that an engine's prefix cache will hold, by playing the route through one.

#ifndef SLO_VERIFY_HIT_RATE_RULE_HPP
#define SLO_VERIFY_HIT_RATE_RULE_HPP

#include <slo/engine/prefix_cache.hpp>
#include <slo/verify/rule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace slo::verify {

/// Plays requests through a cache of blocks as engines keep it: whole blocks only, the last token of a prompt
/// always computed, the least recently used block evicted. Each of a request's n answers looks its prompt up,
/// one after the other, and all hold their blocks until the request ends; requests follow one another.
class CachePlay {
public:
    /// `blocks` and `block_tokens` at least 1.
    CachePlay(std::int64_t blocks, std::int64_t block_tokens) : cache_(blocks), block_tokens_(block_tokens) {}

    /// One request of `n` answers.
    void request(std::span<const tokens::Token> prompt, std::int64_t n)
    {
        const auto hashes = block_hashes(prompt);
        const auto findable = std::span(hashes).first(
            prompt.empty() ? 0 : (prompt.size() - 1) / static_cast<std::size_t>(block_tokens_));
        held_.clear();
        for (std::int64_t answer = 0; answer < n; ++answer) {
            const auto matched = cache_.match(findable);
            for (const auto hash : findable.first(matched))
                held_.push_back(cache_.take(hash));
            for (const auto hash : std::span(hashes).subspan(matched)) {
                const auto block = cache_.allocate();
                if (!block)
                    break; // a cache smaller than the request: the rest is computed and not kept
                cache_.publish(*block, hash);
                held_.push_back(*block);
            }
            hit_tokens_ += static_cast<std::int64_t>(matched) * block_tokens_;
            prompt_tokens_ += static_cast<std::int64_t>(prompt.size());
        }
        // The end of a prompt is of use to nobody else and goes first.
        for (auto block = held_.rbegin(); block != held_.rend(); ++block)
            cache_.release(*block);
    }

    std::int64_t hit_tokens() const noexcept { return hit_tokens_; }
    /// Of all answers: n times a prompt's.
    std::int64_t prompt_tokens() const noexcept { return prompt_tokens_; }
    /// Nothing before the first token.
    std::optional<double> hit_rate() const noexcept
    {
        if (prompt_tokens_ == 0)
            return std::nullopt;
        return static_cast<double>(hit_tokens_) / static_cast<double>(prompt_tokens_);
    }

private:
    std::vector<engine::BlockHash> block_hashes(std::span<const tokens::Token> prompt) const
    {
        std::vector<engine::BlockHash> hashes;
        engine::BlockHash running = 0x5eed;
        const auto size = static_cast<std::size_t>(block_tokens_);
        for (std::size_t i = 0; i < prompt.size(); ++i) {
            running = engine::mix64(running ^ (prompt[i] + 0x9e3779b97f4a7c15ULL * (i % size + 1)));
            if ((i + 1) % size == 0)
                hashes.push_back(running);
        }
        return hashes;
    }

    engine::PrefixCache cache_;
    std::int64_t block_tokens_;
    std::vector<engine::BlockId> held_;
    std::int64_t hit_tokens_ = 0;
    std::int64_t prompt_tokens_ = 0;
};

/// What a route's hit rate is expected to be.
struct HitRateOptions {
    std::int64_t cache_blocks = 0;
    std::int64_t block_tokens = 16;
    std::optional<std::int64_t> n; ///< answers to each request; else as its body says
    double low = 0;                ///< the rate must lie between these
    double high = 1;
};

/// The hit rate of the route lies in a range.
class HitRateRule : public Rule {
public:
    explicit HitRateRule(const HitRateOptions& options)
        : options_(options), play_(options.cache_blocks, options.block_tokens)
    {
    }

    void look(const Row& row) override
    {
        if (!row.tokens())
            return;
        const auto n = options_.n.value_or(row.body_count("n").value_or(1));
        play_.request(*row.tokens(), std::clamp<std::int64_t>(n, 1, 128)); // no engine gives more answers
    }

    RuleReport report() override
    {
        const auto rate = play_.hit_rate();
        report_.expected = "a hit rate from " + format_double(options_.low) + " to " +
                           format_double(options_.high) + " with " +
                           counted(static_cast<std::uint64_t>(options_.cache_blocks), "block") + " of " +
                           counted(static_cast<std::uint64_t>(options_.block_tokens), "token");
        report_.seen = rate ? format_fixed(*rate * 100, 2) + " % of " +
                                  counted(static_cast<std::uint64_t>(play_.prompt_tokens()), "prompt token")
                            : "no tokens";
        report_.figures["hit_rate"] = or_null(rate);
        report_.figures["hit_tokens"] = play_.hit_tokens();
        report_.figures["prompt_tokens"] = play_.prompt_tokens();
        if (!rate || *rate < options_.low || *rate > options_.high)
            report_.findings.add("a hit rate of " + report_.seen);
        return std::move(report_);
    }

private:
    HitRateOptions options_;
    CachePlay play_;
    RuleReport report_;
};

} // namespace slo::verify

#endif
