// SPDX-License-Identifier: MIT
#include <slo/stats/arrival.hpp>

#define BOOST_TEST_MODULE stats_arrival
#include <boost/test/unit_test.hpp>

#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/gamma.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace slo::stats;

namespace {

Arrival arrival_of(Process process, double qps, double burstiness, std::uint64_t seed)
{
    Arrival arrival;
    arrival.process = process;
    arrival.qps = qps;
    arrival.burstiness = burstiness;
    arrival.seed = seed;
    return arrival;
}

std::vector<double> gaps_of(const Arrival& arrival, std::size_t count)
{
    ArrivalStream stream(arrival);
    std::vector<double> gaps_s;
    std::int64_t before = 0;
    while (gaps_s.size() < count) {
        const auto now = stream.next_ns();
        BOOST_REQUIRE(now >= before);
        gaps_s.push_back(static_cast<double>(now - before) * 1e-9);
        before = now;
    }
    return gaps_s;
}

double mean_of(const std::vector<double>& sample)
{
    double sum = 0;
    for (const double value : sample)
        sum += value;
    return sum / static_cast<double>(sample.size());
}

double variation_of(const std::vector<double>& sample)
{
    const double mean = mean_of(sample);
    double squares = 0;
    for (const double value : sample)
        squares += (value - mean) * (value - mean);
    return std::sqrt(squares / static_cast<double>(sample.size() - 1)) / mean;
}

// √n times the largest distance of the sample's distribution from the law: above 1.63 once in a hundred
// samples of that law (Kolmogorov). A value stands for all that is rounded to its nanosecond.
template <class Law>
double kolmogorov(std::vector<double> sample, const Law& law)
{
    constexpr double half_s = 0.5e-9;
    std::sort(sample.begin(), sample.end());
    const auto size = static_cast<double>(sample.size());
    double distance = 0;
    for (std::size_t i = 0; i < sample.size(); ++i) {
        const double below = boost::math::cdf(law, std::max(0.0, sample[i] - half_s));
        const double above = boost::math::cdf(law, sample[i] + half_s);
        distance = std::max(
            {distance, below - static_cast<double>(i) / size, static_cast<double>(i + 1) / size - above});
    }
    return distance * std::sqrt(size);
}

// Variance over mean of the numbers of requests in windows of that length.
double dispersion_of(const Arrival& arrival, double window_s, std::size_t windows)
{
    std::vector<double> counts(windows);
    ArrivalStream stream(arrival);
    for (;;) {
        const auto window = static_cast<std::size_t>(static_cast<double>(stream.next_ns()) * 1e-9 / window_s);
        if (window >= windows)
            break;
        ++counts[window];
    }
    const double variation = variation_of(counts);
    return variation * variation * mean_of(counts);
}

constexpr double critical = 1.63;
constexpr std::size_t many = 20'000;

} // namespace

BOOST_AUTO_TEST_CASE(gaps_of_poisson_arrivals_are_exponential)
{
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
        const auto gaps_s = gaps_of(arrival_of(Process::poisson, 8, 1, seed), many);
        BOOST_TEST(kolmogorov(gaps_s, boost::math::exponential(8)) < critical);
        BOOST_TEST(std::abs(mean_of(gaps_s) * 8 - 1) < 4 / std::sqrt(many));
        BOOST_TEST(std::abs(variation_of(gaps_s) - 1) < 0.04);
    }
}

BOOST_AUTO_TEST_CASE(gaps_of_gamma_arrivals_are_gamma)
{
    for (const double shape : {0.1, 0.25, 0.5, 1.0, 2.0, 10.0, 100.0}) {
        const auto gaps_s = gaps_of(arrival_of(Process::gamma, 8, shape, 5), many);
        const boost::math::gamma_distribution<> law(shape, 1 / (8 * shape));
        BOOST_TEST(kolmogorov(gaps_s, law) < critical, "shape " << shape);
        const double variation = 1 / std::sqrt(shape);
        BOOST_TEST(std::abs(mean_of(gaps_s) * 8 - 1) < 4 * variation / std::sqrt(many), "shape " << shape);
        BOOST_TEST(std::abs(variation_of(gaps_s) / variation - 1) < 0.06, "shape " << shape);
    }
}

BOOST_AUTO_TEST_CASE(one_law_is_not_taken_for_another)
{
    const auto gaps_s = gaps_of(arrival_of(Process::gamma, 8, 0.9, 1), many);
    BOOST_TEST(kolmogorov(gaps_s, boost::math::exponential(8)) > critical);
    const auto exponential_s = gaps_of(arrival_of(Process::poisson, 8, 1, 1), many);
    BOOST_TEST(kolmogorov(exponential_s, boost::math::exponential(8.3)) > critical);
}

BOOST_AUTO_TEST_CASE(counts_of_windows_vary_as_the_process_says)
{
    // The index of 2,000 independent counts has a standard deviation of 3 %.
    BOOST_TEST(std::abs(dispersion_of(arrival_of(Process::poisson, 8, 1, 9), 5, 2000) - 1) < 0.13);
    // Of a renewal process it tends to the square of the gaps' variation (Cox, "Renewal Theory", ch. 4).
    BOOST_TEST(std::abs(dispersion_of(arrival_of(Process::gamma, 8, 0.25, 9), 25, 2000) / 4 - 1) < 0.13);
    BOOST_TEST(std::abs(dispersion_of(arrival_of(Process::gamma, 8, 4, 9), 25, 2000) * 4 - 1) < 0.13);
}

BOOST_AUTO_TEST_CASE(gaps_do_not_depend_on_each_other)
{
    const auto gaps_s = gaps_of(arrival_of(Process::poisson, 8, 1, 6), many);
    double products = 0;
    for (std::size_t i = 1; i < gaps_s.size(); ++i)
        products += (gaps_s[i] * 8 - 1) * (gaps_s[i - 1] * 8 - 1);
    BOOST_TEST(std::abs(products / many) < 4 / std::sqrt(many));
}

BOOST_AUTO_TEST_CASE(a_seed_decides_and_a_rate_stretches)
{
    const auto gaps = gaps_of(arrival_of(Process::gamma, 4, 0.5, 7), 1000);
    BOOST_TEST((gaps == gaps_of(arrival_of(Process::gamma, 4, 0.5, 7), 1000)));
    BOOST_TEST((gaps != gaps_of(arrival_of(Process::gamma, 4, 0.5, 8), 1000)));
    const auto twice = gaps_of(arrival_of(Process::gamma, 8, 0.5, 7), 1000);
    for (std::size_t i = 0; i < gaps.size(); ++i)
        BOOST_REQUIRE_SMALL(gaps[i] - 2 * twice[i], 3e-9);
}

// Shards on different machines must agree, and a run of last year must be repeatable.
BOOST_AUTO_TEST_CASE(the_numbers_of_a_seed_are_fixed)
{
    ArrivalStream poisson(arrival_of(Process::poisson, 10, 1, 42));
    ArrivalStream gamma(arrival_of(Process::gamma, 10, 0.5, 42));
    for (const std::int64_t ns : {247194619, 422079124, 494148011})
        BOOST_TEST(poisson.next_ns() == ns);
    for (const std::int64_t ns : {249656, 2324252, 5300831})
        BOOST_TEST(gamma.next_ns() == ns);
}

BOOST_AUTO_TEST_CASE(the_ends_of_the_parameters_are_safe)
{
    for (const double shape : {0.001, 1e6}) {
        for (const double qps : {1e-9, 9e8}) {
            ArrivalStream stream(arrival_of(Process::gamma, qps, shape, 3));
            std::int64_t before = 0;
            for (int i = 0; i < 10'000; ++i) {
                const auto now = stream.next_ns();
                BOOST_REQUIRE(now >= before);
                before = now;
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(only_sound_parameters_are_taken)
{
    const auto refused = [](Arrival arrival) {
        try {
            check_arrival(arrival);
        } catch (const slo::UsageError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double qps : {0.0, -1.0, 1e9, nan})
        BOOST_TEST(refused(arrival_of(Process::poisson, qps, 1, 0)).starts_with("--target-qps: "));
    for (const double burstiness : {0.0, -1.0, 1e7, nan})
        BOOST_TEST(refused(arrival_of(Process::gamma, 1, burstiness, 0)).starts_with("--burstiness: "));
    BOOST_TEST(refused(arrival_of(Process::poisson, 1, nan, 0)) == ""); // not read
    Arrival ramp = arrival_of(Process::ramp, 0, 1, 0);
    BOOST_TEST(refused(ramp) == "");
    for (const double end_qps : {0.0, -1.0, nan}) {
        ramp.end_qps = end_qps;
        BOOST_TEST(refused(ramp).starts_with("--ramp-to: "));
    }
    Arrival trace = arrival_of(Process::trace, 0, 1, 0);
    BOOST_TEST(refused(trace) == "");
    for (const double speed : {0.0, -1.0, 1e7, nan}) {
        trace.speed = speed;
        BOOST_TEST(refused(trace).starts_with("--speed: "));
    }
}

BOOST_AUTO_TEST_CASE(a_process_has_a_name_and_words)
{
    for (const auto process :
         {Process::constant, Process::poisson, Process::gamma, Process::ramp, Process::trace})
        BOOST_TEST((process_of(name_of(process)) == process));
    BOOST_TEST(!process_of("uniform"));
    BOOST_TEST(describe(arrival_of(Process::constant, 8.2, 1, 7)) == "a constant 8.2 requests a second");
    BOOST_TEST(describe(arrival_of(Process::poisson, 8.2, 1, 7)) ==
               "Poisson arrivals, 8.2 requests a second, seed 7");
    BOOST_TEST(describe(arrival_of(Process::gamma, 8.2, 0.5, 7)) ==
               "gamma arrivals, 8.2 requests a second, burstiness 0.5, seed 7");
    auto arrival = arrival_of(Process::ramp, 2.5, 1, 7);
    arrival.end_qps = 10.5;
    BOOST_TEST(describe(arrival) == "a ramp from 2.5 to 10.5 requests a second");
    arrival.process = Process::trace;
    BOOST_TEST(describe(arrival) == "the recorded times");
    arrival.speed = 2.5;
    BOOST_TEST(describe(arrival) == "the recorded times, 2.5 times as fast");
}
