// SPDX-License-Identifier: MIT
#include <slo/tokens/tokenizer_options.hpp>
#define BOOST_TEST_MODULE tokens_tokenizer_options
#include <boost/test/unit_test.hpp>

using namespace slo;
using namespace slo::tokens;

namespace {

std::string described(const std::string& how, const std::string& chat_template = "")
{
    TokenizerOptions options;
    options.how = how;
    options.chat_template = chat_template;
    return to_json(options.open()->description());
}

std::string refusal(const std::string& how, const std::string& chat_template = "")
{
    try {
        described(how, chat_template);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no UsageError";
}

} // namespace

BOOST_AUTO_TEST_CASE(each_kind_opens)
{
    BOOST_TEST(described("sim") == R"({"kind":"sim","template":"engine-sim"})");
    BOOST_TEST(described("approx") == described("approx:4"));
    BOOST_TEST(described("approx:2.5", "chatml") ==
               R"({"kind":"approx","chars_per_token":2.5,"template":"chatml"})");
}

BOOST_AUTO_TEST_CASE(what_is_not_understood_is_refused_with_one_line)
{
    for (const char* bad :
         {"nonsense", "sim:x", "approx:", "approx:0", "approx:-1", "approx:nan", "approx:1e9"})
        BOOST_TEST(refusal(bad).starts_with("--tokenizer: "), bad << ": " << refusal(bad));
    BOOST_TEST(refusal("approx", "jinja").starts_with("--chat-template: "));
    BOOST_TEST(refusal("hf:tokenizer.json").find("server:URL") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(no_message_holds_a_password)
{
    for (const char* bad : {"servr:http://me:hunter2@host/", "server:me:hunter2@host/"}) {
        BOOST_TEST(refusal(bad).starts_with("--tokenizer: "));
        BOOST_TEST(refusal(bad).find("hunter2") == std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(a_template_that_would_not_be_used_is_refused)
{
    BOOST_TEST(refusal("sim", "chatml").starts_with("--chat-template: is not for sim"));
}

BOOST_AUTO_TEST_CASE(a_verb_may_require_it)
{
    BOOST_CHECK_THROW(TokenizerOptions::required().open(), UsageError);
    BOOST_TEST(TokenizerOptions().open()->count_text("12345678") == 2);
}

BOOST_AUTO_TEST_CASE(what_is_only_for_servers_is_checked_before_one_is_asked)
{
    TokenizerOptions options;
    options.how = "server:https://127.0.0.1:1";
    options.connections = 0;
    BOOST_CHECK_THROW(options.open(), UsageError);
    options.connections = 4;
    options.tls.ca_file = "tests/data/tokens/bpe.model";
    BOOST_CHECK_THROW(options.open(), InputError);
    options.tls.ca_file = "tests/data/nowhere";
    BOOST_CHECK_THROW(options.open(), IoError);
    options.how = "sim";
    options.cache_file = "cache";
    BOOST_CHECK_THROW(options.open(), UsageError);
}
