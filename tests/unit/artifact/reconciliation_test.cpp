// SPDX-License-Identifier: MIT
#include <slo/artifact/reconciliation.hpp>

#define BOOST_TEST_MODULE artifact_reconciliation
#include <boost/test/unit_test.hpp>

#include <slo/artifact/artifact.hpp>
#include <slo/io/jsonl.hpp>

using namespace slo;

namespace {

json::object object_of(std::string_view text)
{
    return parse_json(text).get_object();
}

plan::ClientTotals client_of(int ok, int choices_each = 1)
{
    plan::ClientTotals totals;
    std::string choices;
    for (int i = 0; i < choices_each; ++i)
        choices += std::string(i ? "," : "") + R"({"finish_reason":"stop"})";
    for (int i = 0; i < ok; ++i)
        totals.add(object_of(R"({"schema":"sloutils.request/1","status":"ok","sent_s":1,"input_tokens":10,)"
                             R"("output_tokens":5,"choices":[)" +
                             choices + "]}"));
    return totals;
}

json::object diff_of(std::string_view success, std::string_view more = "")
{
    return object_of(R"({"engine":"vllm","reset_detected":false,"counters":{"prompt_tokens":200,"success":)" +
                     std::string(success) + "}" + std::string(more) + "}");
}

std::string shown(const json::object& block, std::string_view path)
{
    const auto* value = value_at(block, path);
    return value ? to_json(*value) : "null";
}

} // namespace

BOOST_AUTO_TEST_CASE(five_percent_is_within)
{
    using artifact::SuccessCounts;
    BOOST_TEST(SuccessCounts({100.0, 95.0}).reconciled().value());
    BOOST_TEST(SuccessCounts({60.0, 57.0}).reconciled().value());
    BOOST_TEST(SuccessCounts({60.0, 63.0}).reconciled().value());
    BOOST_TEST(!SuccessCounts({10000.0, 9499.0}).reconciled().value());
    BOOST_TEST(!SuccessCounts({0.0, 100.0}).reconciled());
    BOOST_TEST(!SuccessCounts({100.0, std::nullopt}).reconciled());
}

BOOST_AUTO_TEST_CASE(vectors_of_the_driver_have_the_same_answer)
{
    io::LineReader lines("tests/data/benchmark/envelope.jsonl");
    std::size_t seen = 0;
    while (const auto vector = io::next_object(lines)) {
        ++seen;
        const auto& input = *object_at(*vector, "input");
        const artifact::SuccessCounts counts{number_at(*object_at(input, "client"), "ok"),
                                             number_at(*object_at(input, "prom"), "prom_requests_success")};
        const auto& expected = *value_at(*object_at(*vector, "expected"), "extensions.reconciliation");
        const auto& block = expected.get_object();
        const std::string id(*string_at(*vector, "id"));
        BOOST_TEST(to_json(or_null(counts.reconciled())) == to_json(*find(block, "reconciled")), id);
        const auto* difference = find(block, "success_diff_pct");
        BOOST_TEST(to_json(artifact::detail::percent_2(counts.difference_pct())) ==
                       (difference ? to_json(*difference) : "null"),
                   id);
    }
    BOOST_TEST(seen == 6U);
}

// 9.9: the driver read the first series only; ours adds all, and leaves out what was aborted.
BOOST_AUTO_TEST_CASE(successes_are_summed_over_finish_reasons)
{
    const auto client = client_of(20);
    const auto diff = diff_of(R"({"stop":13,"length":7,"abort":4})");
    const auto block = artifact::reconciliation_block(&client, 2, &diff);
    BOOST_TEST(shown(block, "client_ok") == "20");
    BOOST_TEST(shown(block, "client_err") == "2");
    BOOST_TEST(shown(block, "prom_success") == "20.0");
    BOOST_TEST(shown(block, "prom_error") == "4.0");
    BOOST_TEST(shown(block, "success_diff_pct") == "0.0");
    BOOST_TEST(shown(block, "reconciled") == "true");
    BOOST_TEST(shown(block, "reason") == "null");
    BOOST_TEST(shown(block, "prompt_tokens.agrees") == "true");
    BOOST_TEST(shown(block, "generation_tokens.agrees") == "null");
}

BOOST_AUTO_TEST_CASE(what_is_not_known_is_never_true)
{
    const auto client = client_of(20);
    const auto reset = diff_of(R"({"stop":20})", R"(,"reset_detected":true)");
    const auto silent = diff_of("{}");
    const auto nobody = client_of(0);
    const auto some = diff_of(R"({"stop":1})");
    const auto reason = [](const json::object& block) {
        return shown(block, "reconciled") + " " + shown(block, "reason");
    };
    BOOST_TEST(reason(artifact::reconciliation_block(&client, 0, nullptr)) ==
               "null \"no server side was given\"");
    BOOST_TEST(reason(artifact::reconciliation_block(nullptr, 0, &some)) ==
               "null \"no client side was given\"");
    BOOST_TEST(reason(artifact::reconciliation_block(&client, 0, &reset)) ==
               "null \"the server was restarted during the run\"");
    BOOST_TEST(reason(artifact::reconciliation_block(&client, 0, &silent)) ==
               "null \"the server does not count its successes\"");
    plan::ClientTotals none;
    none.add(object_of(R"({"schema":"sloutils.request/1","status":"failed"})"));
    BOOST_TEST(reason(artifact::reconciliation_block(&none, 1, &some)) ==
               "null \"no request of the client succeeded\"");
    BOOST_TEST(nobody.records == 0U);
}

BOOST_AUTO_TEST_CASE(several_answers_a_request_are_counted_as_the_engine_does)
{
    const auto client = client_of(10, 3);
    auto diff = diff_of(R"({"stop":30})");
    auto block = artifact::reconciliation_block(&client, 0, &diff);
    BOOST_TEST(shown(block, "client_ok") == "10");
    BOOST_TEST(shown(block, "client_ok_in_server_basis") == "30.0");
    BOOST_TEST(shown(block, "reconciled") == "true");
    diff["engine"] = "unknown";
    block = artifact::reconciliation_block(&client, 0, &diff);
    BOOST_TEST(shown(block, "reconciled") == "null");
}

// vLLM's and SGLang's clients warm up within the run, and their files do not say so.
BOOST_AUTO_TEST_CASE(a_warm_up_that_no_file_tells_of_is_no_contradiction)
{
    const auto client = client_of(100);
    const auto block = [&](const char* success, std::int64_t unlisted) {
        const auto diff = diff_of(success);
        return artifact::reconciliation_block(&client, 0, &diff, unlisted);
    };
    BOOST_TEST(shown(block(R"({"stop":131})", 0), "reconciled") == "false");
    BOOST_TEST(shown(block(R"({"stop":131})", 30), "reconciled") == "null");
    BOOST_TEST(shown(block(R"({"stop":131})", 30), "warm_up_not_listed") == "30");
    BOOST_TEST(shown(block(R"({"stop":138})", 30), "reconciled") == "false");
    BOOST_TEST(shown(block(R"({"stop":90})", 30), "reconciled") == "false");
    BOOST_TEST(shown(block(R"({"stop":104})", 30), "reconciled") == "true");
}
