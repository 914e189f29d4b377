// SPDX-License-Identifier: MIT
// Unit test of plan/certain_options.hpp: lists of looks, spendings, and the error of each look.

#include <slo/plan/certain_options.hpp>

#define BOOST_TEST_MODULE plan_certain_options
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace tt = boost::test_tools;
using namespace slo::plan;

using Looks = std::vector<std::size_t>;

BOOST_AUTO_TEST_CASE(looks_are_ascending_round_numbers)
{
    BOOST_TEST(parse_looks("8,14,20,26,32", "--looks") == (Looks{8, 14, 20, 26, 32}));
    BOOST_TEST(parse_looks(" 2 , 100000 ", "--looks") == (Looks{2, 100'000}));
    BOOST_TEST(parse_looks("", "--looks").empty());
    for (const std::string bad : {"8,", ",8", "8,,9", "8,8", "9,8", "1,2", "100001", "x", "8;9", "-4", "4.5",
                                  ",", "99999999999999999999"})
        BOOST_CHECK_THROW(parse_looks(bad, "--looks"), slo::UsageError);
    std::string many = "2";
    for (int look = 3; look < 66; ++look)
        many += "," + std::to_string(look);
    BOOST_TEST(parse_looks(many, "--looks").size() == 64);
    BOOST_CHECK_THROW(parse_looks(many + ",66", "--looks"), slo::UsageError);
    try {
        parse_looks("8,x", "--looks");
        BOOST_FAIL("no exception");
    } catch (const slo::UsageError& error) {
        BOOST_TEST(std::string(error.what()).find("--looks") != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(spendings_have_names)
{
    for (const auto spending : {slo::stats::Spending::pocock, slo::stats::Spending::obrien_fleming})
        BOOST_TEST((parse_spending(std::string(name_of(spending))) == spending));
    BOOST_CHECK_THROW(parse_spending("Pocock"), slo::UsageError);
}

BOOST_AUTO_TEST_CASE(one_look_has_all_of_the_error)
{
    CertainOptions options;
    options.confidence = 0.9;
    BOOST_TEST(errors_of_looks(options) == std::vector<double>{1 - 0.9});
    options.looks = {20};
    BOOST_TEST(errors_of_looks(options) == std::vector<double>{1 - 0.9});
}

BOOST_AUTO_TEST_CASE(several_looks_share_it)
{
    CertainOptions options;
    options.looks = {10, 20, 30, 40, 50};
    // Pocock (1977): one-sided 0.025, five equal looks, z = 2.413; O'Brien and Fleming (1979): 2.040 √(5/k).
    options.confidence = 0.975;
    const auto pocock = errors_of_looks(options);
    BOOST_REQUIRE(pocock.size() == 5);
    for (const double error : pocock)
        BOOST_TEST(error == 0.00791, tt::tolerance(5e-3));
    options.spending = slo::stats::Spending::obrien_fleming;
    const auto late = errors_of_looks(options);
    BOOST_TEST(late.back() == 0.02067, tt::tolerance(1e-2));
    BOOST_TEST(late.front() < 1e-5);
}
