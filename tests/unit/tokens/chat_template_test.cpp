// SPDX-License-Identifier: MIT
#include <slo/tokens/chat_template.hpp>
#define BOOST_TEST_MODULE tokens_chat_template
#include <boost/test/unit_test.hpp>

using namespace slo;
using namespace slo::tokens;

namespace {

const auto messages =
    parse_json(R"([{"role":"system","content":"Be brief."},{"role":"user","content":" hi \n"}])").as_array();

}

BOOST_AUTO_TEST_CASE(chatml)
{
    BOOST_TEST(render(ChatTemplate::chatml, messages) ==
               "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n hi \n<|im_end|>\n"
               "<|im_start|>assistant\n");
}

BOOST_AUTO_TEST_CASE(llama3_trims_contents)
{
    BOOST_TEST(render(ChatTemplate::llama3, messages) ==
               "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|>"
               "<|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|>"
               "<|start_header_id|>assistant<|end_header_id|>\n\n");
}

BOOST_AUTO_TEST_CASE(plain)
{
    BOOST_TEST(render(ChatTemplate::plain, messages) == "system: Be brief.\n\nuser:  hi \n\n\nassistant: ");
}

BOOST_AUTO_TEST_CASE(names_go_both_ways)
{
    for (const char* name : {"chatml", "llama3", "plain"})
        BOOST_TEST(name_of(parse_chat_template(name)) == name);
    BOOST_CHECK_THROW(parse_chat_template("jinja"), UsageError);
    BOOST_CHECK_THROW(parse_chat_template(""), UsageError);
}
