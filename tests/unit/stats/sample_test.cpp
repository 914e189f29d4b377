// SPDX-License-Identifier: MIT
#include <slo/stats/sample.hpp>

#define BOOST_TEST_MODULE stats_sample
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <vector>

using namespace slo;
using stats::Sample;

namespace {

std::vector<double> spread(int count)
{
    std::vector<double> values;
    for (int i = 0; i < count; ++i)
        values.push_back(std::exp(3 * std::sin(i * 0.7391)));
    return values;
}

Sample of(const std::vector<double>& values, std::size_t most_exact = Sample::most_exact_values)
{
    Sample sample(most_exact);
    for (const double value : values)
        sample.add(value);
    return sample;
}

} // namespace

BOOST_AUTO_TEST_CASE(of_nothing)
{
    const Sample sample;
    BOOST_TEST(sample.empty());
    BOOST_TEST(!sample.summary());
    BOOST_TEST(sample.sketch().count() == 0);
}

BOOST_AUTO_TEST_CASE(exact_up_to_the_bound)
{
    const auto values = spread(1000);
    const auto sample = of(values, 1000);
    BOOST_TEST(sample.exact());
    const auto ours = sample.summary().value();
    const auto exact = stats::summarize(values).value();
    BOOST_TEST(ours.p50 == exact.p50);
    BOOST_TEST(ours.p99 == exact.p99);
    BOOST_TEST(ours.max == exact.max);
    auto sorted = values;
    std::sort(sorted.begin(), sorted.end());
    for (const std::size_t rank : {0U, 1U, 500U, 999U})
        BOOST_TEST(sample.ranked(rank) == sorted[rank]);
}

BOOST_AUTO_TEST_CASE(within_the_error_beyond_it)
{
    const auto values = spread(1001);
    const auto sample = of(values, 1000);
    BOOST_TEST(!sample.exact());
    BOOST_TEST(sample.size() == 1001U);
    const auto ours = sample.summary().value();
    const auto exact = stats::summarize(values).value();
    BOOST_TEST(ours.min == exact.min);
    BOOST_TEST(ours.max == exact.max);
    for (const auto figure :
         {&stats::Summary::p50, &stats::Summary::p90, &stats::Summary::p95, &stats::Summary::p99}) {
        const double difference = ours.*figure - exact.*figure;
        BOOST_TEST(difference != 0);
        BOOST_TEST(std::abs(difference) <= 0.005001 * (exact.*figure));
    }
    auto sorted = values;
    std::sort(sorted.begin(), sorted.end());
    for (const std::size_t rank : {0U, 10U, 500U, 990U, 1000U})
        BOOST_TEST(std::abs(sample.ranked(rank) - sorted[rank]) <= 0.005001 * sorted[rank]);
}

BOOST_AUTO_TEST_CASE(the_sketch_is_the_same_on_both_sides_of_the_bound)
{
    const auto values = spread(500);
    BOOST_TEST(to_json(of(values).sketch().to_record()) == to_json(of(values, 10).sketch().to_record()));
}

BOOST_AUTO_TEST_CASE(merging)
{
    for (const std::size_t bound : {1000U, 250U, 150U, 50U}) {
        auto merged = of(spread(200), bound);
        merged.merge(of(spread(100), bound));
        merged.merge(Sample(bound));
        auto both = spread(200);
        for (const double value : spread(100))
            both.push_back(value);
        const auto whole = of(both, bound);
        BOOST_TEST(merged.exact() == (bound == 1000));
        BOOST_TEST(merged.size() == 300U);
        BOOST_TEST(merged.summary()->p90 == whole.summary()->p90);
        BOOST_TEST(to_json(merged.sketch().to_record()) == to_json(whole.sketch().to_record()));
    }
}

BOOST_AUTO_TEST_CASE(what_is_no_number_is_left_out)
{
    Sample sample;
    sample.add(std::numeric_limits<double>::quiet_NaN());
    sample.add(std::numeric_limits<double>::infinity());
    BOOST_TEST(sample.empty());
    sample.add(3);
    BOOST_TEST(sample.ranked(0) == 3);
}
