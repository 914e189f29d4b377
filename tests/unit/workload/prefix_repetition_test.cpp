#include <slo/workload/prefix_repetition.hpp>

#define BOOST_TEST_MODULE workload_prefix_repetition
#include <boost/test/unit_test.hpp>

#include "../../support/built_route.hpp"

#include <slo/tokens/sim_tokenizer.hpp>

#include <map>
#include <string>

using namespace slo;

namespace {

workload::PrefixRepetitionOptions small()
{
    workload::PrefixRepetitionOptions options;
    options.rows.tokenizer.how = "sim";
    options.count = 32;
    options.num_prefixes = 5;
    options.prefix_len = "63";
    options.suffix_len = "uniform:10:50";
    return options;
}

} // namespace

BOOST_AUTO_TEST_CASE(prompts_begin_with_one_of_a_few_prefixes)
{
    const auto route = test::build_route(small());
    std::map<std::string, int> prefixes;
    tokens::SimTokenizer sim;
    for (const auto& row : route.rows) {
        const auto& message = row.at("body").at("prompt").at(0);
        const std::string text(message.at("content").as_string());
        std::size_t end = 0;
        for (int i = 0; i < 63; ++i)
            end = text.find(' ', end + 1);
        ++prefixes[text.substr(0, end)];
        BOOST_TEST(sim.count_text(text) >= 73);
        BOOST_TEST(sim.count_text(text) <= 113);
    }
    BOOST_TEST(prefixes.size() == 5u);
    int sevens = 0; // 32 rows over 5 prefixes
    for (const auto& prefix : prefixes) {
        BOOST_TEST((prefix.second == 6 || prefix.second == 7));
        sevens += prefix.second == 7;
    }
    BOOST_TEST(sevens == 2);
    // The marker and 63 tokens are four blocks, found again by all but the first of each prefix.
    BOOST_TEST(route.manifest.at("prefix_cache").at("shared_tokens") == 27 * 64);
}

BOOST_AUTO_TEST_CASE(more_prefixes_than_rows_are_refused)
{
    auto options = small();
    options.num_prefixes = 33;
    BOOST_CHECK_THROW(test::build_route(options), UsageError);
}
