// SPDX-License-Identifier: MIT
#include <slo/run/replay_plan.hpp>

#define BOOST_TEST_MODULE run_replay_plan
#include <boost/test/unit_test.hpp>

#include "../../../tools/replay_options.hpp"

#include <slo/io/jsonl.hpp>

#include <functional>
#include <string>

using namespace slo::run;

namespace {

std::string refusal(const std::function<void(ReplayOptions&)>& change)
{
    ReplayOptions options;
    change(options);
    try {
        make_plan(options);
    } catch (const slo::UsageError& error) {
        return error.what();
    }
    return {};
}

} // namespace

BOOST_AUTO_TEST_CASE(the_defaults_are_a_plan)
{
    const auto plan = make_plan({});
    BOOST_TEST((plan.mode == ReplayMode::timestamp));
    BOOST_TEST(plan.input == "-");
    BOOST_TEST(plan.round_duration_s == 60);
    BOOST_TEST(plan.drain_timeout_s == 300);
    BOOST_TEST(plan.arrival.qps == 1);
    BOOST_TEST(!plan.probe_min_p); // only /chat/completions is probed
    BOOST_TEST(!plan.request.send_min_p);
    BOOST_TEST(plan.request.extra_body.empty());
}

BOOST_AUTO_TEST_CASE(options_reach_the_plan)
{
    ReplayOptions options;
    options.replay_mode = "qps";
    options.continuous_qps_window = true;
    options.max_rounds = 12;
    options.target_qps = 8.2;
    options.files = {"route.jsonl"};
    options.use_chat = true;
    options.extra_body_json = R"({"n":3})";
    options.ttft_slo_ms = 500;
    options.ts_unit = "ms";
    const auto plan = make_plan(options);
    BOOST_TEST((plan.mode == ReplayMode::continuous));
    BOOST_TEST(plan.max_rounds.value() == 12);
    BOOST_TEST(plan.arrival.qps == 8.2);
    BOOST_TEST(plan.input == "route.jsonl");
    BOOST_TEST(plan.probe_min_p);
    BOOST_TEST(plan.request.extra_body.size() == 1U);
    BOOST_TEST(plan.ttft_slo_ms.value() == 500);
    BOOST_TEST((plan.ts_unit.value() == slo::record::TsUnit::ms));
    options.continuous_qps_window = false;
    BOOST_TEST((make_plan(options).mode == ReplayMode::rounds));
    options.disable_min_p = true;
    BOOST_TEST(!make_plan(options).probe_min_p);
}

BOOST_AUTO_TEST_CASE(checks_come_in_the_order_of_the_recorded_client)
{
    const auto all_wrong = [](ReplayOptions& o) {
        o.extra_body_json = "{bad";
        o.forward_kv_evict = true;
        o.continuous_qps_window = true;
        o.sample_range = {0.5, 0.2};
        o.preselected_route = true;
        o.target_qps = 0;
    };
    BOOST_TEST(refusal(all_wrong).starts_with("--extra-body-json: not JSON"));
    BOOST_TEST(refusal([&](ReplayOptions& o) {
                   all_wrong(o);
                   o.extra_body_json = "[]";
               }).starts_with("--extra-body-json: wants a JSON object"));
    const auto step = [&](ReplayOptions& o) {
        all_wrong(o);
        o.extra_body_json = "null";
    };
    BOOST_TEST(refusal(step).starts_with("--forward-kv-evict"));
    const auto chat = [&](ReplayOptions& o) {
        step(o);
        o.use_chat = true;
    };
    BOOST_TEST(refusal(chat) == "--continuous-qps-window: needs --replay-mode qps");
    const auto qps = [&](ReplayOptions& o) {
        chat(o);
        o.replay_mode = "qps";
    };
    BOOST_TEST(refusal(qps) == "--continuous-qps-window: needs --max-rounds");
    const auto rounds = [&](ReplayOptions& o) {
        qps(o);
        o.max_rounds = 1;
    };
    BOOST_TEST(refusal(rounds).starts_with("--sample-range"));
    const auto range = [&](ReplayOptions& o) {
        rounds(o);
        o.sample_range = {0, 0.5};
    };
    BOOST_TEST(refusal(range).starts_with("--preselected-route"));
    const auto whole = [&](ReplayOptions& o) {
        range(o);
        o.sample_range = {0, 1};
    };
    BOOST_TEST(refusal(whole).starts_with("--target-qps"));
    BOOST_TEST(refusal([&](ReplayOptions& o) {
                   whole(o);
                   o.target_qps = 2;
               }) == "");
}

BOOST_AUTO_TEST_CASE(numbers_without_sense_are_refused)
{
    BOOST_TEST(refusal([](ReplayOptions& o) { o.round_duration_s = 0; }).starts_with("--round-duration"));
    BOOST_TEST(
        refusal([](ReplayOptions& o) { o.round_drain_timeout_s = -1; }).starts_with("--round-drain-timeout"));
    BOOST_TEST(refusal([](ReplayOptions& o) { o.max_rounds = 0; }).starts_with("--max-rounds"));
    BOOST_TEST(refusal([](ReplayOptions& o) { o.request_timeout_s = 0; }).starts_with("--request-timeout"));
    BOOST_TEST(refusal([](ReplayOptions& o) { o.connect_timeout_s = -1; }).starts_with("--connect-timeout"));
    BOOST_TEST(refusal([](ReplayOptions& o) { o.first_token_timeout_s = 0; }).starts_with("--first-token"));
    BOOST_TEST(refusal([](ReplayOptions& o) { o.max_in_flight = 0; }).starts_with("--max-in-flight"));
    BOOST_TEST(refusal([](ReplayOptions& o) { o.threads = 0; }).starts_with("--threads"));
    BOOST_TEST(refusal([](ReplayOptions& o) { o.e2e_slo_s = 0; }).starts_with("--e2e-slo"));
    BOOST_TEST(refusal([](ReplayOptions& o) { o.ttft_slo_ms = 0; }).starts_with("--ttft-slo"));
    BOOST_TEST(refusal([](ReplayOptions& o) { o.api_base = "ftp://h"; }).starts_with("--api-base"));
    BOOST_TEST(refusal([](ReplayOptions& o) { o.api_base = "http://h\r\nX: y"; }).starts_with("--api-base"));
    BOOST_TEST(refusal([](ReplayOptions& o) { o.model = "\xFF"; }).starts_with("--model"));
    BOOST_TEST(refusal([](ReplayOptions& o) {
                   o.input = "a";
                   o.files = {"b"};
               }).starts_with("ROUTE"));
    BOOST_TEST(refusal([](ReplayOptions& o) {
                   o.replay_mode = "qps";
                   o.target_qps = 0.01;
               }).starts_with("--target-qps"));
}

BOOST_AUTO_TEST_CASE(no_output_is_written_over_another_or_over_the_route)
{
    const auto with = [](const char* input, const char* rounds, const char* requests) {
        return refusal([=](ReplayOptions& o) {
            o.input = input;
            o.json_output = rounds;
            o.requests_out = requests;
        });
    };
    BOOST_TEST(with("-", "new.jsonl", "./new.jsonl") ==
               "--requests-out: cannot be the file of --json-output");
    BOOST_TEST(with("-", "-", "-") == "--requests-out: cannot be the file of --json-output");
    BOOST_TEST(with("Makefile", "tests/../Makefile", "") == "--json-output: cannot be the route");
    BOOST_TEST(with("Makefile", "", "Makefile") == "--requests-out: cannot be the route");
    BOOST_TEST(with("-", "a.jsonl", "b.jsonl") == "");
    BOOST_TEST(refusal([](ReplayOptions& o) {
                   o.requests_out = "a";
                   o.schedule_out = "./a";
               }) == "--schedule-out: cannot be the file of --requests-out");
    BOOST_TEST(refusal([](ReplayOptions& o) {
                   o.json_output = "a";
                   o.prom_textfile = "a";
               }) == "--prom-textfile: cannot be the file of --json-output");
    BOOST_TEST(with("-", "", "b.jsonl") == "");
    BOOST_TEST(with("/dev/null", "/dev/null", "/dev/null") == "");
}

BOOST_AUTO_TEST_CASE(whole_answers_are_not_asked_for_token_times)
{
    const auto with = [](auto&& set) {
        return refusal([set](ReplayOptions& o) {
            o.no_stream = true;
            set(o);
        });
    };
    BOOST_TEST(with([](ReplayOptions&) {}) == "");
    BOOST_TEST(with([](ReplayOptions& o) { o.ttft_slo_ms = 5; }).starts_with("--ttft-slo: cannot"));
    BOOST_TEST(with([](ReplayOptions& o) { o.tpot_slo_ms = 5; }).starts_with("--tpot-slo: cannot"));
    BOOST_TEST(with([](ReplayOptions& o) {
                   o.first_token_timeout_s = 5;
               }).starts_with("--first-token-timeout: cannot"));
    BOOST_TEST(refusal([](ReplayOptions& o) { o.prom_textfile = "-"; }).starts_with("--prom-textfile: must"));
}

BOOST_AUTO_TEST_CASE(arrival_processes_take_their_own_parameters_only)
{
    const auto with = [](const std::string& arrival, auto&& set) {
        return refusal([&](ReplayOptions& o) {
            o.replay_mode = "qps";
            o.arrival = arrival;
            set(o);
        });
    };
    const auto nothing = [](ReplayOptions&) {};
    BOOST_TEST(with("poisson", nothing) == "");
    BOOST_TEST(with("gamma", [](ReplayOptions& o) { o.burstiness = 0.5; }) == "");
    BOOST_TEST(with("uniform", nothing) == "--arrival: must be constant, poisson, gamma or ramp");
    BOOST_TEST(with("trace", nothing) == "--arrival: must be constant, poisson, gamma or ramp");
    BOOST_TEST(with("poisson", [](ReplayOptions& o) { o.burstiness = 1; }) ==
               "--burstiness: needs --arrival gamma");
    BOOST_TEST(with("gamma", [](ReplayOptions& o) { o.burstiness = 0; }).starts_with("--burstiness"));
    BOOST_TEST(with("ramp", nothing) == "--ramp-to: goes with --arrival ramp");
    BOOST_TEST(with("ramp", [](ReplayOptions& o) { o.ramp_to = 3; }) == "--arrival: ramp needs --max-rounds");
    BOOST_TEST(with("", [](ReplayOptions& o) { o.ramp_to = 3; }) == "--ramp-to: goes with --arrival ramp");
    BOOST_TEST(with("", [](ReplayOptions& o) { o.speed = 2; }) == "--speed: needs --replay-mode timestamp");
    BOOST_TEST(refusal([](ReplayOptions& o) { o.arrival = "poisson"; }) ==
               "--arrival: needs --replay-mode qps");
    BOOST_TEST(refusal([](ReplayOptions& o) { o.speed = 0; }).starts_with("--speed"));
    const auto in_shard = [&](std::optional<std::uint64_t> seed) {
        return with("poisson", [&](ReplayOptions& o) {
            o.shard = "0/2";
            o.seed = seed;
            o.continuous_qps_window = true;
            o.max_rounds = 2;
        });
    };
    BOOST_TEST(in_shard({}).starts_with("--seed: is needed"));
    BOOST_TEST(in_shard(1) == "");
}

BOOST_AUTO_TEST_CASE(a_closed_loop_has_no_rate)
{
    const auto with = [](auto&& set) {
        return refusal([&](ReplayOptions& o) {
            o.concurrency = 4;
            set(o);
        });
    };
    BOOST_TEST(with([](ReplayOptions&) {}) == "");
    BOOST_TEST(with([](ReplayOptions& o) { o.target_qps = 2; }) ==
               "--concurrency: cannot stand with --target-qps");
    BOOST_TEST(with([](ReplayOptions& o) { o.replay_mode = "qps"; }).starts_with("--concurrency"));
    BOOST_TEST(with([](ReplayOptions& o) { o.max_in_flight = 2; }).starts_with("--concurrency"));
    BOOST_TEST(with([](ReplayOptions& o) { o.concurrency = 0; }).starts_with("--concurrency"));
    BOOST_TEST(with([](ReplayOptions& o) { o.threads = 5; }).starts_with("--threads"));
    BOOST_TEST(with([](ReplayOptions& o) { o.loop_route = true; }) == "--loop-route: needs --max-rounds");
}

BOOST_AUTO_TEST_CASE(endpoints_are_named_once)
{
    BOOST_TEST(refusal([](ReplayOptions& o) { o.endpoint = "embeddings"; }).starts_with("--endpoint"));
    BOOST_TEST(refusal([](ReplayOptions& o) {
                   o.endpoint = "responses";
                   o.use_chat = true;
               }).starts_with("--endpoint"));
    ReplayOptions options;
    options.endpoint = "chat";
    BOOST_TEST(make_plan(options).probe_min_p);
}

BOOST_AUTO_TEST_CASE(a_shard_is_checked)
{
    BOOST_TEST(refusal([](ReplayOptions& o) { o.shard = "2/2"; }).starts_with("--shard: wants I/N"));
    ReplayOptions options;
    BOOST_TEST(make_plan(options).shard.is_all());
    options.shard = "1/2";
    BOOST_TEST(!make_plan(options).shard.is_all());
    options.replay_mode = "qps"; // each shard would drain in its own time
    BOOST_CHECK_THROW(make_plan(options), slo::UsageError);
    options.continuous_qps_window = true;
    options.max_rounds = 2;
    BOOST_TEST(!make_plan(options).shard.is_all());
}

BOOST_AUTO_TEST_CASE(each_thread_has_its_part_of_a_bound)
{
    const auto with = [](int threads) {
        return refusal([&](ReplayOptions& o) {
            o.max_in_flight = 3;
            o.threads = threads;
        });
    };
    BOOST_TEST(with(3) == "");
    BOOST_TEST(with(4) == "--threads: cannot be more than --max-in-flight");
}

// The recorded client refused with 1 or 2; ours does with 3, and also a rate of 0, which it took.
BOOST_AUTO_TEST_CASE(the_command_lines_of_the_recorded_client_are_refused_or_taken_as_there)
{
    slo::io::LineReader reader("tests/data/classic/replay_cli_vectors.jsonl");
    int vectors = 0;
    while (const auto vector = slo::io::next_object(reader)) {
        std::vector<std::string> words;
        for (const auto& word : *slo::array_at(*vector, "argv"))
            words.emplace_back(word.as_string());
        bool taken = true;
        try {
            ReplayOptions options;
            slo::cli::OptionTable table;
            slo::describe_replay(table, options);
            table.parse(words);
            make_plan(options);
        } catch (const slo::UsageError&) {
            taken = false;
        }
        const bool zero_rate = words.size() >= 2 && words.back() == "0" && words.end()[-2] == "--target-qps";
        BOOST_TEST(taken == (slo::integer_at(*vector, "exit") == 0 && !zero_rate), slo::to_json(*vector));
        ++vectors;
    }
    BOOST_TEST(vectors == 21);
}

BOOST_AUTO_TEST_CASE(objectives_are_read_once_each)
{
    ReplayOptions options;
    options.objectives = {"ttft:p99<800ms", "success>=99%"};
    const auto plan = make_plan(options);
    BOOST_REQUIRE(plan.objectives.size() == 2U);
    BOOST_TEST(slo::stats::to_text(plan.objectives[0]) == "ttft:p99<0.8");
    BOOST_TEST(refusal([](auto& o) { o.objectives = {"ttft<1"}; }).starts_with("objective 'ttft<1': is not"));
    BOOST_TEST(refusal([](auto& o) {
                   o.objectives = {"success>=9%", "success>9.0%"};
               }) == "objective 'success>=9%': is given twice");
    BOOST_TEST(refusal([](auto& o) {
                   o.objectives = {"success>=99%", "goodput(e2e<6,tpot<1)>=9%"};
                   o.no_stream = true;
               }) == "--objective: cannot stand with --no-stream: whole answers have no token times");
    options.objectives = {"e2e:p50<6.5", "goodput(e2e<6)>=9%"};
    options.no_stream = true;
    BOOST_TEST(make_plan(options).objectives.size() == 2U);
}
