// SPDX-License-Identifier: MIT
#include <slo/plan/runaway.hpp>

#define BOOST_TEST_MODULE plan_runaway
#include <boost/test/unit_test.hpp>

#include <limits>
#include <vector>

using slo::plan::RoundOutcome;
using slo::plan::RunawayDetector;

namespace {

constexpr double none = -1;

// The 1-based round after which a run with an SLO of 2 s is ended, 0 for never. `none`: no success.
int ended_after(const std::vector<double>& p50s_s, std::optional<double> slo_s = 2)
{
    RunawayDetector detector(slo_s);
    int round = 0;
    for (const double p50_s : p50s_s) {
        ++round;
        detector.finished(p50_s == none ? RoundOutcome{60, 0, std::nullopt} : RoundOutcome{60, 58, p50_s});
        if (detector.reason())
            return round;
    }
    return 0;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_queue_that_grows_far_beyond_the_slo_ends_the_run)
{
    BOOST_TEST(ended_after({6, 15, 21}) == 3);
    BOOST_TEST(ended_after({5, 15, 25, 35}) == 3);
    BOOST_TEST(ended_after({3, 9, 15, 21}) == 4); // at the third round still below 20 s
    BOOST_TEST(ended_after({0.8, 0.8, 0.8, 9, 15, 21, 27}) == 6);
    RunawayDetector detector(2);
    for (const double p50_s : {5.0, 15.0, 25.0})
        detector.finished({60, 58, p50_s});
    BOOST_TEST(detector.reason().value() == "over 3 rounds the median latency grew from each to the next by "
                                            "1.3 times or more, to 25.000 s: above 10 times the SLO");
}

BOOST_AUTO_TEST_CASE(growth_is_judged_at_its_exact_bounds)
{
    BOOST_TEST(ended_after({16, 20.8, 27.04}) == 3); // 1.3 · 20.8 is 27.040000000000003 in doubles
    BOOST_TEST(ended_after({16, 20.8, 27.039}) == 0);
    BOOST_TEST(ended_after({16, 20.79, 30}) == 0);
    BOOST_TEST(ended_after({5, 10, 20}) == 0); // not above
    BOOST_TEST(ended_after({5, 10, 20.001}) == 3);
    BOOST_TEST(ended_after({5, 25}) == 0); // two rounds are no trend
}

BOOST_AUTO_TEST_CASE(healthy_runs_go_on)
{
    BOOST_TEST(ended_after({25, 3, 1.1, 0.9, 0.9}) == 0);           // a cold start
    BOOST_TEST(ended_after({0.4, 0.9, 1.5, 1.9, 1.9, 1.8}) == 0);   // filling up to its level
    BOOST_TEST(ended_after({15, 18, 22, 20, 25, 23, 26, 30}) == 0); // bad, but noise
    BOOST_TEST(ended_after({0.01, 0.1, 1.0, 10.0, 2.0}) == 0);
    BOOST_TEST(ended_after({10, 20, 15, 25, 18, 24}) == 0);
    BOOST_TEST(ended_after({5, 15, 25}, std::nullopt) == 0); // no SLO
    BOOST_TEST(ended_after({}) == 0);
}

BOOST_AUTO_TEST_CASE(rounds_without_a_success_in_a_row_end_the_run)
{
    BOOST_TEST(ended_after({none, none}) == 2);
    BOOST_TEST(ended_after({1, none, 1, none, 1}) == 0);
    BOOST_TEST(ended_after({1, none, none}, std::nullopt) == 3);
    RunawayDetector detector;
    detector.finished({60, 0, std::nullopt});
    detector.finished({0, 0, std::nullopt}); // nothing was due: says nothing
    BOOST_TEST(!detector.reason());
    detector.finished({60, 0, std::nullopt});
    BOOST_TEST(detector.reason().value() == "no request of the last 2 rounds succeeded");
}

BOOST_AUTO_TEST_CASE(growth_is_not_seen_across_a_round_without_a_median)
{
    BOOST_TEST(ended_after({5, none, 15, 25}) == 0);
    BOOST_TEST(ended_after({5, none, 15, 25, 35}) == 5);
    BOOST_TEST(ended_after({5, std::numeric_limits<double>::quiet_NaN(), 15, 25}) == 0);
    BOOST_TEST(ended_after({0, 15, 25}) == 0);
    RunawayDetector detector(2);
    for (const double p50_s : {5.0, 15.0})
        detector.finished({60, 58, p50_s});
    detector.finished({0, 0, std::nullopt});
    detector.finished({60, 58, 25});
    BOOST_TEST(detector.reason().has_value());
}

BOOST_AUTO_TEST_CASE(many_timeouts_at_the_beginning_end_the_run)
{
    RunawayDetector detector(2);
    for (int i = 0; i < 49; ++i)
        detector.timed_out();
    BOOST_TEST(!detector.reason());
    detector.finished({60, 11, 1.0});
    detector.finished({60, 60, 1.0});
    detector.timed_out();
    BOOST_TEST(detector.reason().value() == "50 requests timed out before 3 rounds had ended");
    detector.timed_out(); // the first reason stays
    detector.finished({60, 0, std::nullopt});
    detector.finished({60, 0, std::nullopt});
    BOOST_TEST(detector.reason().value() == "50 requests timed out before 3 rounds had ended");
}

BOOST_AUTO_TEST_CASE(timeouts_later_do_not)
{
    RunawayDetector detector(2);
    detector.timed_out(49);
    for (int round = 0; round < 3; ++round)
        detector.finished({60, 50, 1.0});
    detector.timed_out(1000);
    BOOST_TEST(!detector.reason());
}
