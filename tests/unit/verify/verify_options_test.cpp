// SPDX-License-Identifier: MIT
// Options and what the spec adds to them.

#include <slo/verify/verify_options.hpp>

#define BOOST_TEST_MODULE verify_verify_options
#include <boost/test/unit_test.hpp>

using namespace slo;
using namespace slo::verify;

namespace {

std::string refusal(const VerifyOptions& options)
{
    try {
        make_plan(options);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(a_spec_says_what_is_expected)
{
    VerifyOptions options;
    options.spec = "tests/data/verify/good.yaml";
    const auto plan = make_plan(options);
    BOOST_TEST(plan.is_quota());
    BOOST_TEST(to_json(*plan.body) == R"({"n":3,"max_tokens":20,"temperature":0.7})");
    BOOST_TEST(plan.max_run == 2);
    BOOST_TEST(plan.max_model_len == 160);
    BOOST_TEST(plan.block_tokens() == 16);
    BOOST_TEST((plan.forbidden == std::vector<std::string>{"top_k", "min_p"}));
    BOOST_TEST(!plan.has_tokenizer);
}

BOOST_AUTO_TEST_CASE(options_win_over_the_spec)
{
    VerifyOptions options;
    options.spec = "tests/data/verify/good.yaml";
    options.body = R"({"top_k":5})";
    options.max_run = 7;
    options.max_model_len = 99;
    options.block_tokens = 32;
    const auto plan = make_plan(options);
    BOOST_TEST(to_json(*plan.body) == R"({"top_k":5})");
    BOOST_TEST((plan.forbidden == std::vector<std::string>{"min_p"})); // what must be there is not forbidden
    BOOST_TEST(plan.max_run == 7);
    BOOST_TEST(plan.max_model_len == 99);
    BOOST_TEST(plan.block_tokens() == 32);
}

BOOST_AUTO_TEST_CASE(the_context_of_a_tokenizer_is_the_last_resort)
{
    const auto context = [](const VerifyOptions& options, const json::object& tokenizer) {
        auto plan = make_plan(options);
        plan.take_context(tokenizer);
        return std::to_string(plan.max_model_len) + " " + plan.max_model_len_from;
    };
    VerifyOptions options;
    BOOST_TEST(context(options, {{"max_model_len", 500}}) == "500 --tokenizer");
    BOOST_TEST(context(options, {{"max_model_len", nullptr}}).starts_with("0 "));
    BOOST_TEST(context(options, {{"max_model_len", -5}}).starts_with("0 "));
    options.spec = "tests/data/verify/good.yaml";
    BOOST_TEST(context(options, {{"max_model_len", 500}}) == "160 --spec");
    options.max_model_len = 99;
    BOOST_TEST(context(options, {{"max_model_len", 500}}) == "99 --max-model-len");
}

BOOST_AUTO_TEST_CASE(rows_needed)
{
    VerifyOptions options;
    BOOST_TEST(make_plan(options).needed_rows == 1U);
    options.for_run = "0.5,12,30";
    options.min_rows = 100;
    BOOST_TEST(make_plan(options).needed_rows == 180U);
    options.min_rows = 200;
    BOOST_TEST(make_plan(options).needed_rows == 200U);
}

BOOST_AUTO_TEST_CASE(hit_rates)
{
    VerifyOptions options;
    options.n = 3;
    BOOST_TEST(refusal(options) == "--n: needs --cache-blocks");
    options.n.reset();
    options.cache_blocks = 10;
    BOOST_TEST(refusal(options) == "--cache-blocks: needs --tokenizer");
    options.tokenizer.how = "sim";
    options.hit_rate = "0.25:0.5";
    const auto plan = make_plan(options);
    BOOST_TEST(plan.cache->low == 0.25);
    BOOST_TEST(plan.cache->high == 0.5);
    for (const auto* bad : {"x", "0.5:0.4", "-0.1:1", "0:1.1", "0.1:", ":1", "0.1:0.2:0.3"}) {
        options.hit_rate = bad;
        BOOST_TEST(refusal(options) == "--hit-rate: wants LOW:HIGH, 0 <= LOW <= HIGH <= 1", bad);
    }
}

BOOST_AUTO_TEST_CASE(refusals)
{
    VerifyOptions options;
    options.share_tolerance = std::numeric_limits<double>::quiet_NaN();
    BOOST_TEST(refusal(options) == "--share-tolerance: must be above 0");
    options = {};
    options.sample_range = {0.5, 0.5};
    BOOST_TEST(refusal(options) == "--sample-range: wants 0 <= START < END <= 1");
    options = {};
    options.body = "{\"a\":1} x";
    BOOST_TEST(refusal(options).starts_with("--body: not JSON"));
}
