// SPDX-License-Identifier: MIT
#include <slo/artifact/foreign_result.hpp>

#define BOOST_TEST_MODULE artifact_foreign_result
#include <boost/test/unit_test.hpp>

using namespace slo;
using artifact::ForeignFields;
using artifact::ForeignMetrics;
using artifact::ForeignResult;

namespace {

json::object latency(double mean, double p50, double p99)
{
    return {{"mean", mean}, {"p50", p50}, {"p90", nullptr}, {"p95", nullptr}, {"p99", p99}};
}

bool noted(const ForeignResult& result, std::string_view start)
{
    return std::any_of(result.notes.begin(), result.notes.end(),
                       [start](const std::string& note) { return note.starts_with(start); });
}

} // namespace

BOOST_AUTO_TEST_CASE(a_figure_has_the_first_name_that_is_there)
{
    const auto raw = parse_json(R"({"a":null,"b":2,"c":3,"n":4.0,"half":0.5,"big":1e300})").as_object();
    const ForeignFields fields(raw, "r.json");
    BOOST_CHECK_EQUAL(*fields.figure({"a", "b", "c"}), 2);
    BOOST_CHECK(!fields.figure({"a", "d"}));
    BOOST_CHECK_EQUAL(*fields.count({"n"}), 4);
    BOOST_CHECK_THROW(fields.count({"half"}), InputError);
    BOOST_CHECK_THROW(fields.count({"big"}), InputError);
}

BOOST_AUTO_TEST_CASE(what_is_unknown_is_null_and_named)
{
    const json::object raw;
    const ForeignFields fields(raw, "r.json");
    ForeignResult result;
    ForeignMetrics metrics(result, fields);
    metrics.put("completed", std::optional<std::int64_t>(10));
    metrics.put_latency("ttft_ms", latency(5, 4, 9));
    metrics.finish(" (ask for them)");
    BOOST_CHECK_EQUAL(result.metrics.size(), 14);
    BOOST_CHECK(result.metrics.at("failed").is_null() && result.metrics.at("error_rate").is_null());
    BOOST_CHECK_EQUAL(to_json(result.origin), R"({"metrics.completed":"client","metrics.ttft_ms":"client"})");
    BOOST_CHECK(noted(result, "metrics.failed: the file does not tell"));
    BOOST_CHECK(noted(result, "metrics.e2e_ms: p50 and p99 are not both in the file (ask for them)"));
    BOOST_CHECK(!noted(result, "metrics.ttft_ms"));

    artifact::take_requests_sent(result, 40);
    BOOST_CHECK_EQUAL(result.metrics.at("failed").as_int64(), 30);
    BOOST_CHECK_EQUAL(result.metrics.at("error_rate").as_double(), 0.75);
    BOOST_CHECK_EQUAL(result.origin.at("metrics.failed").as_string(), "card");
    BOOST_CHECK_EQUAL(
        result.notes.back(),
        "metrics.failed: the file does not tell; taken as the card's 40 requests less the completed");
    artifact::take_requests_sent(result, 5); // known by now
    BOOST_CHECK_EQUAL(result.metrics.at("failed").as_int64(), 30);
}

BOOST_AUTO_TEST_CASE(figures_that_do_not_fit_one_another)
{
    const json::object raw;
    const ForeignFields fields(raw, "r.json");
    ForeignResult result;
    ForeignMetrics metrics(result, fields);
    metrics.put("duration_s", std::optional(10.0));
    metrics.put("completed", std::optional<std::int64_t>(100));
    metrics.put("request_throughput", std::optional(20.0));
    metrics.put_latency("ttft_ms", latency(5, 9, 4));
    metrics.put_latency("tpot_ms", latency(0, 0, 0));
    metrics.finish("");
    BOOST_CHECK(noted(result, "metrics.request_throughput: 20.000 requests/s for 10.000 s are not the 100"));
    BOOST_CHECK(noted(result, "metrics.ttft_ms.p99: smaller than a lower percentile"));
    BOOST_CHECK(noted(result, "metrics.tpot_ms: every figure is 0"));
    BOOST_CHECK(result.metrics.at("tpot_ms").at("p50").is_null());
    BOOST_CHECK(!result.origin.contains("metrics.tpot_ms"));

    artifact::take_requests_sent(result, 50);
    BOOST_CHECK(noted(result, "metrics.failed: 100 requests were completed, and no more than 50"));
    BOOST_CHECK(result.metrics.at("failed").is_null());
}

BOOST_AUTO_TEST_CASE(nothing_completed_is_no_latency)
{
    const json::object raw;
    const ForeignFields fields(raw, "r.json");
    ForeignResult result;
    ForeignMetrics metrics(result, fields);
    metrics.put("completed", std::optional<std::int64_t>(0));
    metrics.put("failed", std::optional<std::int64_t>(7));
    metrics.put_latency("e2e_ms", latency(1, 1, 1));
    metrics.finish("");
    BOOST_CHECK_EQUAL(result.metrics.at("error_rate").as_double(), 1);
    BOOST_CHECK(result.metrics.at("e2e_ms").at("p50").is_null());

    ForeignResult empty;
    ForeignMetrics nothing(empty, fields);
    BOOST_CHECK_THROW(nothing.finish(""), InputError);
}
