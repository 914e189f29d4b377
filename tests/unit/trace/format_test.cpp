// SPDX-License-Identifier: MIT
#include <slo/trace/format.hpp>

#define BOOST_TEST_MODULE trace_format
#include <boost/test/unit_test.hpp>

#include <slo/trace/aiperf.hpp>
#include <slo/trace/conversation.hpp>
#include <slo/trace/csv_trace.hpp>
#include <slo/trace/hash_trace.hpp>
#include <slo/trace/payload.hpp>
#include <slo/trace/request.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace {
using namespace slo;
using trace::Format;
using trace::TraceRecord;

// What a record comes to: "skipped: …", "bad: …", or its requests.
std::string seen(TraceRecord (*parse)(std::string_view, const trace::ParseOptions&), std::string_view text,
                 const trace::ParseOptions& options = {})
{
    try {
        const auto record = parse(text, options);
        std::string said;
        for (const auto& request : record.requests)
            said += (request.conversation.empty() ? "" : request.conversation + ": ") +
                    (request.prompt.is_null() ? std::to_string(*request.input_tokens) + " tokens"
                                              : to_json(request.prompt)) +
                    (request.is_delta ? " delta" : "") +
                    (request.output_tokens ? " -> " + std::to_string(*request.output_tokens) : "") +
                    (request.answer ? " -> " + *request.answer : "") + "; ";
        for (const auto* reason : record.skipped)
            said += std::string("skipped: ") + reason + "; ";
        return said;
    } catch (const record::RowError& error) {
        return std::string("bad: ") + error.what();
    } catch (const JsonError&) {
        return "bad: not JSON";
    }
}

std::string seen_row(TraceRecord (*parse)(const wire::CsvRow&), std::string_view header,
                     std::string_view line)
{
    wire::CsvRecord record;
    record.take(header);
    const wire::CsvHeader names(record);
    record.take(line);
    try {
        const auto result = parse({names, record});
        if (result.requests.empty())
            return std::string("skipped: ") + result.skipped.at(0);
        const auto& request = result.requests.at(0);
        return std::to_string(*request.time_ns) + " " + std::to_string(*request.input_tokens) + " " +
               std::to_string(*request.output_tokens) + " " + request.conversation + to_json(request.source);
    } catch (const record::RowError& error) {
        return std::string("bad: ") + error.what();
    }
}

BOOST_AUTO_TEST_CASE(formats_have_names_and_declare_their_units)
{
    for (const auto& format : trace::formats) {
        BOOST_TEST(&trace::format_named(format.name) == &format);
        BOOST_TEST((format.parse_text == nullptr) != (format.parse_row == nullptr));
    }
    BOOST_TEST(trace::format_named("mooncake").times == "milliseconds");
    BOOST_TEST(trace::format_named("bailian").times == "seconds");
    BOOST_TEST(trace::format_named("burstgpt").times == "seconds");
    BOOST_TEST(trace::format_named("aiperf").times == "milliseconds");
    BOOST_CHECK_EXCEPTION(trace::format_named("x"), UsageError, [](const UsageError& error) {
        return std::string(error.what()) == "--format: 'x' is none of sharegpt, mooncake, bailian, burstgpt, "
                                            "azure, vllm, sglang, aiperf, openai-batch, legacy";
    });
}

BOOST_AUTO_TEST_CASE(d07_sharegpt_rows)
{
    const auto of = [](std::string_view text) { return seen(trace::parse_sharegpt, text); };
    const std::string q = R"({"from":"human","value":"q"})";
    const std::string r = R"({"from":"gpt","value":"r"})";
    const auto talk = [&](const std::string& turns) {
        return of(R"({"id":"x","conversations":[)" + turns + "]}");
    };
    BOOST_TEST(talk(q + "," + r) == R"(x: [{"role":"user","content":"q"}] -> r; )");
    BOOST_TEST(talk(r + "," + q + "," + r) == R"(x: [{"role":"user","content":"q"}] -> r; )");
    BOOST_TEST(talk(R"({"from":"system","value":"s"},)" + q + "," + r + "," + q + "," + r) ==
               R"(x: [{"role":"system","content":"s"},{"role":"user","content":"q"}] -> r; )"
               R"(x: [{"role":"system","content":"s"},{"role":"user","content":"q"},)"
               R"({"role":"assistant","content":"r"},{"role":"user","content":"q"}] -> r; )");
    BOOST_TEST(talk("") == "skipped: empty; ");
    BOOST_TEST(of(R"({"id":"d"})") == "skipped: missing conversations; ");
    BOOST_TEST(talk(q) == "skipped: no answer; ");
    BOOST_TEST(talk(r) == "skipped: no question; ");
    BOOST_TEST(talk(R"({"from":"human"},)" + r) == "skipped: missing value; ");
    BOOST_TEST(talk(R"({"from":"human","value":" "},)" + r) == "skipped: empty prompt; ");
    BOOST_TEST(talk(q + R"(,{"from":"gpt","value":""})") == "skipped: empty answer; ");
    BOOST_TEST(talk(R"({"role":"user","content":"q"},{"role":"assistant","content":"r"})") ==
               R"(x: [{"role":"user","content":"q"}] -> r; )");
    BOOST_TEST(talk(q + "," + r + R"(,{"from":"tool","value":"t"})") ==
               R"(x: [{"role":"user","content":"q"}] -> r; skipped: turn of another role; )");
    BOOST_TEST(of("[1]") == "bad: not a JSON object");
    BOOST_TEST(of("{") == "bad: not JSON");
}

BOOST_AUTO_TEST_CASE(sharegpt_first_turns_and_neighbours)
{
    const std::string text = R"({"conversations":[{"from":"human","value":"a"},{"from":"human","value":"b"},)"
                             R"({"from":"gpt","value":"r"},{"from":"gpt","value":"s"},)"
                             R"({"from":"human","value":"c"},{"from":"gpt","value":"t"}]})";
    BOOST_TEST(
        seen(trace::parse_sharegpt, text) ==
        R"([{"role":"user","content":"a\n\nb"}] -> r; [{"role":"user","content":"a\n\nb"},)"
        R"({"role":"assistant","content":"r\n\ns"},{"role":"user","content":"c"}] -> t; skipped: no answer; )");
    BOOST_TEST(
        seen(trace::parse_sharegpt, text, {true, 0}) ==
        R"([{"role":"user","content":"a\n\nb"}] -> r; skipped: no answer; skipped: turn past the first; )");
}

BOOST_AUTO_TEST_CASE(a_conversation_of_many_turns_takes_bounded_memory)
{
    std::string text = R"({"conversations":[)";
    for (int i = 0; i < 30'000; ++i)
        text += R"({"from":"human","value":"q"},{"from":"gpt","value":"r"},)";
    text.back() = ']';
    const auto record = trace::parse_sharegpt(text + "}", {});
    BOOST_TEST(record.requests.size() < 2000u);
    BOOST_TEST(record.skipped.at(0) ==
               std::string_view("rest of a conversation whose prompts exceed 256 MiB"));
}

BOOST_AUTO_TEST_CASE(mooncake_checks_its_blocks)
{
    const auto of = [](std::string_view text) { return seen(trace::parse_mooncake, text); };
    BOOST_TEST(of(R"({"timestamp":5,"input_length":513,"output_length":4,"hash_ids":[1,2]})") ==
               "513 tokens -> 4; ");
    BOOST_TEST(of(R"({"timestamp":5,"input_length":512,"output_length":4,"hash_ids":[1,2]})") ==
               "bad: hash_ids do not match input_length (512 tokens are 1 blocks of 512, not 2)");
    BOOST_TEST(seen(trace::parse_mooncake,
                    R"({"timestamp":5,"input_length":33,"output_length":4,"hash_ids":[1,2,3]})",
                    {false, 16}) == "33 tokens -> 4; ");
    BOOST_TEST(of(R"({"input_length":1,"output_length":4,"hash_ids":[1]})") == "bad: timestamp is missing");
    BOOST_TEST(of(R"({"timestamp":"5","input_length":1,"output_length":4})") ==
               "bad: timestamp is no number");
    BOOST_TEST(of(R"({"timestamp":-5,"input_length":1,"output_length":4})") == "bad: timestamp is negative");
    BOOST_TEST(of(R"({"timestamp":5,"output_length":4})") == "bad: input_length or output_length is missing");
    BOOST_TEST(*trace::parse_mooncake(R"({"timestamp":27000.000001,"input_length":0,"output_length":4})", {})
                    .requests.at(0)
                    .time_ns == 27'000'000'001);
}

BOOST_AUTO_TEST_CASE(bailian_counts_seconds_and_names_parents)
{
    const auto parse = [](std::string_view rest) {
        return trace::parse_bailian(
                   R"({"timestamp":12.5,"input_length":33,"output_length":9,"hash_ids":[4,5,9],)" +
                       std::string(rest) + "}",
                   {})
            .requests.at(0);
    };
    const auto follows = parse(R"("chat_id":8,"parent_chat_id":3,"type":"text","turn":2)");
    BOOST_TEST(*follows.time_ns == 12'500'000'000);
    BOOST_TEST(*follows.chat_id == 8);
    BOOST_TEST(*follows.parent_id == 3);
    BOOST_TEST(to_json(follows.source) == R"({"chat_id":8,"parent_chat_id":3,"type":"text","turn":2})");
    BOOST_TEST(!parse(R"("chat_id":8,"parent_chat_id":-1)").parent_id);
    BOOST_TEST(!parse(R"("chat_id":8)").parent_id);
    BOOST_CHECK_THROW(parse(R"("chat_id":"8")"), record::RowError);
    BOOST_CHECK_THROW(parse(R"("chat_id":8,"parent_chat_id":"3")"), record::RowError);
    BOOST_CHECK_THROW(parse(R"("parent_chat_id":3)"), record::RowError);
}

BOOST_AUTO_TEST_CASE(burstgpt_columns_by_name)
{
    const auto of = [](std::string_view header, std::string_view line) {
        return seen_row(trace::parse_burstgpt, header, line);
    };
    BOOST_TEST(of("Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type",
                  "5,GPT-4,472,18,490,Conversation log") ==
               R"(5000000000 472 18 {"Model":"GPT-4","Total tokens":"490","Log Type":"Conversation log"})");
    BOOST_TEST(of("response tokens,SESSION ID,timestamp,request tokens", "18.0,s1,5.25,472.0") ==
               "5250000000 472 18 s1{}");
    const std::string_view header = "Timestamp,Request tokens,Response tokens";
    BOOST_TEST(of(header, "5,472,0") == "skipped: failed request (no response tokens)");
    BOOST_TEST(of(header, "5,472.5,1") == "bad: request tokens is no number of tokens");
    BOOST_TEST(of(header, "5,,1") == "bad: request tokens is no number of tokens");
    BOOST_TEST(of(header, "x,1,1") == "bad: timestamp is no time");
    BOOST_TEST(of(header, "-1,1,1") == "bad: timestamp is negative");
}

BOOST_AUTO_TEST_CASE(azure_moments)
{
    const std::string_view header = "TIMESTAMP,ContextTokens,GeneratedTokens";
    BOOST_TEST(seen_row(trace::parse_azure, header, "2024-05-10 00:00:00.009930+00:00,2162,5") ==
               "1715299200009930000 2162 5 {}");
    BOOST_TEST(seen_row(trace::parse_azure, header, "5.0,2162,5") ==
               "bad: timestamp is no moment between 1970 and 2261");
}

BOOST_AUTO_TEST_CASE(vllm_and_sglang_data_sets)
{
    BOOST_TEST(seen(trace::parse_vllm, R"({"prompt":"Name a river.","output_tokens":12})") ==
               "\"Name a river.\" -> 12; ");
    BOOST_TEST(seen(trace::parse_vllm, R"({"prompt":" "})") == "skipped: empty prompt; ");
    BOOST_TEST(seen(trace::parse_vllm, R"({"text":"x"})") == "bad: prompt is no text");
    BOOST_TEST(seen(trace::parse_vllm, R"({"prompt":"x","output_tokens":"12"})") ==
               "bad: output_tokens is no number of tokens");
    BOOST_TEST(seen(trace::parse_vllm, R"({"id":"1","messages":[{"role":"user","content":"q"},)"
                                       R"({"role":"assistant","content":"a"}]})") ==
               R"(1: [{"role":"user","content":"q"}] -> a; )");
    BOOST_TEST(seen(trace::parse_vllm, R"({"id":"1","messages":[]})") == "skipped: empty; ");
    const auto sglang = [](std::string_view text) { return seen(trace::parse_sglang, text); };
    BOOST_TEST(sglang(R"({"conversation":[{"content":"q"},{"content":"a"}]})") ==
               R"([{"role":"user","content":"q"}] -> a; )");
    BOOST_TEST(sglang(R"({"conversations":[{"value":"q"},{"value":"a"},{"value":"p"},{"value":"b"}]})") ==
               R"([{"role":"user","content":"q"}] -> a; [{"role":"user","content":"q"},)"
               R"({"role":"assistant","content":"a"},{"role":"user","content":"p"}] -> b; )");
    BOOST_TEST(sglang(R"({"conversation":[{"content":"q"}]})") == "skipped: fewer than two turns; ");
    BOOST_TEST(sglang(R"({"conversation":[{"content":"q","image":"x"},{"content":"a"}]})") ==
               "skipped: turn with an image; ");
}

BOOST_AUTO_TEST_CASE(aiperf_forms)
{
    const auto of = [](std::string_view text) { return seen(trace::parse_aiperf, text); };
    BOOST_TEST(of(R"({"text":"hi"})") == R"([{"role":"user","content":"hi"}]; )");
    BOOST_TEST(
        of(R"({"session_id":"s1","turns":[{"text":"hi"},{"text":"more","delay":500}]})") ==
        R"(s1: [{"role":"user","content":"hi"}] delta; s1: [{"role":"user","content":"more"}] delta; )");
    BOOST_TEST(of(R"({"text":"hi","images":["x"]})") == "skipped: not text alone; ");
    BOOST_TEST(
        of(R"({"turns":[{"text":"hi"},{"text":"x","audio":"y"}]})") ==
        R"([{"role":"user","content":"hi"}] delta; skipped: rest of a conversation from a turn that is not text alone; )");
    BOOST_TEST(of(R"({"turns":[]})") == "skipped: empty; ");
    BOOST_TEST(of(R"({"input_length":655,"output_length":52,"hash_ids":[46,47]})") == "655 tokens -> 52; ");
    BOOST_TEST(of(R"({"input_length":655,"output_length":52,"hash_ids":[46]})")
                   .starts_with("bad: hash_ids do not match"));
    BOOST_TEST(of(R"({"session_id":"a","input_length":150})") == "a: 150 tokens delta; ");
    BOOST_TEST(of(R"({"session_id":"a","text_input":"x"})") ==
               R"(a: [{"role":"user","content":"x"}] delta; )");
    BOOST_TEST(of(R"({"session_id":"a","messages":[{"role":"user","content":"x"}]})") ==
               R"(a: [{"role":"user","content":"x"}]; )");
    BOOST_TEST(
        of(R"({"session_id":"a","messages":[{"role":"user","content":"x"}],"message_mode":"delta"})") ==
        R"(a: [{"role":"user","content":"x"}] delta; )");
    BOOST_TEST(of(R"({"messages":[{"role":"user","content":"x"}],"message_mode":"delta"})") ==
               "bad: message_mode delta without messages or session_id");
    BOOST_TEST(of(R"({"messages":[]})") == "bad: messages is no list of messages");
    BOOST_TEST(of(R"({"output_length":3})") == "bad: neither a prompt nor an input_length");
    BOOST_TEST(of(R"({"text":"x","extra":{"messages":[]}})") == "bad: extra takes the place of the prompt");
    BOOST_TEST(
        of(R"({"session_id":"u","payloads":[{"messages":[{"role":"user","content":"x"}],"max_tokens":3}]})") ==
        R"(u: [{"role":"user","content":"x"}] -> 3; )");
    BOOST_TEST(of(R"({"payload":[{"prompt":"x"}],"timestamp":[1,2]})") ==
               "bad: not as many timestamps as payloads");
    BOOST_TEST(of(R"({"payload":{"prompt":"x","max_completion_tokens":4}})") == "\"x\" -> 4; ");
    const auto timed = trace::parse_aiperf(R"({"payload":[{"prompt":"x"}],"timestamp":[120.5]})", {});
    BOOST_TEST(*timed.requests.at(0).time_ns == 120'500'000);
    const auto late =
        trace::parse_aiperf(R"({"text":"x","delay":2.000001,"tools":[1],"extra":{"seed":7}})", {});
    BOOST_TEST(*late.requests.at(0).delay_ns == 2'000'001);
    BOOST_TEST(to_json(late.requests.at(0).body) == R"({"seed":7,"tools":[1]})");
}

BOOST_AUTO_TEST_CASE(openai_batches)
{
    const auto of = [](std::string_view url, std::string_view body) {
        return seen(trace::parse_openai_batch, R"({"custom_id":"r","method":"POST","url":")" +
                                                   std::string(url) + R"(","body":)" + std::string(body) +
                                                   "}");
    };
    BOOST_TEST(of("/v1/chat/completions", R"({"messages":[{"role":"user","content":"x"}]})") ==
               R"(r: [{"role":"user","content":"x"}]; )");
    BOOST_TEST(of("/v1/completions", R"({"prompt":["x","y"],"max_tokens":2})") ==
               R"(r/1: "x" -> 2; r/2: "y" -> 2; )");
    BOOST_TEST(of("/v1/responses", R"({"input":"x","max_output_tokens":2})") == R"(r: "x" -> 2; )");
    BOOST_TEST(of("/v1/embeddings", R"({"input":"x"})") == "skipped: request that generates no text; ");
    BOOST_TEST(of("/v1/completions", R"({"prompt":[1,2]})") == "skipped: prompt of token ids; ");
    BOOST_TEST(of("/v1/completions", R"({"prompt":[]})") ==
               "bad: the prompt is neither text nor a list of messages");
    BOOST_TEST(of("/v1/completions", R"({"prompt":["x",2]})") ==
               "bad: the prompt is neither text nor a list of messages");
    BOOST_TEST(of("/v1/completions", "{}") == "bad: the body has no prompt");
    BOOST_TEST(of("/v1/completions", "[]") == "bad: body is no object");
    BOOST_TEST(seen(trace::parse_openai_batch, R"({"custom_id":"r","method":"GET","url":"x","body":{}})") ==
               "bad: not a POST to a url");
    BOOST_TEST(seen(trace::parse_openai_batch, R"({"method":"POST","url":"/v1/completions","body":{}})") ==
               "bad: custom_id is missing");
}

BOOST_AUTO_TEST_CASE(requests_of_a_record_do_not_multiply_its_size)
{
    std::string text = R"({"custom_id":"r","method":"POST","url":"/v1/completions","body":{"x":")" +
                       std::string(1 << 20, 'x') + R"(","prompt":["a")";
    for (int i = 0; i < 500; ++i)
        text += R"(,"a")";
    BOOST_TEST(seen(trace::parse_openai_batch, text + "]}}") ==
               "bad: a record whose requests repeat too much");
}

BOOST_AUTO_TEST_CASE(legacy_logs)
{
    const std::string stamp = "2026-05-01T10:00:03.5Z host: ";
    BOOST_TEST(seen(trace::parse_legacy,
                    stamp + R"({"message":"[Log chat request] {\"conversationId\":12,\"body\":{\"messages\":)"
                            R"([{\"role\":\"user\",\"content\":\"x\"}]}}"})") ==
               R"(12: [{"role":"user","content":"x"}]; )");
    BOOST_TEST(seen(trace::parse_legacy, stamp + R"({"message":"other"})") ==
               "skipped: log line without a request; ");
    BOOST_TEST(seen(trace::parse_legacy, "no stamp").starts_with("bad: neither"));
}

} // namespace
