// SPDX-License-Identifier: MIT
#include <slo/sim/tokenize_endpoint.hpp>
#define BOOST_TEST_MODULE sim_tokenize_endpoint
#include <boost/test/unit_test.hpp>

using namespace slo;
using namespace slo::sim;

namespace {

std::string answer(const std::string& body)
{
    return to_json(tokenize_answer(body, 4096));
}

} // namespace

BOOST_AUTO_TEST_CASE(a_text_and_messages_give_one_list)
{
    const auto text = parse_json(answer(R"({"prompt":"hello there"})"));
    BOOST_TEST(text.at("count").as_int64() == 2);
    BOOST_TEST(text.at("tokens").as_array().size() == 2U);
    BOOST_TEST(text.at("max_model_len").as_int64() == 4096);
    const auto messages = parse_json(answer(R"({"messages":[{"role":"user","content":"hello there"}]})"));
    BOOST_TEST(messages.at("count").as_int64() == 5);
}

BOOST_AUTO_TEST_CASE(a_list_of_texts_gives_a_list_of_lists)
{
    const auto all = parse_json(answer(R"({"prompt":["hello there","","hello"]})"));
    BOOST_TEST(to_json(all.at("count")) == "[2,0,1]");
    const auto& lists = all.at("tokens").as_array();
    BOOST_REQUIRE(lists.size() == 3U);
    BOOST_TEST(to_json(lists[0].as_array()[0]) == to_json(lists[2].as_array()[0]));
    BOOST_TEST(answer(R"({"prompt":[]})") == R"({"count":[],"max_model_len":4096,"tokens":[]})");
}

BOOST_AUTO_TEST_CASE(anything_else_is_refused)
{
    for (const char* bad : {"", "[]", "{}", R"({"prompt":7})", R"({"prompt":[1,2]})", R"({"prompt":["a",1]})",
                            R"({"messages":[]})", R"({"messages":"a"})"})
        BOOST_TEST_CONTEXT(bad)
    BOOST_CHECK_THROW(answer(bad), ApiError);
}
