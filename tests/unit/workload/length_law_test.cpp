#include <slo/workload/length_law.hpp>

#define BOOST_TEST_MODULE workload_length_law
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

using namespace slo;
using workload::LengthLaw;

namespace {

io::LineReader open_lines(const std::string& path)
{
    return io::LineReader(path);
}

LengthLaw law(const std::string& text)
{
    return LengthLaw::parse("--input-len", text, open_lines);
}

std::string refused(const std::string& text, const workload::LawLimits& limits = workload::length_limits)
{
    try {
        LengthLaw::parse("--input-len", text, open_lines, limits);
    } catch (const Error& error) {
        return error.what();
    }
    return "taken";
}

std::vector<double> draws(const LengthLaw& chosen, int count, std::uint64_t seed = 5)
{
    Random random(seed);
    std::vector<double> values;
    for (int i = 0; i < count; ++i)
        values.push_back(chosen.draw_real(random));
    std::sort(values.begin(), values.end());
    return values;
}

double mean(const std::vector<double>& values)
{
    double sum = 0;
    for (const double value : values)
        sum += value;
    return sum / static_cast<double>(values.size());
}

} // namespace

BOOST_AUTO_TEST_CASE(a_number_is_always_itself)
{
    BOOST_TEST(draws(law("512"), 3) == (std::vector<double>{512, 512, 512}),
               boost::test_tools::per_element());
    BOOST_TEST(draws(law("constant:7"), 1)[0] == 7);
}

BOOST_AUTO_TEST_CASE(uniform_has_both_its_ends_and_all_between_alike)
{
    std::map<double, int> counts;
    for (const double value : draws(law("uniform:3:6"), 40000))
        ++counts[value];
    BOOST_TEST(counts.size() == 4u);
    for (const auto& [value, count] : counts) {
        BOOST_TEST(value >= 3);
        BOOST_TEST(value <= 6);
        BOOST_TEST(std::abs(count - 10000) < 400); // 4.6 standard deviations
    }
    BOOST_TEST(draws(law("uniform:9:9"), 1)[0] == 9);
}

BOOST_AUTO_TEST_CASE(normal_and_lognormal_have_their_middle_and_spread)
{
    const auto normal = draws(law("normal:500:50"), 20000);
    BOOST_TEST(std::abs(mean(normal) - 500) < 2);
    BOOST_TEST(std::abs(normal[16827 - 1] - 550) < 3); // one standard deviation up
    const auto lognormal = draws(law("lognormal:200:0.5"), 20000);
    BOOST_TEST(std::abs(lognormal[10000] - 200) < 4);
    BOOST_TEST(std::abs(lognormal[16827 - 1] - 200 * std::exp(0.5)) < 8);
    BOOST_TEST(std::abs(mean(draws(law("exponential:300"), 20000)) - 300) < 10);
}

BOOST_AUTO_TEST_CASE(bounds_are_kept_without_heaping_up_at_them)
{
    const auto values = draws(law("normal:100:80:50:150"), 20000);
    BOOST_TEST(values.front() == 50);
    BOOST_TEST(values.back() == 150);
    BOOST_TEST(std::count(values.begin(), values.end(), 50) < 300);
    BOOST_TEST(draws(law("normal:1:1000"), 1000).front() >= 1);
    BOOST_TEST(draws(law("normal:7:10000000:7:7"), 3).back() == 7);
}

// Pearson's chi-square against rank^-S; 30.14 is its 95 % point at 19 degrees of freedom.
BOOST_AUTO_TEST_CASE(zipf_ranks_come_as_often_as_they_should)
{
    constexpr int count = 50000;
    for (const double exponent : {0.0, 0.8, 1.2}) {
        std::map<double, int> counts;
        for (const double value : draws(LengthLaw::zipf("--zipf", exponent, 20), count))
            ++counts[value];
        double sum = 0;
        for (int k = 1; k <= 20; ++k)
            sum += std::pow(k, -exponent);
        double chi_square = 0;
        for (int k = 1; k <= 20; ++k) {
            const double expected = count * std::pow(k, -exponent) / sum;
            chi_square += std::pow(counts[k] - expected, 2) / expected;
        }
        BOOST_TEST(counts.size() == 20u);
        BOOST_TEST(chi_square < 30.14);
    }
}

BOOST_AUTO_TEST_CASE(a_file_gives_its_own_numbers)
{
    const test::ScratchFile file;
    std::ofstream(file.path()) << "input,output\n\n100,1\n200,2\r\n300,3\n";
    std::map<double, int> inputs;
    for (const double value : draws(law("file:" + file.path()), 3000))
        ++inputs[value];
    BOOST_TEST(inputs.size() == 3u);
    BOOST_TEST(std::abs(inputs[200] - 1000) < 130);
    BOOST_TEST(draws(law("file:" + file.path() + "#output"), 100).back() == 3);
    std::ofstream(file.path()) << "model,\"output\"\n\"a,7,b\",40\n\n\"c\n9\",40\n";
    BOOST_TEST(draws(law("file:" + file.path() + "#output"), 50) == std::vector<double>(50, 40.0),
               boost::test_tools::per_element());
    std::ofstream(file.path()) << "input,output\n1,\"2\n";
    BOOST_TEST(refused("file:" + file.path() + "#output") ==
               file.path() + ":2: the file ends inside of a field in quotes");
    BOOST_TEST(refused("file:" + file.path() + "#none") == file.path() + ":1: has no column 'none'");
    std::ofstream(file.path()) << "5\n0\n";
    BOOST_TEST(refused("file:" + file.path()) == file.path() + ":2: not a number that the law may give");
    std::ofstream(file.path()) << "\n";
    BOOST_TEST(refused("file:" + file.path()) == file.path() + ": holds no numbers");
}

BOOST_AUTO_TEST_CASE(the_range_of_vllm)
{
    const auto around = draws(law("101").with_range(0.5), 5000);
    BOOST_TEST(around.front() == 50);
    BOOST_TEST(around.back() == 152);
    BOOST_TEST(draws(law("1").with_range(0.9), 100).front() == 1);
    BOOST_TEST(draws(law("101").with_range(0), 1)[0] == 101);
    BOOST_CHECK_THROW(law("101").with_range(1), UsageError);
    BOOST_CHECK_THROW(law("uniform:1:2").with_range(0.1), UsageError);
}

BOOST_AUTO_TEST_CASE(seconds_need_not_be_whole_and_may_be_none)
{
    const auto seconds = [](const char* text) {
        return LengthLaw::parse("--think-time", text, open_lines, workload::time_limits);
    };
    BOOST_TEST(draws(seconds("0"), 1)[0] == 0);
    BOOST_TEST(draws(seconds("0.25"), 1)[0] == 0.25);
    const auto values = draws(seconds("uniform:0.5:1"), 1000);
    BOOST_TEST(values.front() >= 0.5);
    BOOST_TEST(values.back() < 1);
    BOOST_TEST(values[10] != std::round(values[10]));
}

BOOST_AUTO_TEST_CASE(what_is_no_law_is_said)
{
    BOOST_TEST(refused("many") == "--input-len: 'many': 'many' is not a number");
    BOOST_TEST(refused("0") == "--input-len: '0': numbers must be from 1 to 10000000");
    BOOST_TEST(refused("1.5") == "--input-len: '1.5': numbers must be whole");
    BOOST_TEST(refused("uniform:5") == "--input-len: 'uniform:5': takes 2 numbers");
    BOOST_TEST(refused("uniform:9:2") == "--input-len: 'uniform:9:2': the second number is below the first");
    BOOST_TEST(refused("normal:5:1:9") == "--input-len: 'normal:5:1:9': takes 2 or 4 numbers");
    BOOST_TEST(refused("normal:5:-1") == "--input-len: 'normal:5:-1': the spread must not be negative");
    BOOST_TEST(refused("normal:5:1:9:6") == "--input-len: 'normal:5:1:9:6': MAX is below MIN");
    BOOST_TEST(refused("lognormal:5:1:6:9") ==
               "--input-len: 'lognormal:5:1:6:9': the middle must be above 0 and within MIN and MAX");
    BOOST_TEST(refused("zipf:1:2000000") ==
               "--input-len: 'zipf:1:2000000': the greatest number must be from 1 to 1000000");
    BOOST_TEST(refused("weibull:1:2").starts_with("--input-len: 'weibull:1:2': a law is N, uniform:A:B"));
    BOOST_TEST(refused("exponential:0", workload::time_limits).find("above 0") != std::string::npos);
}
