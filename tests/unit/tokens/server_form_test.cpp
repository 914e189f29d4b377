// SPDX-License-Identifier: MIT
#include <slo/tokens/server_form.hpp>
#define BOOST_TEST_MODULE tokens_server_form
#include <boost/test/unit_test.hpp>

using namespace slo;
using namespace slo::tokens;

namespace {

template <class Read>
std::string refusal(Read&& read)
{
    try {
        read();
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

} // namespace

BOOST_AUTO_TEST_CASE(requests_of_vllm_and_sglang)
{
    const ServerForm named{ServerKind::vllm, "/tokenize", "llama \"3\"", false};
    BOOST_TEST(text_request(named, R"("hi")", false) ==
               R"({"model":"llama \"3\"","prompt":"hi","add_special_tokens":false})");
    const ServerForm nameless{ServerKind::sglang, "/tokenize", "", true};
    const std::vector<std::string_view> texts{R"("a")", R"("b\n")"};
    BOOST_TEST(texts_request(nameless, texts, true) == R"({"prompt":["a","b\n"],"add_special_tokens":true})");
    BOOST_TEST(messages_request(nameless, R"([{"role":"user"}])") ==
               R"({"messages":[{"role":"user"}],"add_generation_prompt":true})");
}

BOOST_AUTO_TEST_CASE(requests_of_llama_cpp)
{
    const ServerForm form{ServerKind::llama_cpp, "/tokenize", "tiny", false};
    BOOST_TEST(text_request(form, R"("hi")", true) ==
               R"({"model":"tiny","content":"hi","add_special":true,"parse_special":true})");
    BOOST_TEST(form.renders_first());
    BOOST_TEST(read_rendered(R"({"prompt":"<s>hi\n"})") == R"("<s>hi\n")");
    BOOST_TEST(refusal([] { read_rendered("{}"); }) == "the answer holds no rendered prompt");
}

BOOST_AUTO_TEST_CASE(answers_about_one_text)
{
    const TokenList expected{1, 2, 4294967295U};
    BOOST_TEST(
        read_tokens(R"({"count":3,"max_model_len":4096,"tokens":[1,2,4294967295],"token_strs":null})") ==
            expected,
        boost::test_tools::per_element());
    BOOST_TEST(read_tokens(R"({"tokens":[1,2,4294967295]})") == expected, boost::test_tools::per_element());
    BOOST_TEST(read_tokens(R"({"tokens":[],"count":0})").empty());
}

BOOST_AUTO_TEST_CASE(answers_about_many_texts)
{
    const auto lists = read_token_lists(R"({"tokens":[[1,2],[],[3]],"count":[2,0,1],"max_model_len":-1})", 3);
    BOOST_REQUIRE(lists.size() == 3U);
    BOOST_TEST(lists[0].size() == 2U);
    BOOST_TEST(lists[1].empty());
    BOOST_TEST(lists[2].front() == 3U);
    BOOST_TEST(read_token_lists(R"({"tokens":[[7]]})", 1).front().front() == 7U);
}

BOOST_AUTO_TEST_CASE(answers_that_lie_are_refused)
{
    for (const char* bad : {"", "[]", "nonsense", "{}", R"({"tokens":7})", R"({"tokens":null})",
                            R"({"tokens":[1,-1]})", R"({"tokens":[1.5]})", R"({"tokens":["a"]})",
                            R"({"tokens":[4294967296]})", R"({"tokens":[18446744073709551615]})",
                            R"({"tokens":[1,2],"count":3})", R"({"tokens":[1,2],"count":"2"})",
                            R"({"tokens":[1,2],"count":[2]})", R"({"tokens":[[1],[2]],"count":2})"})
        BOOST_TEST(refusal([&] { read_tokens(bad); }).starts_with("the answer"), bad);
    for (const char* bad : {R"({"tokens":[1,2]})", R"({"tokens":[[1]]})", R"({"tokens":[[1],[2],[3]]})",
                            R"({"tokens":[[1],[2]],"count":[1]})", R"({"tokens":[[1],[2]],"count":2})",
                            R"({"tokens":[[1],[2]],"count":[1,2]})", R"({"tokens":[[1],[null]]})"})
        BOOST_TEST(refusal([&] { read_token_lists(bad, 2); }).starts_with("the answer"), bad);
    BOOST_TEST(refusal([] { read_tokens(R"({"tokens":[1,2],"count":3})"); }) ==
               "the answer counts 3 tokens and lists 2");
}
