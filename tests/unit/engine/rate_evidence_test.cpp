// SPDX-License-Identifier: MIT
#include <slo/engine/rate_evidence.hpp>
#define BOOST_TEST_MODULE engine_rate_evidence
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <vector>

using namespace slo;
using namespace slo::engine;

namespace {

// Runs around `center`, where half of the requests keep the first objective; all keep the second.
RateEvidence evidence(double center, double overload_qps = 1e9, double steepness = 8)
{
    RateEvidence result({stats::parse_objective("e2e:p50<1"), stats::parse_objective("success>=99%")});
    for (int i = 0; i < 12; ++i) {
        const double qps = 8 + i * 0.4;
        const double share = 1 / (1 + std::exp(steepness * std::log(qps / center)));
        const double deviation = std::sqrt(share * (1 - share) / 1000);
        result.add({qps, {{share, deviation, 1000}, {1, 0, 1000}}, qps < overload_qps});
    }
    return result;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_root_is_where_the_curve_crosses)
{
    const auto runs = evidence(10.1);
    const auto root = runs.first_root().value();
    BOOST_TEST(root.objective == 0U);
    BOOST_TEST(std::exp(root.crossing.x) == 10.1, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(runs.has_curve());
    BOOST_TEST(runs.passing_of_last(6) == 0);
    BOOST_TEST(runs.passing_of_last(12) == 6);
}

BOOST_AUTO_TEST_CASE(an_overload_before_it_counts_first)
{
    BOOST_TEST(!evidence(10.1, 9).first_root().has_value());
    BOOST_TEST(evidence(10.1, 11).first_root().has_value());
    const auto runs = evidence(10.1, 9);
    BOOST_TEST(runs.name_of_broken(runs.runs()[4]) == "steady state");
    BOOST_TEST(runs.name_of_broken(runs.runs()[11]) == "steady state");
    BOOST_TEST(evidence(10.1).name_of_broken(evidence(10.1).runs()[11]) == "e2e:p50<1");
}

BOOST_AUTO_TEST_CASE(without_shares_in_between_there_is_no_curve_but_an_edge)
{
    const auto runs = evidence(10.1, 1e9, 5000);
    BOOST_TEST(!runs.has_curve());
    BOOST_TEST(!runs.first_root().has_value());
    const auto edge = runs.split([&](const auto& run) { return runs.passes(run); }).value();
    BOOST_TEST(edge.first == 10.0);
    BOOST_TEST(edge.second == 10.4);
}

BOOST_AUTO_TEST_CASE(an_edge_goes_where_the_fewest_are_wrong)
{
    RateEvidence runs({stats::parse_objective("success>=99%")});
    const std::vector<bool> good{true, true, false, true, true, true, false, false, true, false};
    for (std::size_t i = 0; i < good.size(); ++i)
        runs.add({static_cast<double>(i), {{good[i] ? 1.0 : 0.0, 0, 100}}, true});
    const auto edge = runs.split([&](const auto& run) { return runs.passes(run); }).value();
    BOOST_TEST(edge.first == 5.0);
    BOOST_TEST(edge.second == 6.0);
    BOOST_TEST(!runs.split([](const auto&) { return true; }).has_value());
    BOOST_TEST(!runs.split([](const auto& run) { return run.qps > 4; }).has_value());
}
