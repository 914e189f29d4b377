// SPDX-License-Identifier: MIT
// Events read by their form say exactly what they say when they are parsed.

#include <slo/wire/chunk_template.hpp>

#define BOOST_TEST_MODULE wire_chunk_template
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>
#include <slo/io/fd.hpp>

#include "../../support/answer_text.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace {

using slo::wire::Answer;
using slo::wire::Channel;
using slo::wire::ChunkTemplate;
using slo::wire::ChunkTemplates;
using slo::wire::PlainChunk;
using slo::wire::Usage;

PlainChunk meaning(std::optional<Usage> usage = std::nullopt)
{
    return {.choice = 3, .channel = Channel::reasoning, .chars = 0, .usage = usage};
}

Usage usage_of_tokens(std::int64_t tokens)
{
    return {.prompt_tokens = 7,
            .completion_tokens = tokens,
            .cached_tokens = std::nullopt,
            .reasoning_tokens = std::nullopt};
}

// Code points of the text of `event`, -1 where it is not of the form of `learnt` with the text "hello".
std::int64_t chars(std::string_view learnt, std::string_view event)
{
    const auto form = ChunkTemplate::of(learnt, "hello", meaning());
    PlainChunk chunk;
    return form && form->match(event, chunk) ? chunk.chars : -1;
}

// Both ways to read a stream, in reads of several sizes.
void check_same(std::string_view stream, std::string_view what)
{
    for (const std::size_t read_bytes : {std::size_t{100}, stream.size() + 1}) {
        const auto by_form = tests::read_answer(stream, read_bytes, 200, "text/event-stream", 1 << 20,
                                                Answer::Scanning::templates);
        const auto parsed = tests::read_answer(stream, read_bytes, 200, "text/event-stream", 1 << 20,
                                               Answer::Scanning::parse);
        BOOST_REQUIRE_MESSAGE(tests::text_of_answer(by_form) == tests::text_of_answer(parsed), what
                                                                                                   << "\n"
                                                                                                   << stream);
    }
}

// Every recorded stream and SSE case, and the forms of engines that were not at hand.
std::vector<std::string> streams()
{
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator("tests/data/captures")) {
        const auto bytes = slo::io::read_all(entry.path().string(), 1 << 20);
        all.push_back(bytes.substr(std::min(bytes.size(), bytes.find("\r\n\r\n") + 4)));
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator("tests/data/sse"))
        if (entry.path().extension() == ".sse")
            all.push_back(slo::io::read_all(entry.path().string(), 1 << 20));
    const std::vector<std::string> texts{"Hello", " wörld", ",",    " \\n", "\\\"", "\\u00e9",
                                         "",      "a",      "stop", "\\/",  "0",    "\\ud83d\\ude42"};
    const auto stream_of = [&](const auto& event) {
        std::string stream;
        for (std::size_t i = 0; i < 36; ++i)
            stream += event(texts[i * 7 % texts.size()], std::to_string(i + 1));
        return stream + "data: [DONE]\n\n";
    };
    all.push_back(stream_of([](const std::string& text, const std::string& n) {
        return R"(data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,)"
               R"("delta":{"content":")" +
               text +
               R"("},"logprobs":null,"finish_reason":null}],"usage":{"prompt_tokens":11,"total_tokens":)" +
               std::to_string(11 + std::stoi(n)) + R"(,"completion_tokens":)" + n + "}}\n\n";
    }));
    all.push_back(stream_of([](const std::string& text, const std::string& n) {
        return R"(data: {"id":"c","choices":[{"index":)" + std::to_string(std::stoi(n) % 3) +
               R"(,"delta":{"role":null,"content":null,"reasoning_content":")" + text +
               R"(","tool_calls":null},"matched_stop":null,"finish_reason":null}],"usage":{"prompt_tokens":1, )"
               R"("completion_tokens": )" +
               n + R"(,"reasoning_tokens":)" + n + "}}\n\n";
    }));
    all.push_back(stream_of([](const std::string& text, const std::string& n) {
        return "event: response.output_text.delta\ndata: "
               R"({"type":"response.output_text.delta","sequence_number":)" +
               n + R"(,"item_id":"msg_1","output_index":0,"content_index":0,"delta":")" + text +
               "\",\"logprobs\":[]}\n\n";
    }));
    all.push_back(stream_of([](const std::string& text, const std::string& n) {
        return R"(data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":")" +
               text + R"("}}]},"finish_reason":null}],"created":)" + std::to_string(std::stoi(n) / 9) +
               "}\n\n";
    }));
    all.push_back(stream_of([](const std::string& text, const std::string& n) {
        return R"(data: {"choices":[{"index":)" + std::to_string(std::stoi(n) % 2) +
               R"(,"delta":{"content":")" + text + R"("}}])" +
               (n == "36" ? R"(,"usage":{"completion_tokens":36})" : "") + "}\n\n";
    }));
    return all;
}

// One mutation: a byte changed, a piece removed, doubled or put elsewhere, a quote, digit or escape added.
void mutate(std::string& stream, slo::Random& random)
{
    const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random.bits() % limit); };
    const auto at = below(stream.size());
    const auto size = std::min(below(40) + 1, stream.size() - at);
    static const std::vector<std::string> pieces{
        "\"", "\\", "0", "9",    "\\u0041", "\\ud800",      "\xC3\xA9",      "\xFF", "\n",
        "{",  "}",  ",", "null", "\"a\":",  "\"error\":1,", "\"usage\":{},", "-",    ".5"};
    switch (below(5)) {
    case 0:
        stream[at] = static_cast<char>(random.bits());
        break;
    case 1:
        stream.erase(at, size);
        break;
    case 2:
        stream.insert(below(stream.size()), stream.substr(at, size));
        break;
    default:
        stream.insert(at, pieces[below(pieces.size())]);
    }
}

} // namespace

BOOST_AUTO_TEST_CASE(a_template_knows_its_events)
{
    const std::string learnt = R"({"a":{"content":"hello"},"b":[1]})";
    const auto with = [](const std::string& text) {
        return R"({"a":{"content":")" + text + R"("},"b":[1]})";
    };
    BOOST_TEST(chars(learnt, learnt) == 5);
    BOOST_TEST(chars(learnt, with("")) == 0);
    BOOST_TEST(chars(learnt, with("h\xC3\xA9\xF0\x9F\x99\x82")) == 3);
    BOOST_TEST(chars(learnt, with("\\n\\\"\\u00e9\\\\x")) == 5);
    BOOST_TEST(chars(learnt, with("\\ud83d\\ude42")) == -1); // a parser has to look
    BOOST_TEST(chars(learnt, with("a\xFF")) == -1);
    BOOST_TEST(chars(learnt, with("a\nb")) == -1);
    BOOST_TEST(chars(learnt, with("a\\x")) == -1);
    BOOST_TEST(chars(learnt, with("a\",\"c\":\"b")) == -1);
    BOOST_TEST(chars(learnt, learnt.substr(0, learnt.size() - 1)) == -1);
    BOOST_TEST(chars(learnt, learnt + " ") == -1);
    BOOST_TEST(chars(learnt, learnt.substr(0, 5)) == -1);
    BOOST_TEST(chars(learnt, "") == -1);
    PlainChunk chunk;
    BOOST_REQUIRE(ChunkTemplate::of(learnt, "hello", meaning())->match(with("abc"), chunk));
    BOOST_TEST(chunk.choice == 3);
    BOOST_TEST((chunk.channel == Channel::reasoning));
    BOOST_TEST(!chunk.usage);
}

BOOST_AUTO_TEST_CASE(nothing_is_learnt_where_the_text_could_stand_elsewhere)
{
    BOOST_TEST(!ChunkTemplate::of(R"({"content":"hello","x":"hello"})", "hello", meaning()));
    BOOST_TEST(!ChunkTemplate::of(R"({"content":"\u0068ello","x":"hello"})", "hello", meaning()));
    BOOST_TEST(!ChunkTemplate::of(R"({"content":",","x":"y"})", ",", meaning()));
    BOOST_TEST(!ChunkTemplate::of(R"({"content":"hi"})", "hello", meaning()));
    const auto large = R"({"x":")" + std::string(ChunkTemplate::max_event_bytes, 'x') + R"(","c":"hello"})";
    BOOST_TEST(!ChunkTemplate::of(large, "hello", meaning()));
}

BOOST_AUTO_TEST_CASE(counts_may_change)
{
    const std::string learnt = R"({"c":"hello","usage":{"completion_tokens": 4,"total_tokens":11},"seq":1})";
    const auto form = ChunkTemplate::of(learnt, "hello", meaning(usage_of_tokens(4)));
    BOOST_REQUIRE(form);
    const auto tokens = [&](const std::string& count, const std::string& total = "12") -> std::int64_t {
        PlainChunk chunk;
        const auto event = R"({"c":"x","usage":{"completion_tokens": )" + count + R"(,"total_tokens":)" +
                           total + R"(},"seq":1})";
        if (!form->match(event, chunk))
            return -1;
        BOOST_TEST(chunk.usage->prompt_tokens.value() == 7);
        return chunk.usage->completion_tokens.value_or(-2);
    };
    BOOST_TEST(tokens("5") == 5);
    BOOST_TEST(tokens("0") == 0);
    BOOST_TEST(tokens("123456", "9") == 123456);
    BOOST_TEST(tokens("999999999999999") == -2); // no plausible count, as when parsed
    for (const std::string bad : {"05", "", "-1", "1.5", "1e3", "9999999999999999", "x", " 5", "\"5\""})
        BOOST_TEST(tokens(bad) == -1, bad);
    BOOST_TEST(tokens("5", "1.0") == -1);
}

BOOST_AUTO_TEST_CASE(a_number_that_is_no_plain_integer_stays_as_it_is)
{
    const auto event = [](const std::string& tokens, const std::string& total) {
        return R"({"c":"hello","usage":{"completion_tokens":)" + tokens + R"(,"total_tokens":)" + total +
               "}}";
    };
    const auto form = ChunkTemplate::of(event("4e1", "1.5"), "hello", meaning(usage_of_tokens(40)));
    BOOST_REQUIRE(form);
    PlainChunk chunk;
    BOOST_REQUIRE(form->match(event("4e1", "1.5"), chunk));
    BOOST_TEST(chunk.usage->completion_tokens.value() == 40);
    BOOST_TEST(!form->match(event("5e1", "1.5"), chunk));
    BOOST_TEST(!form->match(event("4e1", "2.5"), chunk));
}

BOOST_AUTO_TEST_CASE(a_few_templates_take_turns)
{
    ChunkTemplates templates;
    const auto event = [](int index, const std::string& text) {
        return R"({"index":)" + std::to_string(index) + R"(,"text":")" + text + R"("})";
    };
    BOOST_TEST(!templates.match(event(0, "a")));
    for (int index = 0; index < 9; ++index) {
        auto said = meaning();
        said.choice = index;
        templates.learn(event(index, "a"), "a", said);
    }
    for (int index = 8; index > 0; --index) {
        const auto* chunk = templates.match(event(index, "bcd"));
        BOOST_REQUIRE(chunk);
        BOOST_TEST(chunk->choice == index);
        BOOST_TEST(chunk->chars == 3);
    }
    BOOST_TEST(!templates.match(event(0, "b"))); // the oldest made room
}

BOOST_AUTO_TEST_CASE(a_stream_in_which_nothing_recurs_is_given_up)
{
    ChunkTemplates templates;
    int learnt = 0;
    for (; templates.wants("{}") && learnt < 1000; ++learnt)
        templates.learn(R"({"n":)" + std::to_string(learnt) + R"(,"t":"a"})", "a", meaning());
    BOOST_TEST(learnt == 16);
    BOOST_TEST(templates.match(R"({"n":15,"t":"b"})") != nullptr);
    BOOST_TEST(templates.wants("{}"));
    BOOST_TEST(!templates.wants(std::string(5000, ' ')));
}

BOOST_AUTO_TEST_CASE(every_stream_reads_the_same_with_and_without_templates)
{
    const auto all = streams();
    BOOST_TEST(all.size() > 60u);
    for (const auto& stream : all)
        check_same(stream, "as recorded");
}

BOOST_AUTO_TEST_CASE(thousands_of_mutated_streams_read_the_same_with_and_without_templates)
{
    auto all = streams();
    std::erase_if(all, [](const std::string& stream) { return stream.empty() || stream.size() > 12'000; });
    slo::Random random(20'260'101);
    for (int i = 0; i < 6000; ++i) {
        auto stream = all[random.bits() % all.size()];
        for (auto mutations = random.bits() % 4 + 1; mutations > 0 && !stream.empty(); --mutations)
            mutate(stream, random);
        check_same(stream, "mutated");
    }
}
