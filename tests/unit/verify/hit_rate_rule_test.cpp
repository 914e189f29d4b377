// SPDX-License-Identifier: MIT
// The cache's play against hand counts.

#include <slo/verify/hit_rate_rule.hpp>

#define BOOST_TEST_MODULE verify_hit_rate_rule
#include <boost/test/unit_test.hpp>

#include "../../support/verified_rows.hpp"

#include <numeric>

using namespace slo;
using namespace slo::verify;

namespace {

tokens::TokenList run_of(std::size_t count, tokens::Token from)
{
    tokens::TokenList list(count);
    std::iota(list.begin(), list.end(), from);
    return list;
}

} // namespace

BOOST_AUTO_TEST_CASE(two_of_three_answers_find_the_whole_blocks)
{
    CachePlay play(1000, 16);
    play.request(run_of(100, 0), 3); // 6 whole blocks
    BOOST_TEST(play.hit_tokens() == 2 * 96);
    BOOST_TEST(play.prompt_tokens() == 300);
}

BOOST_AUTO_TEST_CASE(the_last_token_is_always_computed)
{
    CachePlay play(1000, 16);
    play.request(run_of(32, 0), 2);
    BOOST_TEST(play.hit_tokens() == 16);
    play.request({}, 3);
    BOOST_TEST(play.prompt_tokens() == 64);
}

BOOST_AUTO_TEST_CASE(three_answers_come_near_two_thirds)
{
    CachePlay play(100000, 16);
    for (unsigned i = 0; i < 200; ++i)
        play.request(run_of(3000 + i * 7, i * 10000), 3);
    BOOST_TEST(play.hit_rate().value() < 2.0 / 3);
    BOOST_TEST(play.hit_rate().value() > 0.664);
}

BOOST_AUTO_TEST_CASE(a_later_request_finds_what_is_still_there)
{
    const auto hits = [](std::int64_t blocks) {
        CachePlay play(blocks, 16);
        play.request(run_of(65, 0), 1);
        play.request(run_of(65, 1000), 1);
        play.request(run_of(65, 0), 1);
        return play.hit_tokens();
    };
    BOOST_TEST(hits(8) == 64);
    BOOST_TEST(hits(7) == 48); // one block was evicted: the end of the prompt goes first
    BOOST_TEST(hits(4) == 0);
}

BOOST_AUTO_TEST_CASE(a_prefix_is_its_whole_history)
{
    CachePlay play(1000, 4);
    auto other = run_of(12, 0);
    other[0] = 99;
    play.request(run_of(12, 0), 1);
    play.request(other, 1);
    BOOST_TEST(play.hit_tokens() == 0);
    other = run_of(12, 0);
    other[5] = 99;
    play.request(other, 1);
    BOOST_TEST(play.hit_tokens() == 4);
}

BOOST_AUTO_TEST_CASE(a_cache_smaller_than_a_request)
{
    CachePlay play(2, 16);
    play.request(run_of(100, 0), 3);
    BOOST_TEST(play.hit_tokens() == 2 * 32);
    play.request(run_of(100, 5000), 1);
    play.request(run_of(100, 0), 1);
    BOOST_TEST(play.hit_tokens() == 2 * 32);
}

BOOST_AUTO_TEST_CASE(the_rule)
{
    const std::vector<std::string> rows{row_text(R"({"prompt":"a","n":2})"), row_text(R"({"prompt":"b"})")};
    const std::vector<tokens::TokenList> lists{run_of(33, 0), run_of(33, 0)};
    HitRateRule rule({100, 16, {}, 0.6, 0.7});
    const auto report = judge(rule, rows, lists);
    BOOST_TEST(report.figures.at("hit_tokens").as_int64() == 64); // one of two answers, then the repetition
    BOOST_TEST(report.figures.at("prompt_tokens").as_int64() == 99);
    BOOST_TEST(report.findings.empty());
    HitRateRule single({100, 16, 1, 0.6, 0.7});
    BOOST_TEST(judge(single, rows, lists).figures.at("hit_tokens").as_int64() == 32);
    HitRateRule nothing({100, 16, {}, 0, 1});
    BOOST_TEST(judge(nothing, {}).findings.count() == 1U);
}
