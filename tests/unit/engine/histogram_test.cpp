// SPDX-License-Identifier: MIT
#include <slo/engine/histogram.hpp>
#define BOOST_TEST_MODULE engine_histogram
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <vector>

using namespace slo::engine;

BOOST_AUTO_TEST_CASE(a_bound_belongs_to_its_bucket)
{
    static constexpr std::array bounds{1.0, 2.0};
    Histogram histogram(bounds);
    for (const double value : {0.5, 1.0, 1.5, 2.5})
        histogram.observe(value);
    const std::vector<std::int64_t> expected{2, 1, 1};
    BOOST_TEST(std::vector<std::int64_t>(histogram.counts().begin(), histogram.counts().end()) == expected);
    BOOST_TEST(histogram.count() == 4);
    BOOST_TEST(histogram.sum() == 5.5);
}

BOOST_AUTO_TEST_CASE(all_bounds_ascend)
{
    for (const auto* bounds : {&vllm_bounds, &sglang_bounds, &tgi_bounds})
        for (const auto& some :
             {bounds->first_token, bounds->token_gap, bounds->latency, bounds->queue, bounds->token_count}) {
            BOOST_TEST(std::is_sorted(some.begin(), some.end()));
            BOOST_TEST((std::adjacent_find(some.begin(), some.end()) == some.end()));
        }
}
