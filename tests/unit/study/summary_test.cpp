// SPDX-License-Identifier: MIT

#include "../../study/summary.hpp"

#define BOOST_TEST_MODULE study_summary
#include <boost/test/unit_test.hpp>

using namespace study;

namespace {

SearchLine line_with(double truth_qps, Answer answer)
{
    return {"chat", "e2e:p50<4", "certify", 1, truth_qps, {5, 15}, 10, 80, std::move(answer)};
}

} // namespace

BOOST_AUTO_TEST_CASE(counts_over_claims_and_coverage)
{
    SearchSummary summary;
    summary.add(line_with(10, {10.1, 9.6, 9.6, 10.4, "converged"}));
    summary.add(
        line_with(10, {10.3, 10.3, 10.3, 10.4, "converged"})); // claims 3 % too much, and covers nothing
    summary.add(line_with(10, {9.9, {}, {}, 10.2, "not_resolved"}));
    BOOST_TEST(summary.overclaims.k == 1);
    BOOST_TEST(summary.overclaims.n == 3);
    BOOST_TEST(summary.covered.k == 1);
    BOOST_TEST(summary.covered.n == 2);
    BOOST_TEST(summary.without_claim.k == 1);
    BOOST_TEST(summary.reasons.at("not_resolved") == 1);
    BOOST_REQUIRE(summary.widths.size() == 2);
    BOOST_TEST(summary.widths[0] == 8, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(two_percent_is_not_yet_an_over_claim)
{
    SearchSummary summary;
    summary.add(line_with(100, {101.9, 101.9, 101.9, 103.0, "converged"}));
    BOOST_TEST(summary.overclaims.k == 0);
    summary.add(line_with(100, {102.1, 102.1, 102.1, 103.0, "converged"}));
    BOOST_TEST(summary.overclaims.k == 1);
}

BOOST_AUTO_TEST_CASE(errors_of_mean_and_root_mean_square)
{
    BOOST_TEST(!mean_of({}));
    const auto mean = mean_of({1, 3});
    BOOST_TEST(mean->value == 2);
    BOOST_TEST(mean->error == 1 / std::sqrt(2.0), boost::test_tools::tolerance(1e-12));
    // Squares 9 and 25: mean 17, error 8 / √2; of the root that over 2 √17.
    const auto root = rms_of({-3, 5});
    BOOST_TEST(root->value == std::sqrt(17.0), boost::test_tools::tolerance(1e-12));
    BOOST_TEST(root->error == 8 / std::sqrt(2.0) / (2 * std::sqrt(17.0)),
               boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(none_of_three_hundred_is_at_most_one_percent)
{
    const Share none{0, 300};
    BOOST_TEST(none.value() == 0);
    BOOST_TEST(none.most() == 1 - std::pow(0.05, 1.0 / 300), boost::test_tools::tolerance(1e-9));
    const Share half{5, 10};
    BOOST_TEST(half.low() == 0.1871, boost::test_tools::tolerance(1e-3));
    BOOST_TEST(half.high() == 0.8129, boost::test_tools::tolerance(1e-3));
}
