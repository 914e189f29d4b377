// SPDX-License-Identifier: MIT
#include <slo/run/run_record.hpp>

#define BOOST_TEST_MODULE run_run_record
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo::run;

namespace {

bool contains(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_CASE(it_holds_no_secret)
{
    ReplayOptions options;
    options.api_base = "http://user:secret@host/v1?a=1&api_key=secret&Token=secret&key=secret";
    options.api_key = "secret";
    options.api_key_file = "secret";
    options.extra_body_json = R"({"api_key":"secret","nested":{"token":"secret","n":3},"max_tokens":7})";
    const auto text = slo::to_json(run_record(options, make_plan(options), {}, 7, 1755000000.5));
    BOOST_TEST(!contains(text, "secret"));
    BOOST_TEST(contains(text, R"("schema":"sloutils.run/1")"));
    BOOST_TEST(contains(text, R"("start":"2025-08-12T12:00:00Z")"));
    BOOST_TEST(
        contains(text, R"("api_base":"http://host/v1?a=1&api_key=REDACTED&Token=REDACTED&key=REDACTED")"));
    BOOST_TEST(contains(text, R"("target_qps":null)"));
    BOOST_TEST(contains(text, R"({"api_key":"***","nested":{"token":"***","n":3},"max_tokens":7})"));
}

BOOST_AUTO_TEST_CASE(it_holds_the_whole_configuration)
{
    ReplayOptions options;
    options.skip_bad = true;
    options.disable_min_p = true;
    options.no_connect_check = true;
    options.shard = "1/4";
    options.json_output = "rounds.jsonl";
    options.requests_out = "requests.jsonl";
    options.detailed_logs = "logs/";
    slo::record::Route route;
    route.rows.resize(3);
    route.left_out = 5;
    route.bad_rows = 2;
    route.unit = slo::record::TsUnit::ms;
    route.unit_source = slo::record::UnitSource::magnitude;
    const auto text = slo::to_json(run_record(options, make_plan(options), route, 7, 0));
    for (const char* part :
         {R"("rows":3,"rows_left_out":5,"bad_rows":2,"ts_unit_source":"magnitude")", R"("ts_unit":"ms")",
          R"("skip_bad":true)", R"("disable_min_p":true)", R"("no_connect_check":true)", R"("shard":"1/4")",
          R"("json_output":"rounds.jsonl","requests_out":"requests.jsonl","detailed_logs":"logs/")"})
        BOOST_TEST(contains(text, part), part << " in " << text);
    route.unit_source = slo::record::UnitSource::unknown;
    BOOST_TEST(
        contains(slo::to_json(run_record(options, make_plan(options), route, 7, 0)), R"("ts_unit":null)"));
}
