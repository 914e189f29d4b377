#include <slo/workload/random.hpp>

#define BOOST_TEST_MODULE workload_random
#include <boost/test/unit_test.hpp>

#include "../../support/built_route.hpp"

#include <slo/tokens/approx_tokenizer.hpp>
#include <slo/tokens/sim_tokenizer.hpp>

#include <set>

using namespace slo;

namespace {

workload::RandomOptions small()
{
    workload::RandomOptions options;
    options.rows.tokenizer.how = "sim";
    options.count = 300;
    options.input_len = "uniform:40:200";
    options.output_len = "lognormal:50:0.7";
    return options;
}

std::int64_t tokens_of(tokens::Tokenizer&& tokenizer, const json::object& row)
{
    return tokenizer.count_prompt(row.at("body").at("prompt"));
}

} // namespace

BOOST_AUTO_TEST_CASE(the_drawn_lengths_are_what_the_route_has)
{
    const auto options = small();
    const auto route = test::build_route(options);
    const auto open = [](const std::string& path) { return io::LineReader(path); };
    const auto input = workload::LengthLaw::parse("", options.input_len, open);
    const auto output = workload::LengthLaw::parse("", options.output_len, open);
    Random random(1);
    BOOST_TEST(route.rows.size() == 300u);
    for (const auto& row : route.rows) {
        BOOST_TEST(tokens_of(tokens::SimTokenizer(), row) == input.draw(random));
        BOOST_TEST(row.at("body").at("max_tokens").as_int64() == output.draw(random));
    }
    BOOST_TEST(to_json(route.manifest.at("lengths")) ==
               R"({"prompts":300,"counted":300,"corrected":0,"largest_difference":0})");
    BOOST_TEST(to_json(route.manifest.at("tokenizer")) == R"({"kind":"sim","template":"engine-sim"})");
}

BOOST_AUTO_TEST_CASE(lengths_are_exact_for_tokens_of_any_size)
{
    for (const double chars : {1.0, 3.7, 4.0}) {
        auto options = small();
        options.rows.tokenizer.how = "approx:" + format_double(chars);
        options.input_len = "97";
        for (const auto& row : test::build_route(options).rows)
            BOOST_TEST(tokens_of(tokens::ApproxTokenizer(chars), row) == 97);
        options.rows.raw_prompt = true;
        const auto raw = test::build_route(options);
        BOOST_TEST(raw.rows[5].at("body").at("prompt").is_string());
        BOOST_TEST(tokens_of(tokens::ApproxTokenizer(chars), raw.rows[5]) == 97);
    }
}

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_bytes_and_another_another_route)
{
    auto options = small();
    const auto one = test::build_route(options);
    BOOST_TEST(test::build_route(options).text == one.text);
    options.rows.recount = "sample";
    BOOST_TEST(test::build_route(options).text == one.text);
    options.rows.seed = 2;
    const auto other = test::build_route(options);
    BOOST_TEST(other.text != one.text);
    std::set<std::string> prompts;
    for (const auto* route : {&one, &other})
        for (const auto& row : route->rows)
            BOOST_TEST(prompts.insert(to_json(row.at("body").at("prompt"))).second);
}

BOOST_AUTO_TEST_CASE(no_two_prompts_share_a_cache_block)
{
    auto options = small();
    options.input_len = "uniform:17:90";
    options.count = 3000;
    workload::CacheExpectation cache;
    tokens::SimTokenizer sim;
    for (const auto& row : test::build_route(options).rows) {
        const json::value* prompt = &row.at("body").at("prompt");
        cache.add(sim.encode_prompts({&prompt, 1}).front());
    }
    BOOST_TEST(cache.facts().at("shared_tokens") == 0);
}

BOOST_AUTO_TEST_CASE(rows_have_times_ids_and_bodies_as_asked)
{
    auto options = small();
    options.count = 3;
    options.rows.prefix_id = "x-";
    options.rows.fixed_output = true;
    options.output_len = "9";
    options.rows.body = R"({"temperature":0.5})";
    auto route = test::build_route(options);
    BOOST_TEST(to_json(route.rows[2].at("ts")) == "1760000002");
    BOOST_TEST(route.rows[2].at("conv_id") == "x-000003");
    auto body = route.rows[2].at("body").as_object();
    body.stable_erase("prompt");
    BOOST_TEST(to_json(body) == R"({"max_tokens":9,"min_tokens":9,"ignore_eos":true,"temperature":0.5})");
    options.rows.qps = 4;
    route = test::build_route(options);
    BOOST_TEST(to_json(route.rows[0].at("ts")) == "1760000000000000000");
    BOOST_TEST(to_json(route.rows[2].at("ts")) == "1760000000500000000");
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused)
{
    const auto refused = [](auto&& change) {
        auto options = small();
        change(options);
        BOOST_CHECK_THROW(test::build_route(options), UsageError);
    };
    refused([](auto& options) { options.count = 0; });
    refused([](auto& options) { options.rows.tokenizer.how.clear(); });
    refused([](auto& options) { options.rows.body = "[]"; });
    refused([](auto& options) { options.rows.body = "{"; });
    refused([](auto& options) { options.rows.body = R"({"prompt":"x"})"; });
    refused([](auto& options) {
        options.rows.fixed_output = true;
        options.rows.body = R"({"min_tokens":2})";
    });
    refused([](auto& options) { options.rows.qps = 0; });
    refused([](auto& options) { options.rows.qps = 0.000001, options.count = 1000; });
    refused([](auto& options) { options.rows.start_ts = 5; });
    refused([](auto& options) { options.rows.recount = "none"; });
    refused([](auto& options) { options.range_ratio = 0.5; });
    auto options = small();
    options.input_len = "3";
    BOOST_CHECK_EXCEPTION(test::build_route(options), Error, [](const Error& error) {
        return std::string(error.what()).starts_with("prompt 1: 3 tokens leave no room for its text");
    });
}
