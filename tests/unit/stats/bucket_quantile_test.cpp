// SPDX-License-Identifier: MIT
#include <slo/stats/bucket_quantile.hpp>
#define BOOST_TEST_MODULE stats_bucket_quantile
#include <boost/test/unit_test.hpp>

#include <limits>

using slo::stats::Bucket;
using slo::stats::BucketHistogram;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

} // namespace

BOOST_AUTO_TEST_CASE(interpolates_inside_a_bucket)
{
    // 10 up to 0.1, 30 more up to 0.2, 10 more up to 0.4, none above.
    const BucketHistogram histogram({{0.1, 10}, {0.2, 40}, {0.4, 50}, {inf, 50}});
    BOOST_TEST(histogram.count() == 50);
    BOOST_TEST(histogram.quantile(0.5).value() == 0.15, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(histogram.quantile(0.8).value() == 0.2, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(histogram.quantile(0.9).value() == 0.3, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(histogram.quantile(1).value() == 0.4, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(histogram.reason().empty());
    BOOST_TEST(!histogram.forced_monotonic());
}

BOOST_AUTO_TEST_CASE(the_first_bucket_begins_at_0_when_its_bound_is_above)
{
    BOOST_TEST(BucketHistogram({{2, 10}, {inf, 10}}).quantile(0.25).value() == 0.5);
    BOOST_TEST(BucketHistogram({{-2, 10}, {inf, 10}}).quantile(0.25).value() == -2);
    BOOST_TEST(BucketHistogram({{0, 10}, {inf, 10}}).quantile(0.25).value() == 0);
    BOOST_TEST(BucketHistogram({{-4, 2}, {-2, 4}, {inf, 4}}).quantile(0.75).value() == -3);
}

BOOST_AUTO_TEST_CASE(the_quantile_0_is_a_number)
{
    BOOST_TEST(BucketHistogram({{1, 0}, {2, 5}, {inf, 5}}).quantile(0).value() == 0);
    BOOST_TEST(BucketHistogram({{1, 5}, {inf, 5}}).quantile(0).value() == 0);
}

BOOST_AUTO_TEST_CASE(beyond_the_highest_finite_bound_it_is_that_bound)
{
    const BucketHistogram histogram({{1, 8}, {inf, 10}});
    BOOST_TEST(histogram.quantile(0.8).value() == 1);
    BOOST_TEST(!histogram.is_lower_limit(0.8));
    BOOST_TEST(histogram.quantile(0.99).value() == 1);
    BOOST_TEST(histogram.is_lower_limit(0.99));
}

BOOST_AUTO_TEST_CASE(what_has_no_quantile_says_why)
{
    const auto reason = [](std::vector<Bucket> buckets) {
        const BucketHistogram histogram(std::move(buckets));
        BOOST_TEST(!histogram.quantile(0.5).has_value());
        BOOST_TEST(!histogram.is_lower_limit(0.5));
        return histogram.reason();
    };
    BOOST_TEST(reason({}) == "no +Inf bucket");
    BOOST_TEST(reason({{1, 5}}) == "no +Inf bucket");
    BOOST_TEST(reason({{-inf, 5}}) == "no +Inf bucket");
    BOOST_TEST(reason({{not_a_number, 5}}) == "no +Inf bucket");
    BOOST_TEST(reason({{inf, 5}}) == "only an +Inf bucket");
    BOOST_TEST(reason({{1, 0}, {inf, 0}}) == "no observations");
    BOOST_TEST(reason({{1, 0}, {inf, 7}}) == "every observation lies above the highest finite bucket");
    BOOST_TEST(reason({{1, -3}, {inf, 7}}) == "a bucket's count fell");
    BOOST_TEST(reason({{1, not_a_number}, {inf, 7}}) == "a bucket's count fell");
    BOOST_TEST(reason({{1, inf}, {inf, inf}}) == "a bucket's count fell");
}

BOOST_AUTO_TEST_CASE(order_does_not_matter_and_equal_bounds_add_up)
{
    const BucketHistogram histogram({{inf, 20}, {0.4, 15}, {0.2, 5}, {inf, 20}, {0.2, 5}, {0.4, 25}});
    BOOST_TEST(histogram.count() == 40);
    BOOST_TEST(histogram.quantile(0.25).value() == 0.2);
    BOOST_TEST(histogram.quantile(0.625).value() == 0.3, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(counts_that_fall_are_raised)
{
    const BucketHistogram fell({{1, 10}, {2, 8}, {inf, 12}});
    BOOST_TEST(fell.forced_monotonic());
    BOOST_TEST(fell.quantile(0.5).value() == 0.6, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(fell.quantile(1).value() == 2);

    const BucketHistogram rounding({{1, 10}, {2, 10 - 1e-14}, {inf, 10}});
    BOOST_TEST(!rounding.forced_monotonic());
    BOOST_TEST(rounding.quantile(1).value() == 1);
}

BOOST_AUTO_TEST_CASE(P07_the_window_of_a_first_token_histogram)
{
    // 5 of the 8 requests of the window within 0.5 s.
    const BucketHistogram window({{0.5, 6 - 1}, {inf, 9 - 1}});
    BOOST_TEST(window.quantile(0.5).value() == 0.4);
    BOOST_TEST(window.is_lower_limit(0.95));
}
