// SPDX-License-Identifier: MIT
#include <slo/engine/prefix_cache.hpp>
#define BOOST_TEST_MODULE engine_prefix_cache
#include <boost/test/unit_test.hpp>

#include <vector>

using namespace slo::engine;

namespace {

std::vector<BlockHash> hashes_of(std::size_t tokens, Token first = 1)
{
    std::vector<Token> list;
    for (std::size_t i = 0; i < tokens; ++i)
        list.push_back(first + static_cast<Token>(i));
    const auto prompt = Prompt(list);
    return {prompt.block_hashes().begin(), prompt.block_hashes().end()};
}

} // namespace

BOOST_AUTO_TEST_CASE(only_full_blocks_have_a_hash_and_it_names_all_before_it)
{
    BOOST_TEST(hashes_of(15).empty());
    BOOST_TEST(hashes_of(47).size() == 2u);
    const auto a = hashes_of(48), b = hashes_of(48, 2);
    BOOST_TEST(a[0] != b[0]);
    std::vector<Token> other(48);
    for (std::size_t i = 0; i < 48; ++i)
        other[i] = i == 0 ? 99 : static_cast<Token>(1 + i);
    const auto c = Prompt(other);
    // The third block has the same tokens, yet another content, since its beginning differs.
    BOOST_TEST(c.block_hashes()[2] != a[2]);
}

BOOST_AUTO_TEST_CASE(a_released_block_is_found_again_until_it_is_evicted_oldest_first)
{
    PrefixCache cache(3);
    const auto hashes = hashes_of(48);
    std::vector<BlockId> blocks;
    for (const auto hash : hashes) {
        blocks.push_back(*cache.allocate());
        cache.publish(blocks.back(), hash);
    }
    BOOST_TEST(!cache.allocate().has_value());
    BOOST_TEST(cache.usage() == 1.0);
    BOOST_TEST(cache.match(hashes) == 3u);
    // The tail is released first, so it is evicted first.
    cache.release(blocks[2]);
    cache.release(blocks[1]);
    cache.release(blocks[0]);
    BOOST_TEST(cache.free() == 3);
    BOOST_TEST(cache.match(hashes) == 3u);
    BOOST_TEST(cache.free_among(hashes) == 3);
    const auto fresh = *cache.allocate();
    BOOST_TEST(fresh == blocks[2]);
    BOOST_TEST(cache.match(hashes) == 2u);
    const auto again = cache.take(hashes[0]);
    BOOST_TEST(again == blocks[0]);
    BOOST_TEST(cache.free() == 1);
    BOOST_TEST(*cache.allocate() == blocks[1]);
    BOOST_TEST(!cache.allocate().has_value());
}

BOOST_AUTO_TEST_CASE(a_shared_block_is_free_only_when_all_let_go)
{
    PrefixCache cache(2);
    const auto hash = hashes_of(16)[0];
    const auto block = *cache.allocate();
    cache.publish(block, hash);
    BOOST_TEST(cache.take(hash) == block);
    cache.release(block);
    BOOST_TEST(cache.free() == 1);
    cache.release(block);
    BOOST_TEST(cache.free() == 2);
}

BOOST_AUTO_TEST_CASE(the_first_block_with_a_content_keeps_its_name)
{
    PrefixCache cache(2);
    const auto hashes = hashes_of(16);
    const auto first = *cache.allocate(), second = *cache.allocate();
    cache.publish(first, hashes[0]);
    cache.publish(second, hashes[0]);
    cache.release(second);
    // The nameless one is of no use to anyone and is handed out first.
    cache.release(first);
    BOOST_TEST(*cache.allocate() == second);
    BOOST_TEST(cache.match(hashes) == 1u);
}

BOOST_AUTO_TEST_CASE(without_reuse_nothing_is_found)
{
    PrefixCache cache(2, false);
    const auto hashes = hashes_of(16);
    cache.publish(*cache.allocate(), hashes[0]);
    BOOST_TEST(cache.match(hashes) == 0u);
}
