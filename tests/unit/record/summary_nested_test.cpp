// SPDX-License-Identifier: MIT
#include <slo/record/summary_nested.hpp>

#define BOOST_TEST_MODULE record_summary_nested
#include <boost/test/unit_test.hpp>

#include "../../support/totals_of_run.hpp"

#include <string>

using namespace slo;

namespace {

const auto within_error = boost::test_tools::tolerance(0.005001);

record::RunInfo info()
{
    record::RunInfo info;
    info.start_epoch_s = 1769846400; // 2026-01-31T08:00:00Z
    return info;
}

double at(const json::object& object, const char* name)
{
    BOOST_TEST_CONTEXT(name)
    BOOST_REQUIRE(object.contains(name));
    return as_number(&object.at(name)).value();
}

} // namespace

BOOST_AUTO_TEST_CASE(aiperf)
{
    record::RoundTerms terms;
    terms.e2e_slo_s = 1;
    const auto summary = record::aiperf_summary(info(), test::totals_of_run(terms));
    const auto check = [&](const char* tag, const char* unit, double value) {
        BOOST_TEST_CONTEXT(tag)
        {
            const auto& metric = summary.at(tag).as_object();
            BOOST_TEST(metric.at("unit") == unit);
            BOOST_TEST(at(metric, "avg") == value, within_error);
        }
    };
    check("request_throughput", "requests/sec", 198 / 10.25);
    check("request_count", "requests", 198);
    check("error_request_count", "requests", 2);
    check("output_token_throughput", "tokens/sec", 198 * 11 / 10.25);
    check("total_token_throughput", "tokens/sec", 198 * 41 / 10.25);
    check("total_isl", "tokens", 198 * 30);
    check("total_osl", "tokens", 198 * 11);
    check("benchmark_duration", "sec", 10.25);
    check("good_request_count", "requests", 198);
    check("goodput", "requests/sec", 198 / 10.25);
    check("input_sequence_length", "tokens", 30);
    check("output_sequence_length", "tokens", 11);
    for (const auto& [tag, ms] : {std::pair("request_latency", 250),
                                  {"time_to_first_token", 50},
                                  {"inter_token_latency", 20},
                                  {"inter_chunk_latency", 20}}) {
        check(tag, "ms", ms);
        const auto& metric = summary.at(tag).as_object();
        for (const char* figure : {"p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "min", "max"})
            BOOST_TEST(at(metric, figure) == ms, within_error);
        BOOST_TEST(std::abs(at(metric, "std")) < 1e-3);
        BOOST_TEST(at(metric, "sum") == ms * at(metric, "count"), within_error);
    }
    BOOST_TEST(!summary.contains("reasoning_token_count"));
    BOOST_TEST(summary.at("was_cancelled") == false);
    BOOST_TEST(to_json(summary.at("error_summary")) ==
               R"([{"error_details":{"code":null,"type":"reset","message":"reset"},"count":2}])");
    BOOST_TEST(summary.at("start_time") == "2026-01-31T08:00:05Z");
    BOOST_TEST(summary.at("end_time") == "2026-01-31T08:00:15Z");
}

BOOST_AUTO_TEST_CASE(guidellm)
{
    const auto summary = record::guidellm_summary(info(), test::totals_of_run());
    const auto& benchmark = summary.at("benchmarks").as_array().at(0).as_object();
    BOOST_TEST(at(benchmark, "duration") == 10.25);
    BOOST_TEST(at(benchmark, "start_time") == 1769846405);
    const auto& metrics = benchmark.at("metrics").as_object();
    BOOST_TEST(to_json(metrics.at("request_totals")) ==
               R"({"successful":198,"errored":2,"incomplete":0,"total":200})");
    const auto successful = [&](const char* name) {
        return metrics.at(name).as_object().at("successful").as_object();
    };
    BOOST_TEST(at(successful("requests_per_second"), "mean") == 198 / 10.25);
    BOOST_TEST(at(successful("output_tokens_per_second"), "mean") == 198 * 11 / 10.25);
    BOOST_TEST(at(successful("request_concurrency"), "mean") == 198 * 0.249 / 10.25, within_error);
    for (const auto& [name, value] : {std::pair("request_latency", 0.25),
                                      {"request_scheduled_latency", 0.25},
                                      {"request_dispatch_delay", 0.001},
                                      {"time_to_first_token_ms", 50},
                                      {"time_to_first_output_token_ms", 50},
                                      {"inter_token_latency_ms", 20},
                                      {"prompt_token_count", 30},
                                      {"output_token_count", 11}}) {
        const auto metric = successful(name);
        for (const char* figure : {"mean", "median", "min", "max"})
            BOOST_TEST(at(metric, figure) == value, within_error);
        const auto& percentiles = metric.at("percentiles").as_object();
        for (const char* figure :
             {"p001", "p01", "p05", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "p999"})
            BOOST_TEST(at(percentiles, figure) == value, within_error);
        BOOST_TEST(at(metric, "count") >= 198);
    }
    record::RoundTerms terms;
    terms.basis = record::LatencyBasis::send;
    const auto sent = record::guidellm_summary(info(), test::totals_of_run(terms));
    BOOST_TEST(!sent.at("benchmarks").at(0).at("metrics").as_object().contains("request_scheduled_latency"));
}

BOOST_AUTO_TEST_CASE(what_is_not_known_is_absent)
{
    const auto aiperf = record::aiperf_summary(info(), {});
    BOOST_TEST(!aiperf.contains("request_latency"));
    BOOST_TEST(!aiperf.contains("goodput"));
    const auto guidellm = record::guidellm_summary(info(), {});
    const auto& metrics = guidellm.at("benchmarks").as_array().at(0).at("metrics").as_object();
    BOOST_TEST(metrics.size() == 1U); // request_totals
    BOOST_CHECK_NO_THROW(parse_json(to_json(guidellm)));
}
