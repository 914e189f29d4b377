// SPDX-License-Identifier: MIT
// The diff record: keys that readers know, and nulls for what is not known.

#include <slo/record/diff.hpp>

#define BOOST_TEST_MODULE record_diff
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::record;

BOOST_AUTO_TEST_CASE(keys_keep_their_names_and_unknowns_are_null)
{
    Diff diff;
    const auto record = to_record(diff);
    for (const char* key :
         {"hit_rate", "hits", "queries", "hit_metric", "denom_metric", "window_s", "spec_decode"})
        BOOST_TEST((find(record, key) && find(record, key)->is_null()), key);
    for (const char* key : {"all_prefix_metrics_seen", "layers", "per_engine", "reset_detected", "histograms",
                            "gauges", "counters", "notes", "denom_is_total", "engine"})
        BOOST_TEST(find(record, key) != nullptr, key);
    BOOST_TEST(string_at(record, "status").value() == "OK");
    BOOST_TEST(string_at(record, "schema").value() == "sloutils.diff/1");
}

BOOST_AUTO_TEST_CASE(figures_stand_where_they_belong)
{
    Diff diff;
    diff.total.hit_rate = 0.5;
    diff.total.by_source = {{"device", 0.5}};
    diff.layers = {{"local", diff.total}};
    diff.histograms.push_back({"ttft", "x:ttft_seconds", 8.0, 0.25, {0.1, 0.2, 0.3, {}}, "why"});
    diff.counters = {{"prompt_tokens", 7.0}};
    diff.success = {{"stop", 3.0}};
    diff.spec_decode.emplace();
    diff.spec_decode->per_position = {0.9, 0.5};
    const auto text = to_json(to_record(diff));
    for (
        const std::string part :
        {R"("layers":{"local":{"hit_rate":0.5,)", R"("by_source":{"device":0.5})",
         R"("ttft":{"metric":"x:ttft_seconds","unit":"s","count":8.0,"mean":0.25,"p50":0.1,"p90":0.2,"p95":0.3,"p99":null,"reason":"why"})",
         R"("counters":{"prompt_tokens":7.0,"success":{"stop":3.0}})", R"("per_position":[0.9,0.5])"})
        BOOST_TEST(text.find(part) != std::string::npos, part);
    BOOST_TEST(diff.counter("prompt_tokens").value() == 7);
    BOOST_TEST(!diff.counter("generation_tokens").has_value());
}

BOOST_AUTO_TEST_CASE(status_and_exit_status)
{
    BOOST_TEST((exit_of(DiffStatus::ok) == Exit::ok));
    BOOST_TEST((exit_of(DiffStatus::no_prefix_metrics) == Exit::undecided));
    BOOST_TEST((exit_of(DiffStatus::error) == Exit::error));
    Diff diff;
    diff.status = DiffStatus::error;
    diff.error = "b: this is HTML";
    BOOST_TEST(to_json(to_record(diff)) ==
               R"({"schema":"sloutils.diff/1","status":"ERROR","error":"b: this is HTML","hit_rate":null})");
    diff.status = DiffStatus::no_prefix_metrics;
    diff.prefix_metrics = {"x_prefix_hits"};
    BOOST_TEST(array_at(to_record(diff), "prefix_metric_candidates")->size() == 1U);
}
