// SPDX-License-Identifier: MIT
#include <slo/workload/quota_rows.hpp>

#define BOOST_TEST_MODULE workload_quota_rows
#include <boost/test/unit_test.hpp>

#include "../../support/odd_tokenizer.hpp"
#include "../../support/small_quota.hpp"

#include <string>
#include <vector>

using namespace slo;
using workload::BuiltRow;
using workload::Candidate;

namespace {

bool none_taken(const tokens::TokenList&)
{
    return false;
}

// A spec, a pool of it and a maker.
struct Workshop {
    explicit Workshop(const std::string& text, int conversations = 60)
        : spec(test::quota_spec(text)), pool(test::small_pool(spec, conversations)),
          maker(spec, pool, tokenizer, 1)
    {
    }

    workload::RowGroup bucket(std::size_t index) const
    {
        return {spec.buckets[index].name, spec.buckets[index].rows, &spec.buckets[index], nullptr};
    }
    workload::RowGroup category(std::size_t index) const
    {
        return {spec.categories[index].name, spec.categories[index].rows, nullptr, &spec.categories[index]};
    }

    test::OddTokenizer tokenizer;
    workload::QuotaSpec spec;
    std::vector<workload::Conversation> pool;
    workload::RowMaker maker;
};

} // namespace

BOOST_AUTO_TEST_CASE(a_row_of_a_bucket)
{
    Workshop shop(test::small_quota_text());
    const auto rows = shop.maker.make(shop.bucket(1), {{5, 0, 5}, {9, 1, 9}}, none_taken);
    for (const auto& row : rows) {
        BOOST_TEST(row.why_not == "");
        BOOST_TEST(row.facts.prompt_tokens == 180);
        BOOST_TEST(shop.tokenizer.count_prompt(parse_json(row.prompt)) == 180);
        const auto again = shop.maker.draft(shop.maker.history(shop.bucket(1), row), row);
        BOOST_TEST(to_json(again.prompt()) == row.prompt);
    }
    BOOST_TEST(rows[0].facts.turns_in == 4); // the last of five
    BOOST_TEST(rows[0].facts.entry == "direct");
    BOOST_TEST(rows[1].facts.turns_in == 4); // three and what the entry appends
    BOOST_TEST(rows[1].facts.entry == "late");
    BOOST_TEST(rows[1].prompt.find("shall we go") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(all_rows_of_a_batch_in_few_calls)
{
    Workshop shop(test::small_quota_text(), 200);
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < 200; ++i)
        candidates.push_back({i, 0, i});
    const auto rows = shop.maker.make(shop.bucket(0), candidates, none_taken);
    BOOST_TEST(rows.size() == 200);
    BOOST_TEST(shop.tokenizer.calls < 12);
}

BOOST_AUTO_TEST_CASE(why_a_conversation_is_no_row)
{
    Workshop shop(test::small_quota_text());
    shop.pool[3].blocks[0] = std::string(2000, 'x');
    BOOST_TEST(shop.maker.make(shop.bucket(0), {{3, 0, 3}}, none_taken)[0].why_not ==
               "the system message alone is over the budget");
    const auto all_taken = [](const tokens::TokenList&) { return true; };
    BOOST_TEST(shop.maker.make(shop.bucket(0), {{4, 0, 4}}, all_taken)[0].why_not ==
               workload::first_block_taken);
}

BOOST_AUTO_TEST_CASE(made_histories_grow_until_the_promise_is_kept)
{
    Workshop shop(test::small_boundary_text());
    const auto rows = shop.maker.make(shop.category(0), {{1, 0, 1}, {2, 0, 2}, {3, 1, 3}}, none_taken);
    for (const auto& row : rows) {
        BOOST_TEST(row.why_not == "");
        BOOST_TEST(row.facts.trimmed);
        BOOST_TEST(row.facts.local_tokens >= 145);
        BOOST_TEST(row.facts.local_tokens <= 150);
        BOOST_TEST(row.facts.prompt_tokens == 150);
        BOOST_TEST(row.made_words >= 3);
    }
    BOOST_TEST(rows[0].facts.turns_in == 9);
    BOOST_TEST(rows[2].facts.turns_in == 10);
}

BOOST_AUTO_TEST_CASE(a_promise_that_no_length_keeps)
{
    auto text = test::small_boundary_text();
    text.replace(text.find("trimmed: true"), 13, "turns_in: 3");
    Workshop shop(text);
    BOOST_TEST(shop.maker.make(shop.category(0), {{1, 0, 1}}, none_taken)[0].why_not ==
               "not as the category expects");
}

BOOST_AUTO_TEST_CASE(a_category_may_look_at_fewer_messages)
{
    Workshop shop(test::small_boundary_text());
    const auto row = shop.maker.make(shop.category(4), {{5, 1, 5}}, none_taken)[0];
    BOOST_TEST(row.why_not == "");
    BOOST_TEST(row.facts.turns_in == 3); // two and what the entry appends
}

BOOST_AUTO_TEST_CASE(spread_lengths_fill_the_bucket_whatever_the_batch)
{
    auto text = test::small_quota_text();
    text.replace(text.find("\".\"]"), 4, "\".\"], spread: true");
    Workshop shop(text, 200);
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < 200; ++i)
        candidates.push_back({i, 0, i});
    const auto rows = shop.maker.make(shop.bucket(1), candidates, none_taken);
    std::set<std::int64_t> lengths;
    for (const auto& row : rows) {
        BOOST_TEST(row.why_not == "");
        BOOST_TEST(shop.spec.buckets[1].holds(row.facts.prompt_tokens));
        lengths.insert(row.facts.prompt_tokens);
    }
    BOOST_TEST(lengths.size() > 50);
    BOOST_TEST(shop.maker.make(shop.bucket(1), {candidates[77]}, none_taken)[0].facts.prompt_tokens ==
               rows[77].facts.prompt_tokens);
}
