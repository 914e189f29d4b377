// SPDX-License-Identifier: MIT
#include <slo/engine/prompt.hpp>
#define BOOST_TEST_MODULE engine_prompt
#include <boost/test/unit_test.hpp>

#include <vector>

using namespace slo::engine;

BOOST_AUTO_TEST_CASE(blocks_are_of_sixteen_tokens)
{
    BOOST_TEST(blocks_for(0) == 0);
    BOOST_TEST(blocks_for(1) == 1);
    BOOST_TEST(blocks_for(16) == 1);
    BOOST_TEST(blocks_for(17) == 2);
}

BOOST_AUTO_TEST_CASE(only_full_blocks_have_a_hash_and_the_chain_goes_on_behind_them)
{
    std::vector<Token> tokens;
    for (Token i = 0; i < 64; ++i)
        tokens.push_back(i * i);
    const Prompt whole(tokens);
    BOOST_TEST(whole.tokens() == 64);
    BOOST_TEST(whole.block_hashes().size() == 4u);
    for (std::size_t cut = 0; cut <= 64; ++cut) {
        const Prompt beginning(std::span<const Token>(tokens).first(cut));
        BOOST_TEST(beginning.block_hashes().size() == cut / 16);
        auto chain = beginning.chain();
        std::vector<BlockHash> hashes(beginning.block_hashes().begin(), beginning.block_hashes().end());
        for (std::size_t i = cut; i < 64; ++i)
            if (chain.push(tokens[i]))
                hashes.push_back(chain.last());
        BOOST_TEST(hashes == std::vector<BlockHash>(whole.block_hashes().begin(), whole.block_hashes().end()),
                   boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(order_and_beginning_are_part_of_a_hash)
{
    std::vector<Token> a(32, 1), b(32, 1), c(32, 1);
    b[3] = 2;
    c[4] = 2;
    const Prompt first(a), second(b), third(c);
    BOOST_TEST(first.block_hashes()[1] != second.block_hashes()[1]);
    BOOST_TEST(second.block_hashes()[0] != third.block_hashes()[0]);
    BOOST_TEST(first.block_hashes()[0] != first.block_hashes()[1]);
}
