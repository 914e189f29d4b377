// SPDX-License-Identifier: MIT
#include <slo/workload/quota_fill.hpp>

#define BOOST_TEST_MODULE workload_quota_fill
#include <boost/test/unit_test.hpp>

#include "../../support/odd_tokenizer.hpp"
#include "../../support/small_quota.hpp"

#include <set>
#include <string>
#include <vector>

using namespace slo;
using workload::FilledRow;

namespace {

struct Workshop {
    explicit Workshop(const std::string& text, int conversations)
        : spec(test::quota_spec(text)), pool(test::small_pool(spec, conversations)),
          maker(spec, pool, tokenizer, 1), filler(spec, pool, maker)
    {
    }

    std::vector<FilledRow> fill()
    {
        std::vector<FilledRow> rows;
        for (std::size_t i = 0; i < spec.buckets.size(); ++i)
            if (spec.buckets[i].rows > 0)
                filler.fill({spec.buckets[i].name, spec.buckets[i].rows, &spec.buckets[i], nullptr}, i, rows);
        for (std::size_t i = 0; i < spec.categories.size(); ++i)
            filler.fill({spec.categories[i].name, spec.categories[i].rows, nullptr, &spec.categories[i]}, i,
                        rows);
        return rows;
    }

    std::string lacking()
    {
        try {
            fill();
        } catch (const Error& error) {
            return error.what();
        }
        return "filled";
    }

    test::OddTokenizer tokenizer;
    workload::QuotaSpec spec;
    std::vector<workload::Conversation> pool;
    workload::RowMaker maker;
    workload::QuotaFiller filler;
};

} // namespace

BOOST_AUTO_TEST_CASE(each_conversation_once_and_every_third_is_late)
{
    Workshop shop(test::small_quota_text(), 40);
    const auto rows = shop.fill();
    BOOST_TEST(rows.size() == 12);
    std::set<std::size_t> conversations;
    for (const auto& [group, row] : rows) {
        conversations.insert(row.candidate.conversation);
        BOOST_TEST(row.facts.entry == (row.candidate.turn % 3 == 0 ? "late" : "direct"));
        BOOST_TEST(row.facts.prompt_tokens == shop.spec.buckets[group].target);
        BOOST_TEST(row.prompt == ""); // memory: it can be made again
    }
    BOOST_TEST(conversations.size() == 12);
    BOOST_TEST(shop.filler.left_out().empty());
}

BOOST_AUTO_TEST_CASE(twins_are_passed_over)
{
    Workshop shop(test::small_quota_text(), 40);
    for (const std::size_t i : {1U, 2U, 7U})
        shop.pool[i].blocks[0] = shop.pool[0].blocks[0] =
            "the same and the same and the same again, to fill the block";
    BOOST_TEST(shop.fill().size() == 12);
    BOOST_TEST(shop.filler.left_out().at("the first block is in the route already") == 3);
}

BOOST_AUTO_TEST_CASE(a_pool_of_twins_ends_with_the_reasons)
{
    Workshop shop(test::small_quota_text(), 20);
    for (auto& conversation : shop.pool)
        conversation.blocks[0] = "the same and the same and the same again, to fill the block";
    BOOST_TEST(shop.lacking() ==
               "'short': lacks 3 of 4 rows after 24 tries (1: the conversation is in the route "
               "already; 22: the first block is in the route already)");
}

BOOST_AUTO_TEST_CASE(system_messages_that_are_too_long)
{
    Workshop shop(test::small_quota_text(), 20);
    for (std::size_t i = 0; i < 18; ++i)
        shop.pool[i].blocks[0] += std::string(1000, 'x');
    BOOST_TEST(shop.lacking().find("'short': lacks 2 of 4 rows") == 0);
    BOOST_TEST(shop.lacking().find(": the system message alone is over the budget") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(categories_choose_their_conversations)
{
    Workshop shop(test::small_boundary_text(), 80);
    const auto rows = shop.fill();
    BOOST_TEST(rows.size() == 10);
    for (const auto& [group, row] : rows) {
        const auto& conversation = shop.pool[row.candidate.conversation];
        const auto& category = shop.spec.categories[group];
        BOOST_TEST(workload::broken_part(category.promise, row.facts) == "");
        if (category.name == "foreign")
            BOOST_TEST(conversation.language == "de");
        if (category.name == "joined")
            BOOST_TEST(workload::has_same_role_neighbours(conversation.history));
        if (category.name == "late")
            BOOST_TEST(row.facts.entry == "late");
    }
}

BOOST_AUTO_TEST_CASE(a_category_that_the_pool_does_not_have)
{
    Workshop shop(test::small_boundary_text(), 30);
    for (auto& conversation : shop.pool)
        conversation.language = "English";
    BOOST_TEST(shop.lacking() ==
               "'foreign': lacks 2 of 2 rows after 30 tries (3: the conversation is in the route "
               "already; 27: the conversation is none of the category's)");
}
