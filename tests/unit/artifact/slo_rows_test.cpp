// SPDX-License-Identifier: MIT
#include <slo/artifact/slo_rows.hpp>

#define BOOST_TEST_MODULE artifact_slo_rows
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

#include <map>

using namespace slo;

namespace {

json::object object_of(std::string_view text)
{
    return parse_json(text).get_object();
}

constexpr std::string_view metrics =
    R"({"ttft_ms":{"p99":100.0},"tpot_ms":{"p99":50.5},"e2e_ms":{"p99":null},"error_rate":0,"output_toks_per_s":1000})";

std::string judged(std::string_view targets)
{
    const auto asked = object_of(targets);
    const auto block = artifact::slo_block(&asked, object_of(metrics));
    if (!block)
        return "none";
    std::string text = to_json(*find(*block, "overall_pass"));
    for (const auto& row : *object_at(*block, "results"))
        text += " " + std::string(row.key()) + "=" + to_json(*find(row.value().get_object(), "pass"));
    return text;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_row_for_each_target_and_null_is_no_pass)
{
    BOOST_TEST(judged(R"({"ttft_p99_ms":100})") == "true ttft_p99_ms=true");
    BOOST_TEST(judged(R"({"ttft_p99_ms":99.9})") == "false ttft_p99_ms=false");
    BOOST_TEST(judged(R"({"ttft_p99_ms":100,"e2e_p99_ms":1})") == "false ttft_p99_ms=true e2e_p99_ms=null");
    BOOST_TEST(judged(R"({"throughput_floor_toks":1000})") == "true throughput_floor_toks=true");
    BOOST_TEST(judged(R"({"throughput_floor_toks":1000.1})") == "false throughput_floor_toks=false");
    BOOST_TEST(judged(R"({"error_rate_max":0,"ttft_p99_ms":null})") == "true error_rate_max=true");
    BOOST_TEST(judged("{}") == "none");
    BOOST_TEST(!artifact::slo_block(nullptr, object_of(metrics)));
    BOOST_CHECK_THROW(judged(R"({"ttft_p99_ms":"fast"})"), InputError);
}

BOOST_AUTO_TEST_CASE(vectors_of_the_driver_have_the_same_rows_or_differ_for_a_reason)
{
    // 9.13, 1.5: without targets the driver writes a block of nulls that has not passed; ours has none.
    const std::map<std::string, std::string> without_targets{{"envelope/no-slo-never-passes", "no targets"},
                                                             {"envelope/spec", "no targets"}};
    io::LineReader lines("tests/data/benchmark/envelope.jsonl");
    std::size_t seen = 0;
    while (const auto vector = io::next_object(lines)) {
        ++seen;
        const std::string id(*string_at(*vector, "id"));
        const auto* sidecar = object_at(*object_at(*vector, "input"), "sidecar");
        const auto& expected = *object_at(*vector, "expected");
        const auto block = artifact::slo_block(object_at(*sidecar, "slo"), *object_at(expected, "metrics"));
        BOOST_TEST(block.has_value() == !without_targets.contains(id), id);
        if (block)
            BOOST_TEST(to_json(*block) == to_json(*find(expected, "slo")), id);
    }
    BOOST_TEST(seen == 6U);
}
