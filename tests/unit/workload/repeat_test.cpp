// SPDX-License-Identifier: MIT
#include <slo/workload/repeat.hpp>

#define BOOST_TEST_MODULE workload_repeat
#include <boost/test/unit_test.hpp>

#include "../../support/built_route.hpp"

#include <fstream>
#include <map>
#include <set>
#include <string>

using namespace slo;

namespace {

test::BuiltRoute repeated(const std::string& route, workload::RepeatOptions options)
{
    const test::ScratchFile file;
    std::ofstream(file.path()) << route;
    options.files = {file.path()};
    return test::build_route(options);
}

workload::RepeatOptions cycles(std::int64_t count)
{
    workload::RepeatOptions options;
    options.cycles = count;
    return options;
}

bool says(const Error& error, std::string_view text)
{
    return std::string_view(error.what()).find(text) != std::string_view::npos;
}

constexpr auto three_rows = R"({"ts":1755000000,"conv_id":"a","model":"m","body":{"prompt":"1"}}
{"ts":1755000001,"conv_id":7,"body":{"prompt":"2"}}
{"ts":1755000002,"body":{"prompt":"3"}})";

} // namespace

BOOST_AUTO_TEST_CASE(every_cycle_is_whole_with_conversations_and_times_of_its_own)
{
    const auto route = repeated(three_rows, cycles(2));
    BOOST_TEST(route.text == R"({"ts":1755000000,"conv_id":"a-cycle00","model":"m","body":{"prompt":"1"}}
{"ts":1755000001,"conv_id":"7-cycle00","body":{"prompt":"2"}}
{"ts":1755000002,"body":{"prompt":"3"}}
{"ts":1755000003,"conv_id":"a-cycle01","model":"m","body":{"prompt":"1"}}
{"ts":1755000004,"conv_id":"7-cycle01","body":{"prompt":"2"}}
{"ts":1755000005,"body":{"prompt":"3"}}
)");
    BOOST_TEST(route.manifest.at("cycle_rows") == 3);
    BOOST_TEST(route.manifest.at("cycle_period") == "3");
    BOOST_TEST(route.manifest.at("sources").as_array().size() == 1U);
}

// The classic builder: ts = first + c·rows + i, conv_id and "-cycleCC", body only, in compact JSON.
BOOST_AUTO_TEST_CASE(the_classic_builder_gives_the_same)
{
    std::string classic;
    std::string source;
    for (int row = 0; row < 1000; ++row)
        source += "{\"ts\":" + std::to_string(1755000000 + row) + ",\"conv_id\":\"ar-dist-" +
                  std::to_string(row) +
                  "\",\"assembly\":{\"entry\":\"v4\"},\"model\":{\"bucket\":\"<1k\"},\"body\":{\"prompt\":[],"
                  "\"max_tokens\":50}}\n";
    for (int c = 0; c < 13; ++c) {
        for (int row = 0; row < 1000; ++row)
            classic += "{\"ts\":" + std::to_string(1755000000 + c * 1000 + row) + ",\"conv_id\":\"ar-dist-" +
                       std::to_string(row) + "-cycle" + (c < 10 ? "0" : "") + std::to_string(c) +
                       "\",\"body\":{\"prompt\":[],\"max_tokens\":50}}\n";
    }
    auto options = cycles(13);
    options.body_only = true;
    options.cycle_rows = 1000;
    BOOST_TEST((repeated(source, options).text == classic));
    options.ts_rule = "index";
    BOOST_TEST((repeated(source, options).text == classic));
}

BOOST_AUTO_TEST_CASE(turns_stay_together_and_in_order)
{
    auto options = cycles(3);
    options.files = {"tests/data/routes/multiturn_240.jsonl"};
    const auto route = test::build_route(options);
    BOOST_TEST(route.rows.size() == 720U);
    std::map<std::string, std::size_t> turns;
    std::int64_t before = 0;
    for (const auto& row : route.rows) {
        ++turns[std::string(row.at("conv_id").as_string())];
        const auto ts = row.at("ts").as_int64();
        BOOST_TEST(ts >= before);
        before = ts;
    }
    std::map<std::string, std::set<std::size_t>> sizes;
    for (const auto& [id, count] : turns)
        sizes[id.substr(0, id.find("-cycle"))].insert(count);
    for (const auto& [id, of_cycles] : sizes)
        BOOST_TEST(of_cycles.size() == 1U, id);
    BOOST_TEST(turns.size() == 3 * sizes.size());
}

BOOST_AUTO_TEST_CASE(decimal_times_stay_exact)
{
    const auto route = repeated(
        "{\"ts\":1760000000.000000001,\"body\":{}}\n{\"ts\":1760000000.000000003,\"body\":{}}\n", cycles(3));
    BOOST_TEST(route.text ==
               "{\"ts\":1760000000.000000001,\"body\":{}}\n{\"ts\":1760000000.000000003,\"body\":{}}\n"
               "{\"ts\":1760000000.000000005,\"body\":{}}\n{\"ts\":1760000000.000000007,\"body\":{}}\n"
               "{\"ts\":1760000000.000000009,\"body\":{}}\n{\"ts\":1760000000.000000011,\"body\":{}}\n");
}

BOOST_AUTO_TEST_CASE(ids_keep_their_escapes)
{
    const auto route = repeated(R"({"ts":1,"conv_id":"\u00e4\"","body":{}})", cycles(1));
    BOOST_TEST(route.text == "{\"ts\":1,\"conv_id\":\"\\u00e4\\\"-cycle00\",\"body\":{}}\n");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_repeated_is_refused)
{
    const auto refused = [](const std::string& route, workload::RepeatOptions options,
                            std::string_view reason) {
        BOOST_CHECK_EXCEPTION(repeated(route, options), Error,
                              [&](const Error& error) { return says(error, reason); });
    };
    refused(three_rows, {}, "--cycles: is needed");
    refused(three_rows, cycles(0), "--cycles: must be");
    refused(three_rows, cycles(1'000'000'001), "--cycles: must be");
    refused("", cycles(2), "holds no row to repeat");
    refused("\n\n", cycles(2), "holds no row to repeat");
    refused(R"({"ts":1,"body":{}})", cycles(2), "these give no rate");
    refused("{\"ts\":1,\"body\":{}}\n{\"ts\":2,\"bo", cycles(2), ":2: not JSON");
    refused("{\"ts\":1,\"body\":{}}\n{\"ts\":9223372036854775807,\"body\":{}}\n", cycles(2),
            ":1: ts is out of range in cycle 1");
    auto options = cycles(2);
    options.ts_rule = "guess";
    refused(three_rows, options, "--ts-rule: must be");
    options = cycles(2);
    options.cycle_rows = 4;
    refused(three_rows, options, "has 3 rows, --cycle-rows says 4");
    options.cycle_rows = 2;
    refused(three_rows, options, ":3: more rows than --cycle-rows says");
}

BOOST_AUTO_TEST_CASE(one_cycle_needs_no_rate)
{
    BOOST_TEST(repeated(R"({"ts":1,"body":{}})", cycles(1)).rows.size() == 1U);
    auto options = cycles(3);
    options.ts_rule = "index";
    BOOST_TEST(repeated(R"({"ts":4,"body":{}})", options).text ==
               "{\"ts\":4,\"body\":{}}\n{\"ts\":5,\"body\":{}}\n{\"ts\":6,\"body\":{}}\n");
}
