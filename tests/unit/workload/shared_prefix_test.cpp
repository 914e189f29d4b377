#include <slo/workload/shared_prefix.hpp>

#define BOOST_TEST_MODULE workload_shared_prefix
#include <boost/test/unit_test.hpp>

#include "../../support/built_route.hpp"

#include <slo/tokens/sim_tokenizer.hpp>

#include <cmath>
#include <map>
#include <set>
#include <string>

using namespace slo;

namespace {

workload::SharedPrefixOptions small()
{
    workload::SharedPrefixOptions options;
    options.rows.tokenizer.how = "sim";
    options.groups = 5;
    options.prompts_per_group = 8;
    options.system_len = "uniform:100:130";
    options.question_len = "40";
    return options;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_group_has_one_system_prompt_and_questions_of_its_own)
{
    const auto route = test::build_route(small());
    std::map<std::string, int> systems;
    std::set<std::string> questions;
    std::string order;
    tokens::SimTokenizer sim;
    for (const auto& row : route.rows) {
        const auto& prompt = row.at("body").at("prompt").as_array();
        BOOST_TEST(prompt.at(0).at("role") == "system");
        const std::string system(prompt.at(0).at("content").as_string());
        const std::string question(prompt.at(1).at("content").as_string());
        order += std::to_string(std::distance(systems.begin(), systems.try_emplace(system).first));
        ++systems[system];
        questions.insert(question);
        BOOST_TEST(sim.count_text(question) == 40);
        BOOST_TEST(sim.count_text(system) >= 100);
        BOOST_TEST(sim.count_text(system) <= 130);
    }
    BOOST_TEST(systems.size() == 5u);
    for (const auto& group : systems)
        BOOST_TEST(group.second == 8);
    BOOST_TEST(questions.size() == 40u);
    BOOST_TEST(order.substr(0, 10) != order.substr(5, 10)); // not one group after the other
    BOOST_TEST(to_json(route.manifest.at("groups")) == R"({"used":5,"largest":8,"smallest":8})");
}

BOOST_AUTO_TEST_CASE(the_manifest_says_what_a_cache_can_save)
{
    auto options = small();
    options.system_len = "127"; // with its marker 8 whole blocks
    const auto route = test::build_route(options);
    const auto& cache = route.manifest.at("prefix_cache").as_object();
    BOOST_TEST(cache.at("prompt_tokens") == 40 * (127 + 40 + 5));
    BOOST_TEST(cache.at("shared_tokens") == 35 * 128);
}

// Pearson's chi-square against rank^-1.1; 16.92 is its 95 % point at 9 degrees of freedom.
BOOST_AUTO_TEST_CASE(popularity_follows_zipf)
{
    auto options = small();
    options.groups = 10;
    options.prompts_per_group = 2000;
    options.zipf = 1.1;
    Random random(3);
    std::map<std::uint32_t, int> counts;
    for (const auto group : options.group_order(random))
        ++counts[group];
    double sum = 0;
    for (int k = 1; k <= 10; ++k)
        sum += std::pow(k, -1.1);
    double chi_square = 0;
    for (int k = 1; k <= 10; ++k) {
        const double expected = 20000 * std::pow(k, -1.1) / sum;
        chi_square += std::pow(counts[static_cast<std::uint32_t>(k - 1)] - expected, 2) / expected;
    }
    BOOST_TEST(chi_square < 16.92);
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused)
{
    auto options = small();
    options.groups = 0;
    BOOST_CHECK_THROW(test::build_route(options), UsageError);
    options = small();
    options.groups = 1000000;
    options.prompts_per_group = 101;
    BOOST_CHECK_THROW(test::build_route(options), UsageError);
    options = small();
    options.zipf = -1;
    BOOST_CHECK_THROW(test::build_route(options), UsageError);
}
