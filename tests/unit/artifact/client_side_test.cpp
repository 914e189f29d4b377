// SPDX-License-Identifier: MIT
#include <slo/artifact/client_side.hpp>

#define BOOST_TEST_MODULE artifact_client_side
#include <boost/test/unit_test.hpp>

using namespace slo;

BOOST_AUTO_TEST_CASE(latency_blocks_come_in_milliseconds_or_null)
{
    stats::Sample sample;
    for (const double seconds : {0.1, 0.2, 0.3})
        sample.add(seconds);
    BOOST_TEST(to_json(artifact::latency_block(stats::Sample(), 1000)) ==
               R"({"mean":null,"p50":null,"p90":null,"p95":null,"p99":null})");
    const auto block = artifact::latency_block(sample, 1000);
    BOOST_TEST(number_at(block, "p50").value() == 200.0);
    BOOST_TEST(number_at(block, "mean").value() == 200.0, boost::test_tools::tolerance(1e-12));
    const auto sketched = artifact::latency_block(sample.sketch(), 1000);
    BOOST_TEST(number_at(sketched, "p50").value() == 200.0, boost::test_tools::tolerance(0.005));
    BOOST_TEST(to_json(artifact::latency_block(stats::QuantileSketch(), 1)) ==
               to_json(artifact::unknown_latency()));
}

BOOST_AUTO_TEST_CASE(what_is_not_known_is_null_and_not_0)
{
    const auto nothing = artifact::metrics_block({}, {});
    for (const auto& member : nothing)
        BOOST_TEST((member.value().is_null() || member.value() == json::value(artifact::unknown_latency())),
                   member.key());
    artifact::ClientCounts counts;
    counts.completed = 0;
    counts.failed = 0;
    BOOST_TEST(!number_at(artifact::metrics_block(counts, {}), "error_rate"));
}

BOOST_AUTO_TEST_CASE(rates_are_over_the_measured_window)
{
    artifact::ClientCounts counts;
    counts.completed = 90;
    counts.failed = 10;
    counts.input_tokens = 900;
    counts.output_tokens = 450;
    counts.duration_s = 9;
    const auto block = artifact::metrics_block(counts, {});
    BOOST_TEST(number_at(block, "error_rate").value() == 0.1);
    BOOST_TEST(number_at(block, "output_toks_per_s").value() == 50.0);
    BOOST_TEST(number_at(block, "total_toks_per_s").value() == 150.0); // 9.12: not the output's again
    BOOST_TEST(number_at(block, "request_throughput").value() == 10.0);
    counts.duration_s = 0;
    BOOST_TEST(!number_at(artifact::metrics_block(counts, {}), "output_toks_per_s"));
}
