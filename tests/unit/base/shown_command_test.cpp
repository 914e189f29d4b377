// SPDX-License-Identifier: MIT
#include <slo/base/shown_command.hpp>

#define BOOST_TEST_MODULE base_shown_command
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace {

using Words = std::vector<std::string>;

std::string shown(const Words& words)
{
    std::string text;
    for (const auto& word : slo::shown_command(words))
        text += (text.empty() ? "" : "|") + word;
    return text;
}

} // namespace

BOOST_AUTO_TEST_CASE(values_of_options_that_speak_of_secrets_are_left_out)
{
    BOOST_TEST(shown({"vllm", "serve", "m", "--api-key", "abc", "--port", "8000"}) ==
               "vllm|serve|m|--api-key|REDACTED|--port|8000");
    BOOST_TEST(shown({"x", "--api-key=abc", "--hf-token", "t"}) ==
               "x|--api-key=REDACTED|--hf-token|REDACTED");
    BOOST_TEST(shown({"x", "--password", "-p"}) == "x|--password|REDACTED");
}

BOOST_AUTO_TEST_CASE(several_keys_behind_one_option_are_all_left_out)
{
    BOOST_TEST(shown({"x", "--api-key", "a", "123", "b", "--port", "1"}) ==
               "x|--api-key|REDACTED|REDACTED|REDACTED|--port|1");
}

BOOST_AUTO_TEST_CASE(what_only_sounds_like_a_secret_stays)
{
    BOOST_TEST(shown({"x", "--max-num-batched-tokens", "8192", "--tokenizer", "t", "--api-key-file", "k"}) ==
               "x|--max-num-batched-tokens|8192|--tokenizer|t|--api-key-file|k");
    BOOST_TEST(shown({"x", "--no-auth", "--port", "1", "MAX_TOKENS=5", "TOKENIZERS_PARALLELISM=false"}) ==
               "x|--no-auth|--port|1|MAX_TOKENS=5|TOKENIZERS_PARALLELISM=false");
    BOOST_TEST(shown({"x", "--password", "7", "TOKENS=abc", "--token=5"}) ==
               "x|--password|REDACTED|TOKENS=REDACTED|--token=REDACTED");
}

BOOST_AUTO_TEST_CASE(numbers_of_tokens_stay)
{
    BOOST_TEST(shown({"x", "--step-prefill-token", "0.05", "--step-context-token=1e-3", "TOKEN_LIMIT=9"}) ==
               "x|--step-prefill-token|0.05|--step-context-token=1e-3|TOKEN_LIMIT=9");
    BOOST_TEST(shown({"x", "--hf-token", "12", "HF_TOKEN=12", "--auth-token", "7", "--token", "7"}) ==
               "x|--hf-token|REDACTED|HF_TOKEN=REDACTED|--auth-token|REDACTED|--token|REDACTED");
    BOOST_TEST(shown({"x", "--my-token", "abc", "my_token=12ab", "--my-token", "1234567890123"}) ==
               "x|--my-token|REDACTED|my_token=REDACTED|--my-token|REDACTED");
}

BOOST_AUTO_TEST_CASE(members_of_an_object_in_one_word)
{
    BOOST_TEST(
        shown({"x", "--config", R"({"api_key":"abc","max_tokens":5, "a" : [1,{"Password" : "a\"b"}]})"}) ==
        R"(x|--config|{"api_key":"REDACTED","max_tokens":5, "a" : [1,{"Password" : "REDACTED"}]})");
    BOOST_TEST(shown({R"(--config={"keys":["a","b"],"auth":{"u":"p"},"port":80})"}) ==
               R"(--config={"keys":REDACTED,"auth":REDACTED,"port":80})");
    BOOST_TEST(shown({R"(CONFIG={'secret': 'a', token: b, x: "k"})"}) ==
               R"(CONFIG={'secret': 'REDACTED', token: REDACTED, x: "k"})");
    BOOST_TEST(shown({R"({"a":"{\"api_key\":\"abc\",\"b\":1}","url":"http://u:p@h/"})"}) ==
               R"({"a":"{\"api_key\":\"REDACTED\",\"b\":1}","url":"http://h/"})");
    BOOST_TEST(
        shown({R"({"api_key":"unended)", R"({"api_key":)", "{", "{:", "{:}", R"({"key":})", "{{qps}:1}"}) ==
        R"({"api_key":REDACTED|{"api_key":|{|{:|{:}|{"key":REDACTED}|{{qps}:1})");
    BOOST_TEST(slo::shown_shell_line(R"(x --config '{"api_key": "a b"}' y)") ==
               R"(x --config '{"api_key": "REDACTED"}' y)");
}

BOOST_AUTO_TEST_CASE(variables_are_left_out_wherever_they_stand)
{
    BOOST_TEST(shown({"env", "HF_TOKEN=x", "A=1", "docker", "run", "-e", "HF_TOKEN=hf", "-eAPI_KEY=y",
                      "--env=SECRET=z"}) ==
               "env|HF_TOKEN=REDACTED|A=1|docker|run|-e|HF_TOKEN=REDACTED|-eAPI_KEY=REDACTED|"
               "--env=SECRET=REDACTED");
    BOOST_TEST(shown({"x", "A==", "="}) == "x|A==|=");
}

BOOST_AUTO_TEST_CASE(headers_keys_and_urls)
{
    BOOST_TEST(
        shown({"x", "-H", "Authorization: Bearer abc", "X-Api-Key: k", "Accept: a", "Authorization: k"}) ==
        "x|-H|Authorization: Bearer REDACTED|X-Api-Key: REDACTED|Accept: a|Authorization: REDACTED");
    BOOST_TEST(shown({"hf_abcdefghijklmnop", "sk-abcdefghijklmnop", "sk-short"}) ==
               "REDACTED|REDACTED|sk-short");
    BOOST_TEST(shown({"http://u:p@h/v1?key=k&a=b", "--url=http://u:p@h/"}) ==
               "http://h/v1?key=REDACTED&a=b|--url=http://h/");
}

BOOST_AUTO_TEST_CASE(a_line_for_a_shell_keeps_its_form)
{
    BOOST_TEST(slo::shown_shell_line("cd x && A=1 PASS='a b' vllm serve m --api-key \"a b\" >log  ") ==
               "cd x && A=1 PASS=REDACTED vllm serve m --api-key REDACTED REDACTED  ");
    BOOST_TEST(slo::shown_shell_line("") == "");
    BOOST_TEST(slo::shown_shell_line(" a;b ") == " a;b ");
    BOOST_TEST(slo::shown_shell_line("x --token 'unended") == "x --token REDACTED");
}
