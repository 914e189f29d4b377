// SPDX-License-Identifier: MIT
// The KV cache: blocks with reference counts, found again by the hash of their content, evicted least
// recently used first.

#ifndef SLO_ENGINE_PREFIX_CACHE_HPP
#define SLO_ENGINE_PREFIX_CACHE_HPP

#include <slo/engine/prompt.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace slo::engine {

/// A block's place in the cache.
using BlockId = std::int32_t;

/// A fixed number of blocks. A block is in use (its count of references is above zero) or free; a free block
/// keeps its content, and can be taken again by hash, until allocate() needs it for something else.
class PrefixCache {
public:
    /// Without `reuse` no block is ever found again.
    explicit PrefixCache(std::int64_t blocks, bool reuse = true)
        : blocks_(static_cast<std::size_t>(blocks) + 1), free_(blocks), reuse_(reuse)
    {
        const auto end = static_cast<BlockId>(blocks);
        for (BlockId i = 0; i <= end; ++i) {
            at(i).next = i == end ? 0 : i + 1;
            at(i).previous = i == 0 ? end : i - 1;
        }
    }

    /// How many of the leading `hashes` name blocks that hold that content now.
    std::size_t match(std::span<const BlockHash> hashes) const
    {
        std::size_t matched = 0;
        while (matched < hashes.size() && found_.contains(hashes[matched]))
            ++matched;
        return matched;
    }

    /// How many of these hashes, all of them present, name blocks that are free: taking them uses up free
    /// blocks.
    std::int64_t free_among(std::span<const BlockHash> hashes) const
    {
        std::int64_t count = 0;
        for (const auto hash : hashes)
            count += at(found_.find(hash)->second).references == 0;
        return count;
    }

    /// One reference more to the block that holds this content; it must be present.
    BlockId take(BlockHash hash)
    {
        const auto id = found_.find(hash)->second;
        if (at(id).references++ == 0)
            unlink(id);
        return id;
    }

    /// A block for new content with one reference, its old content forgotten; nothing when none is free.
    std::optional<BlockId> allocate()
    {
        if (free_ == 0)
            return std::nullopt;
        const auto id = at(end_mark).next;
        unlink(id);
        forget(id);
        at(id).references = 1;
        return id;
    }

    /// Says what a block in use holds, so that others can take it; the first block with a content keeps its
    /// name.
    void publish(BlockId id, BlockHash hash)
    {
        if (reuse_ && !at(id).hash && found_.emplace(hash, id).second)
            at(id).hash = hash;
    }

    /// One reference less. A free block that can be found again waits last in line to be evicted; one that
    /// cannot is used first.
    void release(BlockId id)
    {
        assert(at(id).references > 0);
        if (--at(id).references == 0)
            link_before(id, at(id).hash ? end_mark : at(end_mark).next);
    }

    std::int64_t total() const noexcept { return static_cast<std::int64_t>(blocks_.size()) - 1; }
    std::int64_t free() const noexcept { return free_; }
    /// Share of the blocks in use, 0 to 1.
    double usage() const noexcept
    {
        return static_cast<double>(total() - free_) / static_cast<double>(total());
    }

private:
    // Block 0 is no block but the mark between the last and the first of the free list.
    static constexpr BlockId end_mark = 0;

    struct Block {
        std::optional<BlockHash> hash;
        std::int32_t references = 0;
        BlockId previous = 0;
        BlockId next = 0;
    };

    Block& at(BlockId id) noexcept { return blocks_[static_cast<std::size_t>(id)]; }
    const Block& at(BlockId id) const noexcept { return blocks_[static_cast<std::size_t>(id)]; }

    void unlink(BlockId id) noexcept
    {
        at(at(id).previous).next = at(id).next;
        at(at(id).next).previous = at(id).previous;
        --free_;
    }

    void link_before(BlockId id, BlockId other) noexcept
    {
        at(id).next = other;
        at(id).previous = at(other).previous;
        at(at(id).previous).next = id;
        at(other).previous = id;
        ++free_;
    }

    void forget(BlockId id)
    {
        if (at(id).hash) {
            found_.erase(*at(id).hash);
            at(id).hash.reset();
        }
    }

    std::vector<Block> blocks_;
    boost::unordered_flat_map<BlockHash, BlockId> found_;
    std::int64_t free_;
    bool reuse_;
};

} // namespace slo::engine

#endif
