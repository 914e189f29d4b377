// SPDX-License-Identifier: MIT
#include <slo/artifact/cost.hpp>

#define BOOST_TEST_MODULE artifact_cost
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

#include "../../support/vector_table.hpp"

using namespace slo;

namespace {

artifact::SideBlock cost(std::string_view sidecar, std::string_view metrics = R"({"output_toks_per_s":1000})")
{
    return artifact::cost_block(parse_json(sidecar).as_object(), parse_json(metrics).as_object(), "b.yaml");
}

} // namespace

BOOST_AUTO_TEST_CASE(vectors)
{
    test::VectorTable table({});
    io::LineReader reader("tests/data/benchmark/iac.jsonl");
    std::size_t seen = 0;
    while (const auto vector = io::next_object(reader)) {
        ++seen;
        const auto& input = *object_at(*vector, "input");
        const auto block =
            artifact::cost_block(*object_at(input, "sidecar"), *object_at(input, "metrics"), "b.yaml");
        const json::value ours = block.value ? json::value(*block.value) : json::value(nullptr);
        const auto& expected = vector->at("expected");
        table.compare(std::string(*string_at(*vector, "id")), "", expected, &ours);
        if (const auto* keys = expected.if_object())
            BOOST_CHECK_EQUAL(ours.as_object().size(), keys->size()); // nothing that the vector lacks
    }
    BOOST_CHECK_EQUAL(seen, 5);
    table.finish();
}

BOOST_AUTO_TEST_CASE(null_is_absent)
{
    const auto block = cost(R"({"cost":{"spot_price_per_hr":36,"utilization_target":null},"intelligence":)"
                            R"({"pass_rate":0.5,"human_intervention_cost":null,"tokens_per_task":)"
                            R"({"input":null,"output":1000000,"cached_input_ratio":null}}})");
    BOOST_CHECK_EQUAL(block.value->at("cost_per_task").as_double(), 14.285714);
    BOOST_CHECK_EQUAL(block.value->at("true_cost_with_human_fallback").as_double(), 26.79);
    BOOST_CHECK_EQUAL(cost(R"({"cost":{"spot_price_per_hr":null}})").notes.front(),
                      "cost: the sidecar names no cost.spot_price_per_hr");
    const std::string price = R"({"cost":{"spot_price_per_hr":1}})";
    BOOST_CHECK_EQUAL(cost(price, "{}").notes.front(), "cost: no rate of output tokens was measured");
    BOOST_CHECK(!cost(price, R"({"output_toks_per_s":0})").value);
}

BOOST_AUTO_TEST_CASE(a_task_that_never_succeeds_has_no_price_of_success)
{
    const auto block = cost(R"({"cost":{"spot_price_per_hr":36},"intelligence":{"pass_rate":0,)"
                            R"("tokens_per_task":{"output":1000}}})");
    BOOST_CHECK(block.value->at("cost_per_success").is_null());
    BOOST_CHECK_EQUAL(block.value->at("true_cost_with_human_fallback").as_double(), 25.01);
}

BOOST_AUTO_TEST_CASE(what_cannot_be)
{
    for (const char* wrong : {R"({"cost":{"spot_price_per_hr":1,"utilization_target":0}})",
                              R"({"cost":{"spot_price_per_hr":1,"utilization_target":1.5}})",
                              R"({"cost":{"spot_price_per_hr":-1}})", R"({"cost":{"spot_price_per_hr":"1"}})",
                              R"({"cost":{"spot_price_per_hr":1},"intelligence":{"pass_rate":70}})"})
        BOOST_CHECK_THROW(cost(wrong), InputError);
    BOOST_CHECK(cost(R"({"cost":{"spot_price_per_hr":1,"utilization_target":1}})").value);
}
