// SPDX-License-Identifier: MIT
#include <slo/artifact/foreign_aiperf.hpp>

#define BOOST_TEST_MODULE artifact_foreign_aiperf
#include <boost/test/unit_test.hpp>

using namespace slo;

namespace {

artifact::ForeignResult read(std::string_view text)
{
    return artifact::aiperf_result(parse_json(text).as_object(), "profile_export_aiperf.json");
}

// Made up of the keys that AIPerf's page on its JSON export names.
constexpr std::string_view exported =
    R"({"schema_version":"1.4","aiperf_version":"0.12.0",)"
    R"("request_count":{"unit":"requests","avg":200.0},"benchmark_duration":{"unit":"sec","avg":20.0},)"
    R"("request_throughput":{"unit":"requests/sec","avg":10.0},"total_isl":{"unit":"tokens","avg":110000.0},)"
    R"("total_osl":{"unit":"tokens","avg":19400.0},)"
    R"("output_token_throughput":{"unit":"tokens/sec","avg":970.0},)"
    R"("output_sequence_length":{"unit":"tokens","avg":97.0},)"
    R"("time_to_first_token":{"unit":"ms","avg":160.0,"p50":150.0,"p90":200.0,"p95":250.0,"p99":300.0},)"
    R"("inter_token_latency":{"unit":"ms","avg":8.0,"p50":7.5,"p90":9.0,"p95":9.5,"p99":12.0},)"
    R"("request_latency":{"unit":"sec","avg":1.0,"p50":0.9,"p90":1.1,"p95":1.2,"p99":1.5},)"
    R"("was_cancelled":true,"error_summary":[{"error_details":{"code":500},"count":3},)"
    R"({"error_details":{"code":499},"count":2}],"input_config":{"loadgen":{"concurrency":16}}})";

} // namespace

BOOST_AUTO_TEST_CASE(an_export_of_aiperf)
{
    const auto result = read(exported);
    BOOST_CHECK_EQUAL(result.source_tool, "aiperf");
    BOOST_CHECK_EQUAL(result.tool_version, "0.12.0");
    BOOST_CHECK_EQUAL(result.metrics.at("completed").as_int64(), 200);
    BOOST_CHECK_EQUAL(result.metrics.at("failed").as_int64(), 5); // of the list of errors
    BOOST_CHECK_EQUAL(result.origin.at("metrics.failed").as_string(), "derived");
    BOOST_CHECK_EQUAL(result.metrics.at("e2e_ms").at("p99").as_double(), 1500); // seconds in the file
    BOOST_CHECK_EQUAL(result.metrics.at("tpot_ms").at("p99").as_double(), 12);
    BOOST_CHECK_EQUAL(result.metrics.at("total_toks_per_s").as_double(), 6470);
    BOOST_CHECK_EQUAL(result.settings.at("concurrency").as_double(), 16);
    BOOST_CHECK_EQUAL(result.notes.size(), 2);
    BOOST_CHECK_EQUAL(result.notes[1], "the run was cancelled before its end");
}

BOOST_AUTO_TEST_CASE(older_forms)
{
    const auto nested = read(R"({"records":{"request_count":{"avg":3},"request_latency":{"unit":"ns",)"
                             R"("avg":2e6,"p50":2e6,"p99":3e6}},"input_config":{}})");
    BOOST_CHECK_EQUAL(nested.source_tool, "genai-perf");
    BOOST_CHECK_EQUAL(nested.metrics.at("e2e_ms").at("p99").as_double(), 3);
    BOOST_CHECK(nested.metrics.at("failed").is_null()); // GenAI-Perf does not count them
}

BOOST_AUTO_TEST_CASE(what_cannot_be)
{
    const auto odd = read(R"({"request_count":{"avg":3},"request_latency":{"unit":"furlongs","avg":1}})");
    BOOST_CHECK(odd.metrics.at("e2e_ms").at("mean").is_null());
    BOOST_CHECK_EQUAL(odd.notes.front(), "request_latency: its unit furlongs is no unit of time");
    BOOST_CHECK_THROW(read(R"({"request_count":{"avg":3.5}})"), InputError);
    BOOST_CHECK_THROW(read(R"({"metrics":{"request_count_avg":{"mean":4}}})"), InputError);
    // A mean that follows from means only where the answer has more than a token.
    const auto one = read(R"({"request_count":{"avg":3},"request_latency":{"avg":5},)"
                          R"("time_to_first_token":{"avg":4},"output_sequence_length":{"avg":1}})");
    BOOST_CHECK(one.metrics.at("tpot_ms").at("mean").is_null());
}
