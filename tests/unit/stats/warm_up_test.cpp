// SPDX-License-Identifier: MIT
#include <slo/stats/warm_up.hpp>

#define BOOST_TEST_MODULE stats_warm_up
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>

#include <cmath>
#include <vector>

using namespace slo::stats;

namespace {

// The definition, word for word.
WarmUp by_definition(const std::vector<double>& values, std::size_t batch)
{
    std::vector<long double> z;
    for (std::size_t i = 0; i + batch <= values.size(); i += batch) {
        long double sum = 0;
        for (std::size_t j = 0; j < batch; ++j)
            sum += values[i + j];
        z.push_back(sum / static_cast<long double>(batch));
    }
    std::size_t best = 0;
    long double least = INFINITY;
    for (std::size_t d = 0; d <= z.size() / 2 && d < z.size(); ++d) {
        const auto kept = static_cast<long double>(z.size() - d);
        long double mean = 0;
        for (std::size_t j = d; j < z.size(); ++j)
            mean += z[j] / kept;
        long double squares = 0;
        for (std::size_t j = d; j < z.size(); ++j)
            squares += (z[j] - mean) * (z[j] - mean);
        if (squares / kept / kept < least) {
            least = squares / kept / kept;
            best = d;
        }
    }
    return {best * batch, best < z.size() / 2};
}

} // namespace

BOOST_AUTO_TEST_CASE(worked_by_hand)
{
    // Squares about the mean over (k - d)²: 74.83/36 = 2.08, 1.2/25 = 0.048, 1/16 = 0.063, 0.667/9 = 0.074.
    const std::vector<double> values{10, 1, 0, 1, 0, 1};
    const auto result = mser(values, 1);
    BOOST_TEST(result.cut == 1);
    BOOST_TEST(result.converged);
}

BOOST_AUTO_TEST_CASE(same_as_the_definition)
{
    slo::Random random(3);
    for (int repetition = 0; repetition < 300; ++repetition) {
        std::vector<double> values;
        const auto size = 1 + static_cast<int>(200 * random.uniform());
        const double decay = 40 * random.uniform();
        for (int i = 0; i < size; ++i)
            values.push_back(5 * std::exp(-i / decay) + random.normal(0, 1));
        for (const std::size_t batch : {1, 5, 10}) {
            const auto expected = by_definition(values, batch);
            const auto result = mser(values, batch);
            BOOST_TEST(result.cut == expected.cut);
            BOOST_TEST(result.converged == expected.converged);
            // However large the offset or the outlier at the start, the noise does not drown.
            auto shifted = values;
            for (double& value : shifted)
                value += 0x1p30;
            BOOST_TEST(mser(shifted, batch).cut == by_definition(shifted, batch).cut);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_warm_up_is_cut)
{
    slo::Random random(5);
    std::vector<double> values;
    for (int i = 0; i < 1000; ++i)
        values.push_back((i < 100 ? 5 : 1) + random.normal(0, 0.3));
    const auto result = mser(values);
    BOOST_TEST(result.converged);
    BOOST_TEST(result.cut >= 100);
    BOOST_TEST(result.cut <= 150);
    values.front() = 1e12;
    BOOST_TEST(mser(values).cut == result.cut);
}

BOOST_AUTO_TEST_CASE(what_changes_until_its_end_has_not_converged)
{
    std::vector<double> rising;
    for (int i = 0; i < 200; ++i)
        rising.push_back(i);
    const auto result = mser(rising);
    BOOST_TEST(!result.converged);
    BOOST_TEST(result.cut == 100);
}

BOOST_AUTO_TEST_CASE(an_even_series_keeps_all)
{
    const auto result = mser(std::vector<double>(103, 0.1));
    BOOST_TEST(result.converged);
    BOOST_TEST(result.cut == 0);
}

BOOST_AUTO_TEST_CASE(too_short_to_tell)
{
    BOOST_TEST(!mser({}).converged);
    BOOST_TEST(mser({}).cut == 0);
    BOOST_TEST(!mser(std::vector<double>(9, 1.0)).converged); // one batch
    BOOST_TEST(mser(std::vector<double>(10, 1.0)).converged); // two
    BOOST_TEST(mser(std::vector<double>(4, 1.0), 0).converged);
}

BOOST_AUTO_TEST_CASE(what_never_ended)
{
    std::vector<double> values(100, 1.0);
    values[3] = INFINITY; // in the warm-up: cut with it
    BOOST_TEST(mser(values).converged);
    BOOST_TEST(mser(values).cut == 5);
    values[90] = INFINITY;
    BOOST_TEST(!mser(values).converged);
    values[90] = 1e308; // squares overflow: no answer either
    BOOST_TEST(!mser(values).converged);
}
