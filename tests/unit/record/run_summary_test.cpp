// SPDX-License-Identifier: MIT
#include <slo/record/run_summary.hpp>

#define BOOST_TEST_MODULE record_run_summary
#include <boost/test/unit_test.hpp>

#include "../../support/totals_of_run.hpp"

using namespace slo;
using record::SummaryFormat;

BOOST_AUTO_TEST_CASE(a_format_has_a_name)
{
    for (const auto name : record::summary_format_names)
        BOOST_TEST(record::summary_format(name).has_value());
    BOOST_TEST((record::summary_format("aiperf") == SummaryFormat::aiperf));
    BOOST_TEST(!record::summary_format("").has_value());
    BOOST_TEST(!record::summary_format("VLLM").has_value());
}

BOOST_AUTO_TEST_CASE(each_format_is_its_own_and_all_say_ours)
{
    const auto totals = test::totals_of_run();
    for (const auto& [format, name] : {std::pair(SummaryFormat::vllm, "p99_e2el_ms"),
                                       {SummaryFormat::sglang, "p99_e2e_latency_ms"},
                                       {SummaryFormat::aiperf, "request_latency"},
                                       {SummaryFormat::guidellm, "benchmarks"}}) {
        const auto summary = record::render_summary(format, {}, totals);
        BOOST_TEST(summary.contains(name), name);
        BOOST_TEST(summary.at("e2el_basis") == "due");
        BOOST_TEST(summary.contains("percentile_error"));
        BOOST_CHECK_NO_THROW(parse_json(to_json(summary)));
    }
}
