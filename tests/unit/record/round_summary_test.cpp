// SPDX-License-Identifier: MIT
#include <slo/record/round_summary.hpp>

#define BOOST_TEST_MODULE record_round_summary
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>
#include <slo/record/window_totals.hpp>

#include <set>

using namespace slo;
using record::ErrorKind;
using record::Request;
using record::RequestStatus;
using record::RoundWindow;

namespace {

const boost::test_tools::per_element per_element;

double at(const json::object& record, const char* metric, const char* figure)
{
    return as_number(find(*object_at(record, metric), figure)).value();
}

std::int64_t count(const json::object& record, const char* group, const char* name)
{
    return integer_at(*object_at(record, group), name).value();
}

// One result of the vectors: [id, OK|Exception, ttft, time, tokens in, tokens out, cause, (scheduled, wire,
// done)].
// The moment `done` lies a little behind wire + time; the classic client takes the one for Latency and the
// other for what it calls server time, where ours have one end: `server_time` chooses.
Request request_of(const json::array& result, bool server_time)
{
    const auto number = [&](std::size_t i) { return as_number(&result.at(i)).value(); };
    Request request;
    request.id = std::string(result.at(0).as_string());
    const bool timed = result.size() > 7;
    request.due_s = timed ? number(7) : 1000;
    request.sent_s = timed ? number(8) : 1000;
    request.end_s = timed && !server_time ? number(9) : *request.sent_s + number(3);
    if (result.at(1) != "OK") {
        request.status = RequestStatus::failed;
        request.error = std::string(result.at(6).as_string());
        request.error_kind = request.error == "Timeout" ? ErrorKind::timeout : ErrorKind::reset;
        return request;
    }
    request.status = RequestStatus::ok;
    if (!result.at(2).is_null())
        request.first_token_s = *request.sent_s + number(2);
    request.last_token_s = *request.sent_s + number(3); // there, the last token is the end of the stream
    request.input_tokens = static_cast<std::int64_t>(number(4));
    request.output_tokens = static_cast<std::int64_t>(number(5));
    return request;
}

bool close(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

bool equal(const json::value& theirs, const json::value& ours)
{
    const auto a = as_number(&theirs);
    const auto b = as_number(&ours);
    if (a && b)
        return close(*a, *b);
    if (!theirs.is_object() || !ours.is_object())
        return theirs == ours;
    const auto& members = theirs.get_object();
    return std::all_of(members.begin(), members.end(), [&](const auto& member) {
        const auto* other = ours.get_object().if_contains(member.key());
        return other && equal(member.value(), *other);
    });
}

// The fields in which ours differ on purpose in a given vector.
std::set<std::string> differing_fields(const std::string& name, bool fills_the_window)
{
    std::set<std::string> fields;
    // Classic tokens per minute are those of a load that reaches the target rate; ours are what was counted.
    if (!fills_the_window)
        fields = {"input_tokens_per_minute", "output_tokens_per_minute", "Input Tokens per Minute",
                  "Output Tokens per Minute"};
    // A negative time per token for answers without a token.
    if (name == "tok0" || name == "tok01")
        fields.insert("TPOT");
    if (name == "tok0") {
        fields.erase("output_tokens_per_minute"); // 0 either way
        fields.erase("Output Tokens per Minute");
    }
    return fields;
}

} // namespace

BOOST_AUTO_TEST_CASE(classic_vectors)
{
    io::LineReader reader("tests/data/classic/round_report_vectors.jsonl");
    int compared = 0;
    int empty = 0;
    while (const auto vector = io::next_object(reader)) {
        const auto name = std::string(vector->at("name").as_string());
        RoundWindow window;
        window.start_s = 1000;
        window.duration_s = as_number(&vector->at("elts").as_array().at(0)).value();
        window.target_qps = number_at(*vector, "target_qps");
        window.model = "some/model";
        window.e2e_slo_s = number_at(*vector, "e2e_slo");
        window.ttft_slo_ms = number_at(*vector, "ttft_slo_ms");
        window.tpot_slo_ms = number_at(*vector, "tpot_slo_ms");
        if (const auto* timing = object_at(*vector, "timing")) {
            window.number = static_cast<int>(integer_at(*timing, "measurement_round").value());
            const auto requests = [&](const char* key) {
                return std::llround(number_at(*timing, key).value() * window.duration_s);
            };
            window.wire_dispatched = requests("wire_dispatch_qps");
            window.completed = requests("completion_qps");
        }
        const auto summarized = [&](bool server_time) {
            std::vector<Request> requests;
            for (const auto& result : vector->at("results").as_array())
                requests.push_back(request_of(result.as_array(), server_time));
            return parse_json(to_json(record::summarize_round(window, requests))).as_object();
        };
        const auto ours = summarized(false);
        const auto server_side = summarized(true);

        std::string line(vector->at("record_line").as_string());
        if (line.empty()) {
            // The classic client writes no record where nothing succeeded.
            BOOST_TEST(find(*object_at(ours, "Latency"), "p50")->is_null());
            ++empty;
            continue;
        }
        for (auto p = line.find("NaN"); p != std::string::npos; p = line.find("NaN"))
            line.replace(p, 3, "null");
        const auto theirs = parse_json(line).as_object();
        const auto ok = count(ours, "counts", "ok");
        const bool fills = !window.target_qps ||
                           static_cast<double>(ok) / *window.target_qps >= window.duration_s * (1 - 1e-12);
        const auto different = differing_fields(name, fills);
        for (const auto& [key, value] : theirs) {
            const bool by_server_time = key == "Server Latency" || key == "Throughput";
            const auto* other = (by_server_time ? server_side : ours).if_contains(key);
            const bool same = other && equal(value, *other);
            if (different.contains(std::string(key)))
                BOOST_TEST(!same, name << ": " << std::string(key));
            else
                BOOST_TEST(same, name << ": " << std::string(key) << ": " << to_json(value) << " and "
                                      << (other ? to_json(*other) : "nothing"));
        }
        ++compared;
    }
    BOOST_TEST(compared == 22);
    BOOST_TEST(empty == 1);
}

BOOST_AUTO_TEST_CASE(tokens_per_minute_are_counted)
{
    RoundWindow window;
    window.duration_s = 30;
    window.target_qps = 100;
    Request request;
    request.status = RequestStatus::ok;
    request.sent_s = 0;
    request.end_s = 1;
    request.input_tokens = 100;
    request.output_tokens = 7;
    const auto record = record::summarize_round(window, std::vector{request, request, request});
    BOOST_TEST(number_at(record, "input_tokens_per_minute").value() == 600);
    BOOST_TEST(number_at(record, "output_tokens_per_minute").value() == 42);
    BOOST_TEST(at(record, "Input Tokens per Minute", "p50") == 600);
    BOOST_TEST(number_at(record, "actual_qps").value() == 0.1);
}

BOOST_AUTO_TEST_CASE(R05_latency_counts_from_the_due_time)
{
    RoundWindow window;
    window.duration_s = 4.2;
    window.target_qps = 5;
    window.e2e_slo_s = 1;
    std::vector<Request> requests;
    for (int i = 0; i < 6; ++i) {
        Request request;
        request.status = RequestStatus::ok;
        request.due_s = 0.2 * i;
        request.sent_s = 0.7 * i;
        request.first_token_s = 0.7 * i + 0.15;
        request.end_s = 0.7 * i + 0.7;
        requests.push_back(request);
    }
    const auto record = record::summarize_round(window, requests);
    BOOST_TEST(at(record, "Latency", "p50") == 1.95, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(at(record, "Server Latency", "p50") == 0.7, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(at(record, "Sequencer Wait", "max") == 2.5, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(at(record, "TTFT", "p50") == 1.4, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(number_at(record, "slo_attainment").value() == 100.0 / 6, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(number_at(record, "wire_dispatch_qps").value() == 6 / 4.2,
               boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(A02_every_due_request_is_accounted_for)
{
    RoundWindow window;
    window.duration_s = 10;
    window.e2e_slo_s = 1.2;
    std::vector<Request> requests;
    for (int i = 0; i < 6; ++i) {
        Request request;
        request.status = RequestStatus::ok;
        request.sent_s = 0;
        request.end_s = 1.0 + 0.1 * i;
        requests.push_back(request);
    }
    const auto add = [&](RequestStatus status, ErrorKind kind, const char* error, bool sent) {
        Request request;
        request.status = status;
        request.error_kind = kind;
        request.error = error;
        request.retries = 1;
        if (sent)
            request.sent_s = 0.5;
        requests.push_back(request);
    };
    add(RequestStatus::failed, ErrorKind::http_5xx, "HTTP 503", true);
    add(RequestStatus::failed, ErrorKind::http_5xx, "HTTP 503", true);
    add(RequestStatus::failed, ErrorKind::none, "", true);
    add(RequestStatus::unfinished, ErrorKind::none, "", true);
    add(RequestStatus::not_sent, ErrorKind::timeout, "", false);
    const auto record = record::summarize_round(window, requests);
    BOOST_TEST(count(record, "counts", "due") == 11);
    BOOST_TEST(count(record, "counts", "sent") == 10);
    BOOST_TEST(count(record, "counts", "ok") == 6);
    BOOST_TEST(count(record, "counts", "failed") == 3);
    BOOST_TEST(count(record, "counts", "unfinished") == 1);
    BOOST_TEST(count(record, "counts", "not_sent") == 1);
    std::int64_t errors = 0;
    for (const auto& kind : *object_at(record, "errors"))
        errors += kind.value().as_int64();
    BOOST_TEST(errors == 5);
    BOOST_TEST(object_at(record, "errors")->size() == 13);
    BOOST_TEST(count(record, "errors", "http_5xx") == 2);
    BOOST_TEST(count(record, "errors", "protocol") == 1);
    BOOST_TEST(count(record, "errors", "cancelled") == 1);
    BOOST_TEST(count(record, "errors", "client") == 1);
    BOOST_TEST(count(record, "exceptions", "HTTP 503") == 2);
    BOOST_TEST(at(record, "Latency", "p50") == 1.25, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(number_at(record, "success_rate").value() == 600.0 / 11, boost::test_tools::tolerance(1e-12));
    // 1.0, 1.1 and 1.2 meet the SLO, the last by being equal to it
    BOOST_TEST(number_at(record, "slo_attainment").value() == 300.0 / 11,
               boost::test_tools::tolerance(1e-12));
    BOOST_TEST(integer_at(record, "retries").value() == 5);
}

BOOST_AUTO_TEST_CASE(A01_nothing_succeeded)
{
    RoundWindow window;
    window.duration_s = 10;
    window.e2e_slo_s = 2;
    Request failed;
    failed.status = RequestStatus::failed;
    failed.error_kind = ErrorKind::connect;
    const auto record =
        parse_json(to_json(record::summarize_round(window, std::vector{failed, failed}))).as_object();
    BOOST_TEST(number_at(record, "success_rate").value() == 0);
    BOOST_TEST(number_at(record, "slo_attainment").value() == 0);
    for (const char* metric : {"Latency", "Server Latency", "Sequencer Wait", "TTFT", "TTFT Content", "TPOT",
                               "ITL", "Throughput", "Content Chars", "Reasoning Chars", "Reasoning Tokens",
                               "Input Tokens per Minute", "Output Tokens per Minute"})
        for (const char* figure : {"min", "p50", "p90", "p95", "p99", "max"})
            BOOST_TEST(find(*object_at(record, metric), figure)->is_null(), metric << " " << figure);
    BOOST_TEST(record.at("input_tokens").is_null());
    BOOST_TEST(record.at("truncated_pct").is_null());

    const auto nothing = parse_json(to_json(record::summarize_round(window, {}))).as_object();
    BOOST_TEST(nothing.at("success_rate").is_null());
    BOOST_TEST(nothing.at("slo_attainment").is_null());
    BOOST_TEST(count(nothing, "counts", "due") == 0);
}

BOOST_AUTO_TEST_CASE(S12_below_two_tokens_there_is_no_time_per_token)
{
    Request request;
    request.first_token_s = 1;
    request.last_token_s = 2;
    for (const std::int64_t tokens : {0, 1}) {
        request.output_tokens = tokens;
        BOOST_TEST(record::tpot_ms_of(request).empty());
    }
    request.output_tokens = 3;
    BOOST_TEST(record::tpot_ms_of(request) == std::vector<double>{500}, per_element);
    request.output_tokens.reset();
    BOOST_TEST(record::tpot_ms_of(request).empty());
}

BOOST_AUTO_TEST_CASE(S15_several_choices)
{
    Request request;
    request.status = RequestStatus::ok;
    request.sent_s = 0;
    request.end_s = 0.161;
    request.first_token_s = 0.1;
    request.last_token_s = 0.16;
    request.output_tokens = 9;
    request.choices = {
        {0, "length", 4, 11, 0.1, 0.16}, {1, "stop", 2, 5, 0.104, 0.124}, {2, "stop", 3, 8, 0.102, 0.15}};
    const auto tpot = record::tpot_ms_of(request);
    BOOST_REQUIRE(tpot.size() == 3);
    BOOST_TEST(tpot[0] == 20, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(tpot[1] == 20, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(tpot[2] == 24, boost::test_tools::tolerance(1e-12));

    RoundWindow window;
    window.duration_s = 1;
    window.tpot_slo_ms = 23;
    const auto strict = record::summarize_round(window, std::vector{request});
    BOOST_TEST(number_at(strict, "tpot_slo_attainment").value() == 0); // one choice is too slow
    window.tpot_slo_ms = 25;
    const auto record = record::summarize_round(window, std::vector{request});
    BOOST_TEST(number_at(record, "tpot_slo_attainment").value() == 100);
    BOOST_TEST(count(record, "finish_reasons", "length") == 1);
    BOOST_TEST(count(record, "finish_reasons", "stop") == 2);
    BOOST_TEST(number_at(record, "truncated_pct").value() == 100); // of the answers, not of their choices
}

BOOST_AUTO_TEST_CASE(slos_print_as_they_were_given)
{
    RoundWindow window;
    window.duration_s = 1;
    window.e2e_slo_s = 2;
    window.ttft_slo_ms = 400;
    window.tpot_slo_ms = 32.5;
    const auto text = to_json(record::summarize_round(window, {}));
    BOOST_TEST(text.find(R"("slo_seconds":2.0,)") != std::string::npos);
    BOOST_TEST(text.find(R"("ttft_slo_ms":400,)") != std::string::npos);
    BOOST_TEST(text.find(R"("tpot_slo_ms":32.5,)") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(sketches_stand_for_the_sample)
{
    RoundWindow window;
    window.duration_s = 10;
    std::vector<Request> requests(200);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        requests[i].status = RequestStatus::ok;
        requests[i].sent_s = 0;
        requests[i].end_s = 0.5 + 0.01 * static_cast<double>(i);
        requests[i].itl_ms = {10, 20, 30};
    }
    const auto record = record::summarize_round(window, requests);
    const auto& sketches = *object_at(record, "sketches");
    const auto latency = stats::QuantileSketch::from_record(*object_at(sketches, "Latency"));
    BOOST_TEST(latency.count() == 200);
    BOOST_TEST(latency.quantile(0.5).value() == at(record, "Latency", "p50"),
               boost::test_tools::tolerance(0.005));
    BOOST_TEST(stats::QuantileSketch::from_record(*object_at(sketches, "ITL")).count() == 600);
    BOOST_TEST(sketches.size() == 7);
}

BOOST_AUTO_TEST_CASE(client_and_flags)
{
    RoundWindow window;
    window.duration_s = 1;
    window.flags = {"interrupted"};
    BOOST_TEST(!record::summarize_round(window, {}).contains("client"));
    window.client = record::ClientHealth{0.001, 0.002, 0.003, 12.5, 40, true, {"missed", "stall"}, 0.0625, 3};
    const auto text = to_json(record::summarize_round(window, {}));
    BOOST_TEST(
        text.find(R"("client":{"lateness_p50_s":0.001,"lateness_p99_s":0.002,"lateness_max_s":0.003,)"
                  R"("busy_pct":12.5,"in_flight_max":40,"saturated":true,"saturated_by":["missed","stall"],)"
                  R"("loop_stall_max_s":0.0625,"missed":3},"flags":["interrupted"],)") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_service_cannot_fill_the_record)
{
    RoundWindow window;
    window.duration_s = 1;
    std::vector<Request> requests(500);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        requests[i].status = RequestStatus::failed;
        requests[i].error_kind = ErrorKind::protocol;
        requests[i].error = std::to_string(i) + "\xFF\n" + std::string(5000, 'x');
    }
    const auto record = record::summarize_round(window, requests);
    const auto& causes = *object_at(record, "exceptions");
    BOOST_TEST(causes.size() == record::WindowTotals::max_causes + 1);
    BOOST_TEST(count(record, "exceptions", "(other)") ==
               500 - static_cast<int>(record::WindowTotals::max_causes));
    BOOST_TEST(to_json(record).size() < 40000);
    BOOST_CHECK_NO_THROW(parse_json(to_json(record)));
}
