// SPDX-License-Identifier: MIT
#include <slo/engine/measure_rate.hpp>
#define BOOST_TEST_MODULE engine_measure_rate
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>
#include <slo/engine/named_profile.hpp>

#include <cmath>
#include <memory>
#include <vector>

using namespace slo;
using namespace slo::engine;

namespace {

std::vector<WorkRequest> workload()
{
    std::vector<WorkRequest> rows(20);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::vector<Token> tokens;
        for (std::size_t t = 0; t < 60; ++t)
            tokens.push_back(static_cast<Token>(i * 10000 + t));
        rows[i].prompt = std::make_shared<Prompt>(tokens);
        rows[i].limits.max_tokens = 20;
    }
    return rows;
}

RateMeasurement measure(double qps, const Profile& profile = *named_profile("small"))
{
    RateOptions options;
    options.objectives = {stats::parse_objective("e2e:p50<0.3"), stats::parse_objective("success>=99%")};
    options.arrival.process = stats::Process::poisson;
    options.requests = 4000;
    options.warm_up_s = 5;
    return measure_rate(profile, workload(), qps, options);
}

} // namespace

BOOST_AUTO_TEST_CASE(the_deviation_of_independent_requests_is_the_binomial_one)
{
    Random random(9);
    std::vector<engine::detail::Batch> batches(400);
    for (auto& batch : batches) {
        batch.requests = 50;
        for (int i = 0; i < 50; ++i)
            batch.met += random.uniform() < 0.9;
    }
    const auto estimate = engine::detail::estimate_share(batches);
    BOOST_TEST(estimate.requests == 20000);
    BOOST_TEST(std::abs(estimate.share - 0.9) < 0.01);
    BOOST_TEST(estimate.deviation == std::sqrt(0.09 / 20000), boost::test_tools::tolerance(0.15));
    BOOST_TEST(engine::detail::estimate_share(std::vector<engine::detail::Batch>(25)).requests == 0);
}

BOOST_AUTO_TEST_CASE(batches_that_are_alike_widen_it)
{
    std::vector<engine::detail::Batch> batches(24, {50, 50});
    for (std::size_t i = 0; i < 12; ++i)
        batches[2 * i].met = 30;
    const double alternating = engine::detail::estimate_share(batches).deviation;
    for (std::size_t i = 0; i < 24; ++i)
        batches[i].met = i < 12 ? 30 : 50;
    BOOST_TEST(engine::detail::estimate_share(batches).deviation > 2 * alternating);
}

BOOST_AUTO_TEST_CASE(an_overload_is_not_steady)
{
    const auto light = measure(20);
    BOOST_TEST(light.steady);
    BOOST_TEST(light.shares[0].share > 0.99);
    BOOST_TEST(light.shares[0].requests == 4000);
    const auto heavy = measure(200);
    BOOST_TEST(!heavy.steady);
    BOOST_TEST(heavy.shares[0].share < 0.01);
    BOOST_TEST(heavy.shares[1].share == 1.0);
}

BOOST_AUTO_TEST_CASE(refused_requests_meet_nothing)
{
    const auto none = measure(5, *named_profile("refusing"));
    BOOST_TEST(none.shares[0].requests == 4000);
    BOOST_TEST(none.shares[0].share == 0.0);
    BOOST_TEST(none.shares[1].share == 0.0);
    BOOST_TEST(none.steady);
}

BOOST_AUTO_TEST_CASE(a_percentile_needs_more_than_its_share)
{
    const auto percentile = stats::parse_objective("e2e:p50<1");
    const auto success = stats::parse_objective("success>=50%");
    BOOST_TEST(!keeps(percentile, {0.5, 0, 10}));
    BOOST_TEST(keeps(percentile, {0.6, 0, 10}));
    BOOST_TEST(keeps(success, {0.5, 0, 10}));
    BOOST_TEST(!keeps(success, {0.4, 0, 10}));
    BOOST_TEST(keeps(success, {0, 0, 0}));
}
