// SPDX-License-Identifier: MIT
#include <slo/artifact/foreign.hpp>

#define BOOST_TEST_MODULE artifact_foreign
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

#include "../../support/vector_table.hpp"

using namespace slo;
using artifact::ForeignTool;

namespace {

// Where ours is not what the classic adapters say; the numbers are those of the list of their weaknesses.
std::vector<test::Difference> differences()
{
    std::vector<test::Difference> table{
        {"adapter/vllm-real-shape", "metrics.e2e_ms",
         R"({"mean":900.0,"p50":880.0,"p90":null,"p95":null,"p99":1500.0})", "13: the keys are *_e2el_ms"},
        {"adapter/vllm-real-shape", "metrics.total_toks_per_s", "768.0", "13: total_token_throughput"},
        {"adapter/vllm-empty-raw", "", "absent", "13: an empty result is an error"},
        {"adapter/vllm-null-p99-crash", "", "absent", "13: an error line and no crash"},
        {"adapter/sglang-real-shape", "metrics.tpot_ms.p95", "null", "12: a gap between tokens is no TPOT"},
        {"adapter/sglang-real-shape", "metrics.total_toks_per_s", "30.0", "13: the tokens over the time"},
        {"adapter/sglang-fallback-keys", "metrics.tpot_ms",
         R"({"mean":null,"p50":null,"p90":null,"p95":null,"p99":null})", "12: a gap is no TPOT"},
        {"adapter/sglang-fallback-keys", "metrics.request_throughput", "0.42857142857142855",
         "13: the completed over the time"},
        {"enrich/empty", "", "absent", "13: an empty result is an error"}};
    const auto unknown = [&table](const std::string& id, std::initializer_list<std::string> paths) {
        for (const auto& path : paths)
            table.push_back({id, "metrics." + path, "null", "13: what is not there is no 0"});
    };
    unknown("adapter/vllm-real-shape", {"ttft_ms.p90", "tpot_ms.p90", "itl_ms.p90"});
    unknown("adapter/sglang-real-shape",
            {"failed", "error_rate", "ttft_ms.p90", "tpot_ms.p90", "itl_ms.p90", "e2e_ms.p90"});
    unknown("adapter/vllm-failures",
            {"duration_s", "output_toks_per_s", "request_throughput", "total_toks_per_s",
             "total_input_tokens", "total_output_tokens", "max_concurrent_requests"});
    for (const std::string block : {"ttft_ms", "tpot_ms", "itl_ms", "e2e_ms"})
        unknown("adapter/vllm-failures", {block + ".mean", block + ".p50", block + ".p90", block + ".p99"});
    unknown("adapter/sglang-fallback-keys",
            {"ttft_ms.mean", "ttft_ms.p50", "ttft_ms.p90", "ttft_ms.p99", "total_input_tokens",
             "total_output_tokens", "max_concurrent_requests"});
    unknown("enrich/full", {"duration_s", "total_input_tokens", "total_output_tokens"});
    return table;
}

json::object only(const json::object& object, std::initializer_list<const char*> keys)
{
    json::object kept;
    for (const char* key : keys) {
        if (const auto* value = find(object, key))
            kept[key] = *value;
    }
    return kept;
}

std::string refused(const std::string& text)
{
    try {
        artifact::parse_foreign(text, "r.json");
    } catch (const InputError& error) {
        const std::string what = error.what(); // "r.json: reason" or "r.json:LINE: reason"
        return what.substr(what[6] == ' ' || what[7] == ' ' ? 8 : 7);
    }
    return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(vectors)
{
    test::VectorTable table(differences());
    std::size_t seen = 0;
    for (const char* path : {"tests/data/benchmark/adapter.jsonl", "tests/data/benchmark/enrich.jsonl"}) {
        io::LineReader reader(path);
        while (const auto vector = io::next_object(reader)) {
            ++seen;
            const std::string id(*string_at(*vector, "id"));
            const auto& input = *object_at(*vector, "input");
            const auto tool = string_at(input, "tool") == "vllm"     ? ForeignTool::vllm
                              : string_at(input, "tool") == "sglang" ? ForeignTool::sglang
                                                                     : ForeignTool::aiperf;
            // SLO rows and costs of these vectors are other blocks' affair.
            const json::value expected = only(*object_at(*vector, "expected"), {"metrics", "extensions"});
            std::optional<json::value> ours;
            try {
                const auto result = artifact::foreign_result(*object_at(input, "raw"), tool, "raw.json");
                ours = json::object{{"metrics", result.metrics}, {"extensions", result.extensions}};
                if (const auto* source = object_at(*object_at(*vector, "expected"), "source_tool"))
                    BOOST_CHECK_EQUAL(result.source_tool, *string_at(*source, "name"));
            } catch (const InputError&) {
            }
            table.compare(id, "", expected, ours ? &*ours : nullptr);
        }
    }
    BOOST_CHECK_EQUAL(seen, 8);
    table.finish();
}

BOOST_AUTO_TEST_CASE(the_keys_tell_whose_result_it_is)
{
    const auto detect = [](std::string_view text) {
        return artifact::detect_foreign(parse_json(text).as_object());
    };
    BOOST_CHECK(detect(R"({"duration":1,"completed":2,"total_token_throughput":3})") == ForeignTool::vllm);
    BOOST_CHECK(detect(R"({"duration":1,"completed":2,"mean_ttft_ms":3})") == ForeignTool::vllm);
    BOOST_CHECK(detect(R"({"duration":1,"completed":2,"accept_length":null})") == ForeignTool::sglang);
    BOOST_CHECK(detect(R"({"request_latency":{"unit":"ms","avg":1}})") == ForeignTool::aiperf);
    BOOST_CHECK(!detect("{}") && !detect(R"({"qps":1})"));

    const auto raw = parse_json(R"({"duration":1,"completed":2,"accept_length":2.5})").as_object();
    const auto forced = artifact::foreign_result(raw, ForeignTool::vllm, "raw.json");
    BOOST_CHECK_EQUAL(forced.source_tool, "vllm-bench-serve");
    BOOST_CHECK_EQUAL(forced.notes.back(), "taken as a result of vllm; its keys are those of sglang");
}

BOOST_AUTO_TEST_CASE(single_requests_tell_their_lengths)
{
    const auto result = artifact::read_foreign("tests/data/results/vllm-detailed.json");
    BOOST_CHECK_EQUAL(result.requests.input_tokens.size(), 23);
    const auto& lengths = result.extensions.at("distribution").at("output_tokens");
    BOOST_CHECK_EQUAL(lengths.at("count").to_number<int>(), 23);
    BOOST_CHECK_CLOSE(lengths.at("mean").as_double(), 942.0 / 23, 1e-9);
    BOOST_CHECK_EQUAL(result.origin.at("extensions.distribution.input_tokens_histogram").as_string(),
                      "client");
    BOOST_CHECK_EQUAL(result.settings.at("latency_basis").as_string(), "send");
}

BOOST_AUTO_TEST_CASE(files_as_the_clients_write_them)
{
    // Python's bare tokens: SGLang writes its default rate as Infinity, and NaN where all requests failed.
    const auto result =
        artifact::parse_foreign("{\"request_rate\": Infinity, \"duration\": 2.0, \"completed\": "
                                "4,\n\"mean_e2e_latency_ms\": NaN, \"median_ttft_ms\": 5.0}\n",
                                "r.jsonl");
    BOOST_CHECK_EQUAL(result.source_tool, "sglang-bench-serving");
    BOOST_CHECK(result.metrics.at("e2e_ms").at("mean").is_null());
    BOOST_CHECK_EQUAL(result.metrics.at("ttft_ms").at("p50").as_double(), 5);
    BOOST_CHECK_EQUAL(result.notes.back(), "bare NaN or Infinity in the file are read as null");

    BOOST_CHECK_EQUAL(refused(""), "is empty: no result was written");
    BOOST_CHECK_EQUAL(refused("{}"), "no key tells whose result it is: not of vllm, sglang or aiperf");
    BOOST_CHECK_EQUAL(refused("[]"), "not a JSON object");
    BOOST_CHECK_EQUAL(refused(R"({"artifact_id":"x","metrics":{}})"),
                      "is an envelope already, no result of a client");
    BOOST_CHECK_EQUAL(refused("{\"completed\":1,\"accept_length\":null}\n{\"completed\":2}\n"),
                      "holds 2 results, one a run; take one of them, with sed -n 2p FILE");
    BOOST_CHECK(refused("{\"completed\":1,").starts_with("not JSON ("));
    BOOST_CHECK(refused("{\n\"completed\":1,").starts_with("not JSON ("));
    BOOST_CHECK(refused("{\"completed\":1}\n{\n").starts_with("2: not JSON ("));
    BOOST_CHECK_EQUAL(refused(R"({"duration":1,"completed":-2})"), "completed is no count: -2");
    BOOST_CHECK_EQUAL(refused(R"({"duration":-1,"completed":2})"), "duration is below 0: -1");
    BOOST_CHECK_EQUAL(refused(R"({"duration":"x","completed":2})"), "duration is no number: \"x\"");
    BOOST_CHECK_EQUAL(refused(R"({"duration":3,"tokenizer_id":"x"})"),
                      "has no count of completed requests: an empty result is no measurement");
}
