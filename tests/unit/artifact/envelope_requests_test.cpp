// SPDX-License-Identifier: MIT
#include <slo/artifact/envelope_requests.hpp>

#define BOOST_TEST_MODULE artifact_envelope_requests
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

using namespace slo;

namespace {

json::object object_of(std::string_view text)
{
    return parse_json(text).get_object();
}

// Due at `due_s`, first token after `ttft_s`, three tokens with 0.1 s between them.
json::object request(double due_s, double ttft_s, int round = 1)
{
    const auto at = [&](double seconds) { return format_double(due_s + seconds); };
    return object_of(R"({"schema":"sloutils.request/1","conv_id":"","round":)" + std::to_string(round) +
                     R"(,"due_s":)" + at(0) + R"(,"sent_s":)" + at(0) + R"(,"first_token_s":)" + at(ttft_s) +
                     R"(,"last_token_s":)" + at(ttft_s + 0.2) + R"(,"end_s":)" + at(ttft_s + 0.2) +
                     R"(,"status":"ok","input_tokens":10,"output_tokens":3,"itl_ms":[100,100],)" +
                     R"("choices":[{"finish_reason":"stop","tokens":3}]})");
}

double figure(const artifact::ClientSide& client, const char* latency, const char* name)
{
    return number_at(*object_at(client.latencies, latency), name).value_or(-1);
}

std::string refusal(artifact::RequestLog& log, std::string_view record)
{
    try {
        log.add(object_of(record));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(figures_of_a_real_run)
{
    artifact::RequestLog log({5, 1});
    io::LineReader lines("tests/data/envelope/requests.jsonl");
    log.begin_file();
    while (const auto record = io::next_object(lines))
        log.add(*record);
    BOOST_TEST(log.requests() == 30U);
    BOOST_TEST(log.failed_of_all() == 4);
    BOOST_TEST(log.totals_of_all().ok == 26.0);
    BOOST_TEST(log.runs().size() == 1U);
    const auto client = log.finish();
    BOOST_TEST(client.exact);
    BOOST_TEST(client.warm_up_requests == 5);
    BOOST_TEST(client.counts.completed.value() + client.counts.failed.value() == 25);
    BOOST_TEST(client.from_s.value() == 0.5);
    BOOST_TEST(client.counts.in_flight_max.value() == 1);
    BOOST_TEST(integer_at(client.errors, "http_5xx").value() == 3);
}

// 9.12: warm-up requests do not count; the first are told by their due times, in whatever order they ended.
BOOST_AUTO_TEST_CASE(the_first_requests_are_left_out_whatever_the_order)
{
    artifact::RequestLog log({2, 1});
    for (const double due_s : {3.0, 1.0, 0.0, 2.0}) // the first two have a TTFT of 9 s
        log.add(request(due_s, due_s < 2 ? 9 : 0.5));
    const auto client = log.finish();
    BOOST_TEST(client.counts.completed.value() == 2);
    BOOST_TEST(figure(client, "ttft_ms", "p99") == 500.0, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(figure(client, "tpot_ms", "p50") == 100.0, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(figure(client, "itl_ms", "mean") == 100.0, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(client.counts.duration_s.value() == 1.7, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(client.counts.output_tokens.value() == 6.0);
}

BOOST_AUTO_TEST_CASE(rounds_before_the_steady_window_are_left_out)
{
    artifact::RequestLog log({0, 2});
    log.add(request(0, 9, 1));
    log.add(request(10, 0.5, 2));
    const auto client = log.finish();
    BOOST_TEST(client.warm_up_requests == 1);
    BOOST_TEST(client.counts.completed.value() == 1);
}

BOOST_AUTO_TEST_CASE(a_warm_up_of_the_whole_run_leaves_nothing_out_and_says_so)
{
    artifact::RequestLog log({30, 1});
    log.add(request(0, 1));
    log.add(request(1, 1));
    const auto client = log.finish();
    BOOST_TEST(client.warm_up_requests == 0);
    BOOST_TEST(client.counts.completed.value() == 2);
    BOOST_TEST(client.notes.at(0) == "the run has 2 requests, and all are warm-up: none was left out");
    artifact::RequestLog empty({30, 1});
    BOOST_TEST(!empty.finish().counts.completed);
}

BOOST_AUTO_TEST_CASE(a_token_count_that_one_answer_does_not_tell_is_not_known)
{
    artifact::RequestLog log({});
    log.add(request(0, 1));
    auto silent = request(1, 1);
    silent["output_tokens"] = nullptr;
    log.add(silent);
    const auto client = log.finish();
    BOOST_TEST(!client.counts.output_tokens);
    BOOST_TEST(client.counts.input_tokens.value() == 20.0);
}

BOOST_AUTO_TEST_CASE(what_does_not_belong_to_the_log_is_refused)
{
    artifact::RequestLog log({});
    BOOST_TEST(refusal(log, R"({"schema":"sloutils.round/1"})") ==
               "schema: 'sloutils.round/1' does not belong to a request log");
    BOOST_TEST(refusal(log, R"({"schema":"sloutils.request/2"})") ==
               "schema: 'sloutils.request/2' does not belong to a request log");
    BOOST_TEST(refusal(log, R"({"schema":"sloutils.run/1","start_epoch_s":1})").empty());
    BOOST_TEST(refusal(log, R"({"schema":"sloutils.run/1","start_epoch_s":2})") ==
               "schema: a second run begins here: its log must be a file of its own");
    BOOST_TEST(refusal(log, R"({"schema":"sloutils.run/1","stopped":"interrupted","stopped_s":3})").empty());
    BOOST_TEST(log.stopped_by() == "interrupted");
    auto odd = request(0, 1);
    odd["itl_ms"] = json::array{-1};
    BOOST_CHECK_THROW(log.add(odd), InputError);
}
