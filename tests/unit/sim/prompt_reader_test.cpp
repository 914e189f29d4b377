// SPDX-License-Identifier: MIT
#include <slo/sim/prompt_reader.hpp>
#define BOOST_TEST_MODULE sim_prompt_reader
#include <boost/test/unit_test.hpp>

using namespace slo;
using namespace slo::sim;

BOOST_AUTO_TEST_CASE(the_next_turn_begins_with_the_last_turns_prompt_and_answer)
{
    const auto first = parse_json(R"([{"role":"user","content":"hello"}])");
    const auto second = parse_json(
        R"([{"role":"user","content":"hello"},{"role":"assistant","content":" the sea"},{"role":"user","content":"more"}])");
    auto expected = tokens_of_messages(first.as_array());
    const auto answer = engine::tokenize(" the sea");
    expected.insert(expected.end(), answer.begin(), answer.end());
    auto seen = tokens_of_messages(second.as_array());
    BOOST_REQUIRE(seen.size() > expected.size());
    seen.resize(expected.size());
    BOOST_TEST(seen == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(parts_are_joined)
{
    const auto whole = parse_json(R"([{"role":"user","content":"hello there"}])");
    const auto parts = parse_json(
        R"([{"role":"user","content":[{"type":"text","text":"hello"},{"type":"text","text":" there"}]}])");
    BOOST_TEST(tokens_of_messages(whole.as_array()) == tokens_of_messages(parts.as_array()),
               boost::test_tools::per_element());
}
