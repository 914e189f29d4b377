// SPDX-License-Identifier: MIT
// Unit test of report/compare_text.hpp.

#include <slo/report/compare_text.hpp>

#define BOOST_TEST_MODULE report_compare_text
#include <boost/test/unit_test.hpp>

#include "../../support/compared_runs.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace slo;
using namespace slo::report;

namespace {

using test::run;

Comparison compared(std::vector<artifact::ResultGroup> groups)
{
    auto all = test::compared(std::move(groups));
    all.regression = true;
    return all;
}

} // namespace

BOOST_AUTO_TEST_CASE(two_configurations_with_the_noise_between_their_runs)
{
    const auto all = compared({{"base", {run(1000, "0"), run(1010, "0"), run(990, "0")}},
                               {"new", {run(900, "0.5"), run(910, "0.5"), run(890, "0.5")}}});
    BOOST_TEST(
        to_text(all) ==
        "base: 3 runs, vllm\n"
        "new: 3 runs, vllm\n"
        "\n"
        "Metric        base    new      Delta          Change   95 % interval                   Result\n"
        "Output tok/s  1000.0  900.0    -100.0         -10.0 %  -12.3 to -7.7 %                 base better  "
        "REGRESSION\n"
        "Error rate    0.00 %  50.00 %  +50.00 points  from 0   +50.00 points to +50.00 points  base better  "
        "REGRESSION\n"
        "Regression: Output tok/s, Error rate (threshold 5.0 %)\n");
}

BOOST_AUTO_TEST_CASE(what_rounds_to_0_has_no_sign)
{
    BOOST_TEST(report::detail::signed_text(-0.04, 1) == "0.0");
    BOOST_TEST(report::detail::signed_text(0.04, 1) == "0.0");
    BOOST_TEST(report::detail::signed_text(-0.06, 1) == "-0.1");
    BOOST_TEST(report::detail::signed_text(3, 1) == "+3.0");
}

BOOST_AUTO_TEST_CASE(a_matrix_names_the_best)
{
    auto all = compared(
        {{"cfg_0", {run(1000, "0.1")}}, {"cfg_1", {run(1100, "0.1")}}, {"cfg_2", {run(900, "null")}}});
    BOOST_TEST(to_text(all) ==
               "cfg_0: 1 run, vllm\n"
               "cfg_1: 1 run, vllm\n"
               "cfg_2: 1 run, vllm\n"
               "\n"
               "Metric        cfg_0    cfg_1             cfg_2            Best           Regression\n"
               "Output tok/s  1000.0   1100.0 (+10.0 %)  900.0 (-10.0 %)  unknown noise  cfg_2\n"
               "Error rate    10.00 %  10.00 % (0.0 %)   n/a              incomplete     cfg_2\n"
               "Regression: Output tok/s of cfg_2, Error rate of cfg_2 (threshold 5.0 %)\n");
    const auto record = to_record(all);
    BOOST_TEST(string_at(record, "status").value() == "REGRESSION");
    BOOST_TEST(array_at(record, "metrics")->size() == 2u);
    all.differences.push_back({"engine.name", {"a", "b", "c"}, false});
    BOOST_TEST(string_at(to_record(all), "status").value() == "NOT_COMPARABLE");
}
