#include <slo/workload/cache_expectation.hpp>

#define BOOST_TEST_MODULE workload_cache_expectation
#include <boost/test/unit_test.hpp>

using namespace slo;

namespace {

tokens::TokenList tokens_from(tokens::Token first, std::size_t count)
{
    tokens::TokenList list;
    for (std::size_t i = 0; i < count; ++i)
        list.push_back(first + static_cast<tokens::Token>(i));
    return list;
}

} // namespace

BOOST_AUTO_TEST_CASE(whole_blocks_that_came_before_are_found_again)
{
    workload::CacheExpectation cache;
    cache.add(tokens_from(0, 40));  // 2 blocks kept
    cache.add(tokens_from(0, 100)); // finds 32
    cache.add(tokens_from(1, 100)); // nothing: shifted by a token
    auto other = tokens_from(0, 100);
    other[50] = 7;
    cache.add(other); // finds 48
    BOOST_TEST(
        to_json(cache.facts()) ==
        R"({"block_tokens":16,"prompt_tokens":340,"shared_tokens":80,"hit_rate":0.23529411764705882})");
}

BOOST_AUTO_TEST_CASE(the_last_token_is_always_computed)
{
    workload::CacheExpectation cache;
    cache.add(tokens_from(0, 32));
    cache.add(tokens_from(0, 32));
    BOOST_TEST(cache.facts().at("shared_tokens") == 16);
    cache.add(tokens_from(0, 33));
    BOOST_TEST(cache.facts().at("shared_tokens") == 48);
}

BOOST_AUTO_TEST_CASE(of_nothing_there_is_no_rate)
{
    BOOST_TEST(workload::CacheExpectation().facts().at("hit_rate").is_null());
}
