// SPDX-License-Identifier: MIT
#include <slo/record/request_rounds.hpp>

#define BOOST_TEST_MODULE record_request_rounds
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>
#include <slo/record/round_summary.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace slo;
using namespace slo::record;

namespace {

std::vector<stats::Objective> objectives()
{
    std::vector<stats::Objective> list;
    for (const auto* text : {"e2e:p50<2", "ttft:p99<0.5", "tpot:p90<0.02", "success>=99%",
                             "goodput(e2e<3,ttft<0.5,tpot<0.03)>=95%"})
        list.push_back(stats::parse_objective(text));
    return list;
}

json::object parsed(const std::string& text)
{
    return parse_json(text).get_object();
}

json::object run(const std::string& config = R"("replay_mode":"qps","continuous_qps_window":true,)"
                                             R"("target_qps":20)",
                 const std::string& basis = "due")
{
    return parsed(R"({"schema":"sloutils.run/1","tool":"replay","latency_basis":")" + basis +
                  R"(","config":{"round_duration_s":10,)" + config + "}}");
}

json::object stopped(const std::string& by, const std::string& at_s)
{
    return parsed(R"({"schema":"sloutils.run/1","stopped":")" + by + R"(","stopped_s":)" + at_s + "}");
}

Request request(int round, double due_s, RequestStatus status = RequestStatus::ok)
{
    Request request;
    request.round = round;
    request.due_s = due_s;
    request.status = status;
    if (status != RequestStatus::not_sent) {
        request.sent_s = due_s;
        request.end_s = due_s + 1;
    }
    return request;
}

// One of those that a service gives, at random.
Request any_request(Random& random, double due_s)
{
    const double kind = random.uniform();
    auto one = request(1 + static_cast<int>(due_s / 10), due_s,
                       kind < 0.85   ? RequestStatus::ok
                       : kind < 0.9  ? RequestStatus::failed
                       : kind < 0.95 ? RequestStatus::unfinished
                                     : RequestStatus::not_sent);
    if (one.status == RequestStatus::not_sent)
        return one;
    one.sent_s = due_s + 0.01 * random.uniform();
    one.first_token_s = *one.sent_s + random.uniform();
    one.end_s = *one.first_token_s + 4 * random.uniform();
    one.last_token_s = one.end_s;
    one.output_tokens = static_cast<std::int64_t>(200 * random.uniform());
    if (one.status == RequestStatus::failed) {
        one.error_kind = ErrorKind::http_5xx;
        one.error = "HTTP 500";
    }
    const auto choices = static_cast<std::size_t>(1 + 3 * random.uniform());
    for (std::size_t i = 0; i < choices; ++i) {
        Choice choice;
        choice.tokens = *one.output_tokens / static_cast<std::int64_t>(choices);
        choice.first_token_s = one.first_token_s;
        choice.last_token_s = one.end_s;
        one.choices.push_back(choice);
    }
    return one;
}

void check_same(const Round& seen, const Round& expected)
{
    BOOST_TEST((seen.measurement_round == expected.measurement_round));
    BOOST_TEST((seen.due == expected.due));
    BOOST_TEST((seen.ok == expected.ok));
    BOOST_TEST((seen.success_rate == expected.success_rate));
    BOOST_TEST((seen.p50_latency_s == expected.p50_latency_s));
    BOOST_TEST((seen.output_tokens == expected.output_tokens));
    BOOST_TEST((seen.target_qps == expected.target_qps));
    BOOST_TEST((seen.actual_qps == expected.actual_qps));
    BOOST_TEST((seen.wire_dispatch_qps == expected.wire_dispatch_qps));
    BOOST_TEST(seen.from_send == expected.from_send);
    BOOST_TEST((seen.exceptions == expected.exceptions));
    for (const auto sketch : {&Round::latency, &Round::ttft, &Round::tpot_ms})
        BOOST_TEST(to_json((seen.*sketch)->to_record()) == to_json((expected.*sketch)->to_record()));
    BOOST_REQUIRE_EQUAL(seen.objectives.size(), expected.objectives.size());
    for (std::size_t i = 0; i < seen.objectives.size(); ++i) {
        BOOST_TEST(seen.objectives[i].text == expected.objectives[i].text);
        BOOST_TEST(seen.objectives[i].requests == expected.objectives[i].requests);
        BOOST_TEST(seen.objectives[i].met == expected.objectives[i].met);
    }
}

// Fills a log of four windows of 10 s, of which the third is empty, in the order of their ends; compares
// with the round records of the same requests.
void check_round_trip(LatencyBasis basis)
{
    Random random(7);
    std::vector<Request> all;
    for (int i = 0; i < 900; ++i) {
        const double due_s = i * (30.0 / 900);
        all.push_back(any_request(random, due_s < 20 ? due_s : due_s + 10));
    }
    std::map<int, std::vector<Request>> windows;
    for (const auto& one : all)
        windows[one.round].push_back(one);
    std::sort(all.begin(), all.end(), [](const Request& a, const Request& b) { return a.end_s < b.end_s; });
    RequestRounds log(objectives());
    log.add(run(R"("replay_mode":"qps","continuous_qps_window":true,"target_qps":30)",
                std::string(name_of(basis))));
    for (const auto& one : all)
        log.add(parsed(to_json(to_record(one))));
    BOOST_TEST(log.requests() == 900U);
    BOOST_TEST((log.basis() == basis));
    const auto rounds = log.rounds();
    BOOST_REQUIRE_EQUAL(rounds.size(), 4U);
    for (int number = 1; number <= 4; ++number) {
        RoundWindow window;
        window.number = number;
        window.start_s = 10.0 * (number - 1);
        window.duration_s = 10;
        window.target_qps = 30;
        window.objectives = objectives();
        window.basis = basis;
        window.wire_dispatched = std::count_if(all.begin(), all.end(), [&](const Request& one) {
            return one.sent_s && *one.sent_s >= window.start_s && *one.sent_s < window.start_s + 10;
        });
        check_same(rounds[static_cast<std::size_t>(number) - 1],
                   *read_round(parsed(to_json(summarize_round(window, windows[number])))));
    }
    BOOST_TEST(rounds[2].due.value() == 0);
    const auto latencies = log.latencies();
    BOOST_REQUIRE_EQUAL(latencies.size(), 900U);
    BOOST_TEST(std::is_sorted(latencies.begin(), latencies.end(), is_due_before));
    std::int64_t ok = 0;
    for (const auto& latency : latencies)
        ok += latency.e2e_s().has_value();
    BOOST_TEST(ok == *rounds[0].ok + *rounds[1].ok + *rounds[3].ok);
}

std::string refusal(RequestRounds& log, const json::object& record)
{
    try {
        log.add(record);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(they_are_the_rounds_that_replay_writes)
{
    check_round_trip(LatencyBasis::due);
    check_round_trip(LatencyBasis::send);
}

BOOST_AUTO_TEST_CASE(latencies_come_in_order_of_due_time)
{
    RequestRounds log({});
    BOOST_TEST(log.rounds().empty());
    log.add(run());
    BOOST_TEST(log.rounds().empty());
    BOOST_TEST(log.latencies().empty());
    log.add(to_record(request(2, 12)));
    log.add(to_record(request(1, 3, RequestStatus::failed)));
    log.add(to_record(request(1, 1)));
    const auto latencies = log.latencies();
    BOOST_REQUIRE_EQUAL(latencies.size(), 3U);
    BOOST_TEST(latencies[0].due_s == 1);
    BOOST_TEST(latencies[0].e2e_s().value() == 1);
    BOOST_TEST(!latencies[1].e2e_s().has_value());
    BOOST_TEST(latencies[2].round == 2);
    log.add(to_record(request(2, 11)));
    BOOST_TEST(log.rounds().at(1).due.value() == 2);
    BOOST_TEST(log.latencies()[2].due_s == 11);
}

BOOST_AUTO_TEST_CASE(a_run_that_was_cut_short_says_so_in_its_last_rounds)
{
    RequestRounds log({});
    log.add(run());
    log.add(to_record(request(1, 1)));
    log.add(to_record(request(2, 11, RequestStatus::unfinished)));
    log.add(to_record(request(3, 21)));
    BOOST_TEST(log.rounds()[1].flags.empty());
    log.add(stopped("decided", "22.5"));
    const auto rounds = log.rounds();
    BOOST_TEST(rounds[0].flags.empty());
    BOOST_TEST((rounds[1].flags == std::vector<std::string>{"decided"}));
    BOOST_TEST((rounds[2].flags == std::vector<std::string>{"decided"}));
    BOOST_TEST(rounds[1].duration_s.value() == 10);
    BOOST_TEST(rounds[2].duration_s.value() == 2.5);
    BOOST_TEST(rounds[2].actual_qps.value() == 0.4);
    BOOST_TEST(rounds[1].exceptions.at("cancelled") == 1);
}

BOOST_AUTO_TEST_CASE(where_rounds_drain_only_the_last_is_cut_short_at_an_unknown_moment)
{
    RequestRounds log({});
    log.add(run(R"("replay_mode":"qps","target_qps":20)"));
    log.add(to_record(request(1, 1, RequestStatus::unfinished))); // by its drain timeout
    log.add(to_record(request(2, 311)));
    log.add(stopped("interrupted", "312"));
    const auto rounds = log.rounds();
    BOOST_TEST(rounds[0].flags.empty());
    BOOST_TEST(rounds[0].wire_dispatch_qps.value() == 0.1);
    BOOST_TEST((rounds[1].flags == std::vector<std::string>{"interrupted"}));
    BOOST_TEST(!rounds[1].duration_s.has_value());
    BOOST_TEST(!rounds[1].actual_qps.has_value());
}

BOOST_AUTO_TEST_CASE(causes_are_bounded)
{
    RequestRounds log({});
    log.add(run());
    for (int i = 0; i < 100; ++i) {
        auto one = request(1, 1, RequestStatus::failed);
        one.error = "cause " + std::to_string(i);
        log.add(to_record(one));
    }
    const auto rounds = log.rounds();
    BOOST_TEST(rounds[0].exceptions.size() == 65U);
    BOOST_TEST(rounds[0].exceptions.at("(other)") == 36);
}

BOOST_AUTO_TEST_CASE(other_files_are_refused)
{
    BOOST_TEST(RequestRounds::knows(run()));
    BOOST_TEST(RequestRounds::knows(to_record(request(1, 1))));
    BOOST_TEST(!RequestRounds::knows(parsed(R"({"schema":"sloutils.round/1"})")));
    BOOST_TEST(!RequestRounds::knows(parsed(R"({"schema":7})")));
    RequestRounds log({});
    BOOST_TEST(refusal(log, to_record(request(1, 1))) ==
               "schema: a request before the run record that a log begins with");
    BOOST_TEST(refusal(log, parsed(R"({"schema":"sloutils.round/1"})")) ==
               "schema: 'sloutils.round/1' does not belong to a request log");
    BOOST_TEST(refusal(log, parsed(R"({"ts":1})")) == "schema: '' does not belong to a request log");
    BOOST_TEST(refusal(log, parsed(R"({"schema":"sloutils.run/1","tool":"other"})")) ==
               "tool: 'other' writes no request log that is known");
    log.add(run());
    BOOST_TEST(refusal(log, run()) == "schema: a second run begins here: its log must be a file of its own");
}

BOOST_AUTO_TEST_CASE(a_number_of_a_round_fills_no_memory)
{
    RequestRounds log({});
    log.add(run());
    log.add(to_record(request(10'001, 1)));
    BOOST_TEST(log.rounds().size() == 10'001U);
    BOOST_TEST(log.rounds()[4095].latency.has_value());
    BOOST_TEST(!log.rounds()[4096].latency.has_value());
    log.add(to_record(request(1'000'000, 1)));
    BOOST_CHECK_THROW(log.rounds(), InputError);
}
