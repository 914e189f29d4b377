// SPDX-License-Identifier: MIT
// A prompt as the engine keeps it: its length and the hash chain of its blocks.

#ifndef SLO_ENGINE_PROMPT_HPP
#define SLO_ENGINE_PROMPT_HPP

#include <slo/engine/tokenizer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace slo::engine {

/// Tokens whose keys and values one block of the KV cache holds.
inline constexpr std::int64_t block_tokens = 16;

/// Names the content of a block and of all blocks before it.
using BlockHash = std::uint64_t;

/// Blocks that `tokens` tokens take.
constexpr std::int64_t blocks_for(std::int64_t tokens) noexcept
{
    return (tokens + block_tokens - 1) / block_tokens;
}

/// Builds the hash chain of a sequence token by token.
class BlockHashChain {
public:
    /// Takes one token more; true when it completed a block, whose hash is then last().
    bool push(Token token) noexcept
    {
        running_ = mix64(running_ ^ (token + 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(++filled_)));
        if (filled_ < block_tokens)
            return false;
        filled_ = 0;
        return true;
    }

    /// The hash of the block completed last.
    BlockHash last() const noexcept { return running_; }

private:
    std::uint64_t running_ = 0x5eed5eed5eed5eedULL;
    std::int64_t filled_ = 0;
};

/// A prompt, immutable and shared by all sequences that begin with it.
class Prompt {
public:
    explicit Prompt(std::span<const Token> tokens) : tokens_(static_cast<std::int64_t>(tokens.size()))
    {
        hashes_.reserve(tokens.size() / static_cast<std::size_t>(block_tokens));
        for (const auto token : tokens)
            if (chain_.push(token))
                hashes_.push_back(chain_.last());
    }

    std::int64_t tokens() const noexcept { return tokens_; }
    /// One hash for each full block.
    std::span<const BlockHash> block_hashes() const noexcept { return hashes_; }
    /// The chain as it stands after the last token, for a sequence to go on with.
    const BlockHashChain& chain() const noexcept { return chain_; }

private:
    std::int64_t tokens_;
    std::vector<BlockHash> hashes_;
    BlockHashChain chain_;
};

} // namespace slo::engine

#endif
