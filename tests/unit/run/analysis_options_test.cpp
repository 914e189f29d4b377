// SPDX-License-Identifier: MIT
#include <slo/run/analysis_options.hpp>

#define BOOST_TEST_MODULE run_analysis_options
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <string>

using namespace slo;

namespace {

run::AnalysisOptions with_objective()
{
    run::AnalysisOptions options;
    options.objectives = {"e2e:p50<2"};
    return options;
}

} // namespace

BOOST_AUTO_TEST_CASE(options_come_before_the_environment)
{
    ::setenv("SLO_LOOKS", "4,8", 1);
    ::setenv("SLO_SPENDING", "obrien-fleming", 1);
    ::setenv("SLO_CONFIDENCE", "0.99", 1);
    auto options = with_objective();
    auto certain = run::certain_options(options);
    BOOST_TEST(certain.looks.size() == 2U);
    BOOST_TEST((certain.spending == stats::Spending::obrien_fleming));
    BOOST_TEST(certain.confidence == 0.99);
    options.looks = "8,14,20";
    options.spending = "pocock";
    certain = run::certain_options(options);
    BOOST_TEST(certain.looks.size() == 3U);
    BOOST_TEST((certain.spending == stats::Spending::pocock));
    for (const char* name : {"SLO_LOOKS", "SLO_SPENDING", "SLO_CONFIDENCE"})
        ::unsetenv(name);
    certain = run::certain_options(with_objective());
    BOOST_TEST(certain.looks.empty());
    BOOST_TEST(certain.confidence == 0.95);
}

BOOST_AUTO_TEST_CASE(the_classic_rule_takes_none_of_the_other)
{
    run::AnalysisOptions options;
    BOOST_TEST(run::classic_options(options).slo_s == 6.5);
    options.looks = "8";
    BOOST_CHECK_THROW(run::classic_options(options), UsageError);
    options = {};
    options.steady = "mser";
    BOOST_CHECK_THROW(run::classic_options(options), UsageError);
}

BOOST_AUTO_TEST_CASE(standard_input_where_no_file_is_named)
{
    run::AnalysisOptions options;
    BOOST_TEST(options.paths().size() == 1U);
    BOOST_TEST(options.paths().front() == "-");
    options.json = {"a"};
    options.files = {"b"};
    BOOST_TEST(options.paths().size() == 2U);
}

BOOST_AUTO_TEST_CASE(levels_that_promise_nothing_or_too_much)
{
    for (const double level : {0.3, 0.49, 0.9999999}) {
        auto options = with_objective();
        options.verdict.confidence_level = level;
        BOOST_CHECK_THROW(run::certain_options(options), UsageError);
    }
}
