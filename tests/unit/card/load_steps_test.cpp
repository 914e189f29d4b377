#include <slo/card/load_steps.hpp>

#define BOOST_TEST_MODULE card_load_steps
#include <boost/test/unit_test.hpp>

#include <slo/base/json_parse.hpp>

#include <string>
#include <vector>

using namespace slo;

namespace {

card::Load read(std::string_view load, card::Tool tool = card::Tool::replay)
{
    card::CardView card(parse_json("{\"load\":" + std::string(load) + "}").as_object());
    return card::read_load(card, tool);
}

// Label, rate, users, prompts, seconds of each.
std::string steps(std::string_view load)
{
    std::string text;
    for (const auto& step : read(load).steps)
        text += step.label + " " + to_json(step.rate) + " " + to_json(or_null(step.concurrency)) + " " +
                to_json(or_null(step.prompts)) + " " + to_json(or_null(step.duration_s)) +
                (step.by_duration ? "s" : "") + (step.random_arrivals ? " random" : "") + "; ";
    return text;
}

std::string refusal(std::string_view load)
{
    try {
        read(load);
    } catch (const card::Unsupported& obstacle) {
        return obstacle.code() + " " + obstacle.what();
    }
    return "read";
}

} // namespace

BOOST_AUTO_TEST_CASE(one_load_of_each_type)
{
    BOOST_TEST(steps(R"({"type":"constant","request_rate":2.0,"num_prompts":0})") ==
               "qps2.0 2.0 null 100 null; ");
    BOOST_TEST(
        steps(R"({"type":"constant","request_rate":"inf","concurrent_sessions":8,"num_sessions":80})") ==
        "c8 null 8 80 null; ");
    BOOST_TEST(steps(R"({"type":"constant"})") == "constant null null 100 null; ");
    BOOST_TEST(steps(R"({"type":"constant","request_rate":1.5,"duration_s":60})") ==
               "qps1.5 1.5 null 90 60.0s; ");
    BOOST_TEST(steps(R"({"type":"open-loop"})") == "maxrate null null 500 null; ");
    BOOST_TEST(steps(R"({"type":"open-loop","num_prompts":null})") == "maxrate null null null null; ");
    BOOST_TEST(steps(R"({"type":"poisson"})") == "qps4.0 4.0 null 500 null random; ");
    BOOST_TEST(steps(R"({"type":"qps-constrained"})") == "qps2 2 null 1800 900.0s; ");
    BOOST_TEST(steps(R"({"type":"qps-constrained","num_prompts":10})") == "qps2 2 null 10 900.0; ");
    BOOST_TEST(steps(R"({"type":"first-100"})") == "first100 null 1 100 null; ");
}

BOOST_AUTO_TEST_CASE(several_loads_of_a_sweep)
{
    BOOST_TEST(steps(R"({"type":"sweep","rates":[1,0.5]})") ==
               "qps1 1 null 100 null; qps0.5 0.5 null 100 null; ");
    BOOST_TEST(steps(R"({"type":"concurrency-sweep","levels":[1,4],"per_level_duration_s":30})") ==
               "c1 null 1 50 30.0s; c4 null 4 50 30.0s; ");
    BOOST_TEST(steps(R"({"type":"concurrency-sweep","concurrency_steps":[2],"num_requests_per_step":7})") ==
               "c2 null 2 7 null; ");
    BOOST_TEST(
        steps(R"({"type":"constant-concurrency","concurrency_sweep":[16],"num_requests_per_point":9})") ==
        "c16 null 16 9 null; ");
    BOOST_TEST(
        steps(
            R"({"modes":[{"id":"offline","type":"max-rate"},{"type":"qps-constrained","target_qps":3}]})") ==
        "offline null null 500 null; mode 3 null 2700 900.0s; ");
}

BOOST_AUTO_TEST_CASE(warm_up_is_of_requests_or_of_sessions)
{
    BOOST_TEST(read(R"({"type":"constant","warmup_requests":30})").steps.at(0).warm_ups == 30);
    BOOST_TEST(read(R"({"type":"constant","warmup_sessions":4})").steps.at(0).warm_ups == 4);
    BOOST_TEST(read(R"({"type":"constant","warmup_requests":0})").steps.at(0).warm_ups == 0);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_run_is_named)
{
    BOOST_TEST(read(R"({"type":"first-100"})", card::Tool::vllm).orchestrator == "cold_start_probe");
    BOOST_TEST(read(R"({"type":"sustained"})").orchestrator == "burn_in_runner");
    BOOST_TEST(refusal(R"({"type":"sweep","rates":[]})") ==
               "sweep_without_rates load.rates: is empty: a sweep needs its rates");
    BOOST_TEST(refusal(R"({"type":"concurrency-sweep"})").starts_with("concurrency_sweep_without_levels"));
    BOOST_TEST(refusal(R"({"type":"constnt"})") ==
               "unregistered_load_type load.type: 'constnt' is unknown; did you mean constant?");
    BOOST_TEST(refusal(R"({"type":"constant","request_rate":0})").starts_with("rate_not_positive"));
    BOOST_TEST(refusal(R"({"modes":[{"type":"zzz"}]})").starts_with("unsupported_mode_type"));
    BOOST_TEST(
        refusal(R"({"modes":[{"type":"qps-constrained","target_qps":0}]})").starts_with("rate_not_positive"));
}
