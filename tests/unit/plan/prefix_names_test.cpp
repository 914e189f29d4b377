// SPDX-License-Identifier: MIT
// The counters of an unknown engine's prefix cache, by their names.

#include <slo/plan/prefix_names.hpp>

#define BOOST_TEST_MODULE plan_prefix_names
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::plan;

namespace {

// "layer: hits/denom" of each cache; misses have a '!'. Each metric moves by its place in the text.
std::string guess(const std::string& metrics)
{
    std::string text;
    int value = 0;
    for (std::size_t at = 0; at < metrics.size();) {
        const auto end = std::min(metrics.find(' ', at), metrics.size());
        text += metrics.substr(at, end - at) + " " + std::to_string(++value) + "\n";
        at = end + 1;
    }
    const auto before = record::parse_snapshot("", "");
    const auto after = record::parse_snapshot(text, "");
    std::string found;
    for (const auto& cache : guess_caches(MetricsWindow(before, after)))
        found += (found.empty() ? "" : ", ") + cache.layer + ": " + cache.hits + "/" +
                 (cache.denom_is_total ? "" : "!") + cache.denom;
    return found;
}

} // namespace

BOOST_AUTO_TEST_CASE(pairs_differ_in_the_word_for_what_they_count)
{
    BOOST_TEST(guess("x_prefix_hits x_prefix_queries") == "local: x_prefix_hits/x_prefix_queries");
    BOOST_TEST(guess("a_prefix_hits_total a_prefix_lookups_total b_prefix_requests_total") ==
               "local: a_prefix_hits_total/a_prefix_lookups_total");
    BOOST_TEST(guess("x_prefix_hit_blocks x_prefix_miss_blocks") ==
               "local: x_prefix_hit_blocks/!x_prefix_miss_blocks");
    BOOST_TEST(guess("x_prefix_hits x_prefix_misses x_prefix_lookups") ==
               "local: x_prefix_hits/x_prefix_lookups");
    BOOST_TEST(guess("PrefixMatchTokens PREFIX_LOOKUPS") == "local: PrefixMatchTokens/PREFIX_LOOKUPS");
}

BOOST_AUTO_TEST_CASE(what_counts_something_else_is_left_alone)
{
    BOOST_TEST(guess("x_prefix_hits x_prefix_evicted_total") == "");
    BOOST_TEST(guess("x_prefix_hit_rate x_prefix_queries") == "");
    BOOST_TEST(guess("x_prefix_hits_created x_prefix_queries_total") == "");
    BOOST_TEST(guess("x_prefix_hits_per_pos x_prefix_queries_total") == "");
    BOOST_TEST(guess("x_prefix_hit_seconds_sum x_prefix_queries_total") == "");
    BOOST_TEST(guess("cache_hits cache_queries") == "");
    // The sum of a histogram is none of lookups.
    BOOST_TEST(guess("x_prefix_hits_bucket x_prefix_hits_sum x_prefix_queries") == "");
}

BOOST_AUTO_TEST_CASE(the_twin_with_gpu_in_its_name_steps_back)
{
    BOOST_TEST(guess("x_prefix_hits x_prefix_queries x_gpu_prefix_hits x_gpu_prefix_queries") ==
               "local: x_prefix_hits/x_prefix_queries");
    BOOST_TEST(guess("x_gpu_prefix_hits x_gpu_prefix_queries") ==
               "local: x_gpu_prefix_hits/x_gpu_prefix_queries");
}

BOOST_AUTO_TEST_CASE(layers_stay_apart)
{
    BOOST_TEST(
        guess("x_prefix_hits x_prefix_queries x_external_prefix_hits x_external_prefix_queries "
              "x_mm_prefix_hits x_mm_prefix_queries") ==
        "local: x_prefix_hits/x_prefix_queries, external: x_external_prefix_hits/x_external_prefix_queries, "
        "multimodal: x_mm_prefix_hits/x_mm_prefix_queries");
    BOOST_TEST(guess("x_external_prefix_hits x_prefix_queries") == "");
}

BOOST_AUTO_TEST_CASE(hosts_of_names_end_soon)
{
    std::string many;
    for (int i = 0; i < 20000; ++i)
        many += "x_prefix_hits_" + std::to_string(i) + " x_prefix_queries_" + std::to_string(i) + " ";
    guess(many);
}
