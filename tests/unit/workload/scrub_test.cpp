#include <slo/workload/scrub.hpp>

#define BOOST_TEST_MODULE workload_scrub
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;

namespace {

struct Fixture {
    workload::Scrubber scrubber{
        [](const std::string& text) { return "<" + std::to_string(text.size()) + ">"; },
        [](const std::string& name) { return "x" + std::to_string(name.size() % 10) + "123456789"; }};

    std::string body(const std::string& text)
    {
        return to_json(scrubber.members(parse_json(text).as_object(), "body"));
    }
    std::string message(const char* text) { return to_json(scrubber.message(parse_json(text).as_object())); }
    std::string dropped() const
    {
        std::string all;
        for (const auto& [name, count] : scrubber.dropped())
            all += name + "=" + std::to_string(count) + " ";
        return all;
    }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(sampling_fields_stay, Fixture)
{
    const char* const all = R"({"max_tokens":50,"temperature":0.7,"n":3,"stream":true,"seed":null,)"
                            R"("stream_options":{"include_usage":true},"reasoning_effort":"low",)"
                            R"("chat_template_kwargs":{"enable_thinking":false}})";
    BOOST_TEST(body(all) == all);
    BOOST_TEST(dropped().empty());
}

BOOST_FIXTURE_TEST_CASE(what_is_not_known_goes_and_is_named_only_where_that_is_harmless, Fixture)
{
    BOOST_TEST(body(R"({"stop":["END"],"user":"jane","metadata":{"order":"5"},"max_tokens":"secret",)"
                    R"("customer_jane":5,"stream max_tokens":1,"chat_template_kwargs":{"jane":1},)"
                    R"("response_format":{"type":"json_schema","json_schema":{"name":"jane"}},)"
                    R"("tool_choice":{"function":{"name":"jane"}}})") == R"({"chat_template_kwargs":{}})");
    BOOST_TEST(dropped() == "body.(others)=3 body.chat_template_kwargs.(others)=1 body.metadata=1 "
                            "body.response_format=1 body.stop=1 body.tool_choice=1 body.user=1 ");
}

BOOST_FIXTURE_TEST_CASE(what_a_builder_noted_keeps_its_figures_and_loses_its_texts, Fixture)
{
    BOOST_TEST(
        to_json(scrubber.members(
            parse_json(
                R"({"assembly":{"personality":"a pirate","turns_in":7,"language":"en-US","entry":"direct",)"
                R"("history_raw":[{"role":"user","content":"ahoy"},"loose"],"language2":"x"},)"
                R"("model":{"bucket":"3.5k-3.8k","parse_mode":"n_choices","prompt_tokens_chat_template":3740},)"
                R"("note":"call Jane"})")
                .as_object(),
            "row")) ==
        R"({"assembly":{"personality":"<8>","turns_in":7,"language":"en-US","entry":"direct",)"
        R"("history_raw":[{"role":"user","content":"<4>"}]},)"
        R"("model":{"bucket":"3.5k-3.8k","parse_mode":"n_choices","prompt_tokens_chat_template":3740}})");
    BOOST_TEST(dropped() == "row.(others)=1 row.assembly.(others)=1 row.assembly.history_raw.(others)=1 ");
}

BOOST_FIXTURE_TEST_CASE(a_response_format_stays_whole_or_not_at_all, Fixture)
{
    for (const char* kept : {R"({"response_format":{"type":"json_object"}})",
                             R"({"response_format":{"type":"text"}})", R"({"response_format":null})"})
        BOOST_TEST(body(kept) == kept);
    BOOST_TEST(dropped().empty());
    BOOST_TEST(body(R"({"response_format":{"type":"text","jane":1}})") == "{}");
    BOOST_TEST(body(R"({"response_format":{"type":"json_schema"}})") == "{}");
    BOOST_TEST(body(R"({"response_format":["text"]})") == "{}");
    BOOST_TEST(dropped() == "body.response_format=3 ");
}

BOOST_FIXTURE_TEST_CASE(codes_are_of_a_fixed_set, Fixture)
{
    BOOST_TEST(body(R"({"language":"Klingon","bucket":"John","role":"pirate","type":"日本"})") == "{}");
    for (const std::string code :
         {"+4930123456", "4930123456", "2026-11-30", "30.11.2026!", "10:30", "12 34"})
        BOOST_TEST(body("{\"bucket\":\"" + code + "\"}") == "{}");
    BOOST_TEST(body(R"({"language":"zh","bucket":"<1k"})") == R"({"language":"zh","bucket":"<1k"})");
}

BOOST_FIXTURE_TEST_CASE(messages_keep_their_form, Fixture)
{
    BOOST_TEST(
        message(R"({"role":"tool","name":"lookup","tool_call_id":"call_1","content":"x","weight":"hi"})") ==
        R"({"role":"tool","name":"x6123456789","tool_call_id":"x6123456789","content":null})");
    BOOST_TEST(
        message(
            R"({"role":"assistant","content":null,"reasoning_content":"hmm","tool_calls":[{"id":"call_1",)"
            R"("type":"function","function":{"name":"lookup","arguments":"{\"city\":\"Rome\",\"days\":12,)"
            R"(\"type\":\"string\",\"deep\":{\"name\":true}}"}}]})") ==
        R"({"role":"assistant","content":null,"reasoning_content":"<3>","tool_calls":[{"id":"x6123456789",)"
        R"("type":"function","function":{"name":"x6123456789","arguments":"{\"x4123456789\":{\"x4123456789\":true}}"}}]})");
    BOOST_TEST(
        message(R"({"role":"assistant","content":"","function_call":{"name":"f","arguments":"not json"}})") ==
        R"({"role":"assistant","content":null,"function_call":{"name":"x1123456789","arguments":"<8>"}})");
}

BOOST_FIXTURE_TEST_CASE(tools_keep_their_structure, Fixture)
{
    BOOST_TEST(
        body(R"({"tools":[{"type":"function","function":{"name":"lookup","description":"Finds Jane",)"
             R"("parameters":{"type":"object","properties":{"name":{"type":"string","enum":["Jane"]},)"
             R"("salary":{"type":"integer","minimum":3000}},"required":["salary"]}}}]})") ==
        R"({"tools":[{"type":"function","function":{"name":"x6123456789","description":"<10>",)"
        R"("parameters":{"type":"object","properties":{"x4123456789":{"type":"string","enum":["x4123456789"]},)"
        R"("x6123456789":{"type":"integer","minimum":4123}},"required":["x6123456789"]}}}]})");
}
