// SPDX-License-Identifier: MIT
#include <slo/artifact/envelope_distribution.hpp>

#define BOOST_TEST_MODULE artifact_envelope_distribution
#include <boost/test/unit_test.hpp>

#include <slo/artifact/artifact.hpp>

using namespace slo;

namespace {

record::Request request(const std::string& conversation, double due_s, double ttft_s, double end_s)
{
    record::Request request;
    request.conv_id = conversation;
    request.round = 1;
    request.due_s = due_s;
    request.sent_s = due_s;
    request.first_token_s = due_s + ttft_s;
    request.end_s = end_s;
    request.status = record::RequestStatus::ok;
    request.input_tokens = 100;
    request.output_tokens = 7;
    return request;
}

artifact::ClientSide taken(const std::vector<record::Request>& requests, const artifact::WarmUp& warm_up = {})
{
    artifact::RequestDistribution distribution;
    for (const auto& one : requests)
        distribution.add(one, record::LatencyBasis::due);
    artifact::ClientSide client;
    distribution.finish(warm_up, client);
    return client;
}

std::string shown(const artifact::ClientSide& client, std::string_view path)
{
    const auto* value = value_at(client.distribution, path);
    return value ? to_json(*value) : "null";
}

} // namespace

BOOST_AUTO_TEST_CASE(lengths_are_measured_with_their_histogram)
{
    auto requests = std::vector{request("", 0, 1, 2), request("", 1, 1, 3), request("", 2, 1, 4)};
    requests[0].input_tokens = 0;
    requests[1].input_tokens = 95;
    const auto client = taken(requests);
    BOOST_TEST(shown(client, "input_tokens.p50") == "95.0");
    BOOST_TEST(shown(client, "input_tokens.max") == "100.0");
    BOOST_TEST(shown(client, "output_tokens_histogram") == R"({"unit":"tokens","edges":[6,8],"counts":[3]})");
    const auto* histogram = object_at(client.distribution, "input_tokens_histogram");
    const auto& edges = *array_at(*histogram, "edges");
    const auto& counts = *array_at(*histogram, "counts");
    BOOST_TEST(edges.size() == counts.size() + 1);
    BOOST_TEST(edges[0].to_number<int>() == 0);
    BOOST_TEST(counts[0].to_number<int>() == 1);
    BOOST_TEST(counts.back().to_number<int>() == 1); // 100 is in 96 … 128
    BOOST_TEST(edges[edges.size() - 2].to_number<int>() == 96);
    BOOST_TEST(counts[counts.size() - 2].to_number<int>() == 1); // 95 in 64 … 96
}

BOOST_AUTO_TEST_CASE(turns_are_counted_within_a_conversation_from_the_warm_up_on)
{
    const auto requests = std::vector{request("a", 0, 4, 5), request("a", 6, 1, 8), request("b", 7, 3, 11),
                                      request("a", 9, 1, 11)};
    const auto client = taken(requests, {1, 1});
    const auto& rows = *array_at(client.distribution, "per_turn_ttft_distribution");
    BOOST_TEST(rows.size() == 3U); // the first turn of "a" is warm-up, and still makes the next a second
    BOOST_TEST(number_at(rows[0].get_object(), "p50_ms").value() == 3000.0);
    BOOST_TEST(integer_at(rows[1].get_object(), "turn").value() == 2);
    BOOST_TEST(client.cold_vs_warm_ttft_ratio.value() == 3.0);
    BOOST_TEST(shown(client, "ttft_cold_warm_by") == "\"turn\"");
    BOOST_TEST(shown(taken({request("", 0, 1, 2)}), "per_turn_ttft_distribution") == "null");
    BOOST_TEST(!taken({request("", 0, 1, 2)}).cold_vs_warm_ttft_ratio);
}

BOOST_AUTO_TEST_CASE(warm_is_what_the_server_says_it_had_cached)
{
    auto requests = std::vector{request("", 0, 4, 5), request("", 6, 1, 8), request("", 9, 1, 11)};
    requests[0].cached_tokens = 49;
    requests[1].cached_tokens = 50;
    requests[2].cached_tokens = 100;
    const auto client = taken(requests);
    BOOST_TEST(client.cold_vs_warm_ttft_ratio.value() == 4.0);
    BOOST_TEST(shown(client, "ttft_cold_warm_by") == "\"cached_tokens\"");
}

BOOST_AUTO_TEST_CASE(company_is_what_was_in_flight_when_a_request_was_sent)
{
    auto requests = std::vector{request("", 0, 1, 10), request("", 1, 2, 10), request("", 2, 3, 10),
                                request("", 10, 1, 12)};
    requests[1].status = record::RequestStatus::failed;
    const auto client = taken(requests);
    BOOST_TEST(client.counts.in_flight_max.value() == 3);
    const auto& rows = *array_at(client.distribution, "ttft_histogram_by_concurrency");
    BOOST_TEST(rows.size() == 2U);
    BOOST_TEST(integer_at(rows[0].get_object(), "count").value() == 2); // alone: the first and the last
    BOOST_TEST(integer_at(rows[1].get_object(), "concurrency_from").value() == 2);
    BOOST_TEST(integer_at(rows[1].get_object(), "concurrency_to").value() == 3);
    BOOST_TEST(number_at(rows[1].get_object(), "p50_ms").value() == 3000.0); // the failed one does not count
}
