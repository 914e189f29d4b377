// SPDX-License-Identifier: MIT
#include <slo/stats/batches.hpp>

#define BOOST_TEST_MODULE stats_batches
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>
#include <slo/stats/binomial.hpp>

#include <array>
#include <limits>

using namespace slo::stats;
namespace tt = boost::test_tools;

BOOST_AUTO_TEST_CASE(worked_by_hand_without_excess)
{
    // p = 10/40; residuals -1/2, 3/2, -1: the variance 3/2 · 3.5/1600 is below 0.25 · 0.75/40.
    const std::vector<Batch> batches{{10, 2}, {10, 4}, {20, 4}};
    const auto result = share_of(batches).value();
    BOOST_TEST(result.share == 0.25);
    BOOST_TEST(result.variance == 0.00328125, tt::tolerance(1e-12));
    BOOST_TEST(result.rho == -2.25 / 3.5 + 1.0 / 3, tt::tolerance(1e-12));
    BOOST_TEST(result.design_effect == 1);
    BOOST_TEST(result.effective_requests == 40);
    BOOST_TEST(result.effective_violations() == 10);
    BOOST_TEST(result.batches == 3);
}

BOOST_AUTO_TEST_CASE(worked_by_hand_with_alike_neighbours)
{
    // Residuals -2.5, -1.5, 1.5, 2.5: sum of squares 17, lag-1 5.25/17, with its bias put right + 1/4.
    const std::vector<Batch> batches{{10, 0}, {10, 1}, {10, 4}, {10, 5}};
    const auto result = share_of(batches).value();
    const double rho = 5.25 / 17 + 0.25;
    const double variance = 4.0 / 3 * 17 / 1600 * (1 + rho) / (1 - rho);
    BOOST_TEST(result.rho == rho, tt::tolerance(1e-12));
    BOOST_TEST(result.variance == variance, tt::tolerance(1e-12));
    BOOST_TEST(result.design_effect == variance / 0.0046875, tt::tolerance(1e-12));
    BOOST_TEST(result.effective_requests == 40 * 0.0046875 / variance, tt::tolerance(1e-12));
    BOOST_TEST(result.effective_violations() == result.effective_requests / 4, tt::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(equal_batches_are_the_plain_design_effect)
{
    // With batches of one size it is n s²/(p (1 - p)), s² the sample variance of the batch shares: here 0.2,
    // 0.6, 0.2, 0.6 of 25 requests, alternating, so nothing is inflated; s² = 4/3 · 0.04.
    const std::vector<Batch> batches{{25, 5}, {25, 15}, {25, 5}, {25, 15}};
    const auto result = share_of(batches).value();
    BOOST_TEST(result.rho < 0);
    BOOST_TEST(result.design_effect == 25 * (4.0 / 3 * 0.04) / (0.4 * 0.6), tt::tolerance(1e-12));
    BOOST_TEST(result.variance == 4.0 / 3 * 0.04 / 4, tt::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(all_or_none_has_no_design_effect)
{
    for (const double violations : {0.0, 10.0}) {
        const std::vector<Batch> batches{{10, violations}, {10, violations}, {10, violations}};
        const auto result = share_of(batches).value();
        BOOST_TEST(result.share == violations / 10);
        BOOST_TEST(result.variance == 0);
        BOOST_TEST(result.design_effect == 1);
        BOOST_TEST(result.effective_requests == 30);
    }
}

BOOST_AUTO_TEST_CASE(a_trend_costs_no_more_than_all_batches_but_one)
{
    // A slow wave has a corrected lag-1 above 1: the inflation ends at the number of batches.
    std::vector<Batch> batches;
    for (int i = 0; i < 100; ++i)
        batches.push_back({100, 50 + 40 * std::sin(i * 0.0628318530717959)});
    const auto result = share_of(batches).value();
    BOOST_TEST(result.rho >= 1);
    double squares = 0;
    for (const Batch& batch : batches)
        squares += std::pow(batch.violations - result.share * 100, 2);
    BOOST_TEST(result.variance == 100 * (100.0 / 99 * squares / 1e8), tt::tolerance(1e-9));
    // And one request is worth one request.
    const std::vector<Batch> few{{1, 0}, {1, 0}, {1, 1}, {1, 1}};
    BOOST_TEST(share_of(few)->effective_requests >= 1);
}

BOOST_AUTO_TEST_CASE(batches_without_requests_do_not_count)
{
    const std::vector<Batch> with{{10, 2}, {0, 0}, {10, 4}, {20, 4}, {0, 0}};
    const std::vector<Batch> without{{10, 2}, {10, 4}, {20, 4}};
    BOOST_TEST(share_of(with)->variance == share_of(without)->variance);
    BOOST_TEST(share_of(with)->rho == share_of(without)->rho);
    BOOST_TEST(share_of(with)->batches == 3);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_said)
{
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    BOOST_TEST(!share_of({}));
    using Batches = std::vector<Batch>;
    BOOST_TEST(!share_of(Batches{{10, 1}}));
    BOOST_TEST(!share_of(Batches{{10, 1}, {0, 0}}));
    BOOST_TEST(!share_of(Batches{{0, 0}, {0, 0}}));
    BOOST_TEST(!share_of(Batches{{10, 1}, {10, 11}}));
    BOOST_TEST(!share_of(Batches{{10, 1}, {10, -1}}));
    BOOST_TEST(!share_of(Batches{{10, 1}, {inf, 1}}));
    BOOST_TEST(!share_of(Batches{{10, 1}, {10, nan}}));
    BOOST_TEST(!share_of(Batches{{1e308, 1}, {1e308, 1}}));
}

BOOST_AUTO_TEST_CASE(variance_of_simulated_clusters)
{
    // Each batch has its own violation rate, 0.1 or 0.3, and its own size: the estimate follows the true
    // variance of the share, a little above it (the inflation is never below 1), and the exact limit on the
    // effective sizes is exceeded about as seldom as it says.
    slo::Random random(7);
    const int repetitions = 4000;
    double sum = 0;
    double squares = 0;
    double estimated = 0;
    int exceeded = 0;
    int exceeded_naively = 0;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        std::vector<Batch> batches;
        for (int j = 0; j < 24; ++j) {
            Batch batch{20 + std::floor(41 * random.uniform()), 0};
            const double rate = random.uniform() < 0.5 ? 0.1 : 0.3;
            for (int i = 0; i < batch.requests; ++i)
                batch.violations += random.uniform() < rate;
            batches.push_back(batch);
        }
        const auto result = share_of(batches).value();
        sum += result.share;
        squares += (result.share - 0.2) * (result.share - 0.2);
        estimated += result.variance;
        double n = 0;
        for (const Batch& batch : batches)
            n += batch.requests;
        exceeded += upper_share(result.effective_violations(), result.effective_requests, 0.05) < 0.2;
        exceeded_naively += upper_share(n * result.share, n, 0.05) < 0.2;
    }
    BOOST_TEST(std::abs(sum / repetitions - 0.2) < 0.002);
    BOOST_TEST(estimated / squares > 0.95);
    BOOST_TEST(estimated / squares < 1.4);
    BOOST_TEST(exceeded < 0.065 * repetitions);
    BOOST_TEST(exceeded > 0.015 * repetitions);
    BOOST_TEST(exceeded_naively > 0.1 * repetitions);
}

BOOST_AUTO_TEST_CASE(ratio_of_von_neumann)
{
    const std::vector<double> rising{1, 2, 3, 4, 5, 6};
    BOOST_TEST(von_neumann_ratio(rising).value() == 5 / 17.5, tt::tolerance(1e-12));
    const std::vector<double> alternating{-1, 1, -1, 1};
    BOOST_TEST(von_neumann_ratio(alternating).value() == 3, tt::tolerance(1e-12));
    // Over all orders of the same values it is 2 on average, exactly.
    std::vector<double> values{0, 1, 3, 4, 9};
    double sum = 0;
    int orders = 0;
    do {
        sum += von_neumann_ratio(values).value();
        ++orders;
    } while (std::next_permutation(values.begin(), values.end()));
    BOOST_TEST(orders == 120);
    BOOST_TEST(sum / orders == 2, tt::tolerance(1e-12));
    BOOST_TEST(!von_neumann_ratio({}));
    BOOST_TEST(!von_neumann_ratio(std::vector<double>{1}));
    BOOST_TEST(!von_neumann_ratio(std::vector<double>{2, 2, 2}));
    BOOST_TEST(!von_neumann_ratio(std::vector<double>{1e308, -1e308}));
}

BOOST_AUTO_TEST_CASE(adjusted_mean_is_the_intercept)
{
    // Anscombe 1973, The American Statistician 27:17, first set, a twentieth of its y: intercept 3.0001 with
    // standard error 1.1247 and 9 degrees of freedom.
    const std::vector<double> control{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
    const std::array<double, 11> y{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
    std::vector<Batch> batches;
    for (const double value : y)
        batches.push_back({100, value * 5});
    const auto result = adjusted_share(batches, control).value();
    BOOST_TEST(result.share * 20 == 3.00009, tt::tolerance(1e-5));
    const double alike = std::max(result.rho, 0.0);
    BOOST_TEST(std::sqrt(result.variance * (1 - alike) / (1 + alike)) * 20 == 1.124747, tt::tolerance(1e-5));
    BOOST_TEST(result.degrees_of_freedom == 9);
}

BOOST_AUTO_TEST_CASE(a_control_that_explains_narrows)
{
    // Violations follow the control: the true mean comes out although the controls drawn are all high.
    std::vector<Batch> batches;
    std::vector<double> control;
    for (int i = 0; i < 12; ++i) {
        control.push_back(0.1 + 0.02 * i);
        batches.push_back({50, 50 * (0.2 + control.back())});
    }
    const auto exact = adjusted_share(batches, control).value();
    BOOST_TEST(exact.share == 0.2, tt::tolerance(1e-9));
    BOOST_TEST(exact.variance < 1e-17);

    slo::Random random(11);
    double plain = 0;
    double adjusted = 0;
    double estimated = 0;
    for (int repetition = 0; repetition < 2000; ++repetition) {
        double mean = 0;
        for (std::size_t i = 0; i < batches.size(); ++i) {
            control[i] = random.uniform() - 0.5;
            batches[i].violations = 50 * (0.5 + 0.6 * control[i] + 0.2 * (random.uniform() - 0.5));
            mean += batches[i].violations / 50 / 12;
        }
        const auto result = adjusted_share(batches, control).value();
        plain += (mean - 0.5) * (mean - 0.5);
        adjusted += (result.share - 0.5) * (result.share - 0.5);
        estimated += result.variance;
    }
    BOOST_TEST(adjusted < plain / 5);
    // Never too small on average: the residuals of half the runs look alike by chance, which widens those.
    BOOST_TEST(estimated / adjusted > 1);
    BOOST_TEST(estimated / adjusted < 1.6);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_adjusted)
{
    const std::vector<Batch> five{{10, 1}, {10, 2}, {10, 3}, {10, 2}, {10, 1}};
    const std::vector<double> control{1, 2, 3, 4, 5};
    BOOST_TEST(adjusted_share(five, control).has_value());
    BOOST_TEST(!adjusted_share(std::span(five).first(4), std::span(control).first(4)));
    BOOST_TEST(!adjusted_share(five, std::span(control).first(4)));
    BOOST_TEST(!adjusted_share(five, std::vector<double>{0.1, 0.1, 0.1, 0.1, 0.1}));
    BOOST_TEST(!adjusted_share(five, std::vector<double>{1, 2, 3, 4, std::nan("")}));
    BOOST_TEST(!adjusted_share(five, std::vector<double>{1e308, -1e308, 3, 4, 5}));
    // An empty batch takes its control with it.
    const std::vector<Batch> six{{10, 1}, {10, 2}, {0, 0}, {10, 3}, {10, 2}, {10, 1}};
    const std::vector<double> longer{1, 2, 1000, 3, 4, 5};
    BOOST_TEST(adjusted_share(six, longer)->share == adjusted_share(five, control)->share);
    BOOST_TEST(!adjusted_share(std::vector<Batch>{{10, 1}, {10, 2}, {0, 0}, {10, 3}, {10, 2}},
                               std::vector<double>{1, 2, 3, 4, 5}));
}
