// SPDX-License-Identifier: MIT
#include <slo/sim/engine_options.hpp>
#define BOOST_TEST_MODULE sim_options
#include <boost/test/unit_test.hpp>

#include <slo/cli/options.hpp>
#include <slo/sim/serve_options.hpp>
#include <slo/sim/virtual_options.hpp>

#include <string>
#include <vector>

using namespace slo;
using namespace slo::sim;

namespace {

template <class Options>
Options parsed(const std::vector<std::string>& words)
{
    Options options;
    cli::OptionTable table;
    options.describe(table);
    table.parse(words);
    return options;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_command_line_changes_the_profile)
{
    const auto profile = parsed<EngineOptions>({"--profile",
                                                "chat",
                                                "--max-num-seqs",
                                                "7",
                                                "--max-num-batched-tokens",
                                                "99",
                                                "--kv-blocks",
                                                "50",
                                                "--max-model-len",
                                                "800",
                                                "--step-base",
                                                "3",
                                                "--step-sequence",
                                                "0.5",
                                                "--step-prefill-token",
                                                "0.25",
                                                "--step-context-token",
                                                "2",
                                                "--model",
                                                "mine",
                                                "--no-prefix-caching"})
                             .resolve();
    BOOST_TEST(profile.name == "chat");
    BOOST_TEST(profile.model == "mine");
    BOOST_TEST(profile.limits.max_num_seqs == 7);
    BOOST_TEST(profile.limits.max_num_batched_tokens == 99);
    BOOST_TEST(profile.limits.kv_blocks == 50);
    BOOST_TEST(profile.limits.max_model_len == 800);
    BOOST_TEST(!profile.limits.prefix_caching);
    BOOST_TEST(profile.step.base_s == 3e-3);
    BOOST_TEST(profile.step.per_sequence_s == 0.5e-3);
    BOOST_TEST(profile.step.per_prefill_token_s == 0.25e-3);
    BOOST_TEST(profile.step.per_context_token_s == 2e-6);
}

BOOST_AUTO_TEST_CASE(limits_that_contradict_each_other_are_refused)
{
    BOOST_CHECK_THROW(parsed<EngineOptions>({"--kv-blocks", "4"}).resolve(), UsageError);
    BOOST_CHECK_THROW(parsed<EngineOptions>({"--step-base", "0"}).resolve(), UsageError);
    BOOST_CHECK_THROW(parsed<EngineOptions>({"--model", "\xff"}).resolve(), UsageError);
    BOOST_CHECK_THROW(parsed<EngineOptions>({"--profile", "h100"}).resolve(), InputError);
}

BOOST_AUTO_TEST_CASE(a_server_is_told_where_to_listen_and_what_to_break)
{
    const auto options =
        parsed<ServeOptions>({"--port", "0", "--host", "::1", "--fail-rate", "0.25", "--fail-status", "503"});
    BOOST_TEST(options.listen.port == 0);
    BOOST_TEST(options.listen.host == "::1");
    BOOST_TEST(options.faults.fail == 0.25);
    BOOST_TEST(options.faults.fail_status == 503);
}

BOOST_AUTO_TEST_CASE(rounds_and_capacity_need_what_they_cannot_guess)
{
    const auto nothing = [](const json::object&) {};
    BOOST_CHECK_THROW(parsed<RoundsOptions>({}).run(nothing), UsageError);
    BOOST_CHECK_THROW(parsed<CapacitySearchOptions>({}).run(), UsageError);
    const auto record =
        parsed<CapacitySearchOptions>({"--slo", "e2e:p50<0.4", "--requests", "1000", "--warm-up", "10",
                                       "--route", "tests/data/engine/route.jsonl"})
            .run();
    BOOST_TEST(record.at("schema").as_string() == "sloutils.capacity/1");
    BOOST_TEST(record.at("low").as_double() <= record.at("qps").as_double());
    BOOST_TEST(record.at("qps").as_double() <= record.at("high").as_double());
}
