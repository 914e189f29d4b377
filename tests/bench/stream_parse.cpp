// SPDX-License-Identifier: MIT
// How fast streams are read: stream_parse CHUNKS REPEATS. Makes answers of CHUNKS chunks in the forms of
// engines, then reads each REPEATS times, parsing every chunk and by templates. Prints the median CPU time a
// chunk, splitting into events included.

#include <slo/base/clock.hpp>
#include <slo/base/text.hpp>
#include <slo/wire/answer_reader.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace slo;
using wire::Answer;

constexpr std::array<std::string_view, 8> texts{" the", "Hello", " wörld",  ",",
                                                " of",  "\\n",   " tokens", " 四"};
constexpr std::string_view id = "chatcmpl-Z5WGtO3AfOfVHU11owo4zI9gmhSjdDwM";

std::string chat_head()
{
    return "data: {\"id\":\"" + std::string(id) +
           "\",\"object\":\"chat.completion.chunk\",\"created\":1796021205,"
           "\"model\":\"meta-llama/Llama-3.1-8B-Instruct\",\"choices\":[{\"index\":";
}

std::string chat_chunk(std::string_view text, std::size_t index)
{
    return chat_head() + std::to_string(index) + ",\"delta\":{\"content\":\"" + std::string(text) +
           "\"},\"logprobs\":null,\"finish_reason\":null}]";
}

std::string response_chunk(std::string_view text, std::size_t i)
{
    return "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\","
           "\"sequence_number\":" +
           std::to_string(i + 4) +
           ",\"item_id\":\"msg_3fvnNxOTX8Q1vM5l1q66omZhMeaV22eT\",\"output_index\":0," +
           "\"content_index\":0,\"delta\":\"" + std::string(text) + "\",\"logprobs\":[]}\n\n";
}

// The reads of one answer, an event each: its first, the chunks, its end.
template <class Chunk>
std::vector<std::string> answer_of(std::size_t chunks, std::string first, Chunk chunk, std::string last)
{
    std::vector<std::string> reads{std::move(first)};
    for (std::size_t i = 0; i < chunks; ++i)
        reads.push_back(chunk(texts[i % texts.size()], i));
    reads.push_back(std::move(last));
    return reads;
}

template <class Chunk>
std::vector<std::string> chat_of(std::size_t chunks, Chunk chunk)
{
    return answer_of(chunks,
                     chat_head() + "0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,"
                                   "\"finish_reason\":null}]}\n\n",
                     chunk,
                     chat_head() + "0,\"delta\":{},\"logprobs\":null,\"finish_reason\":\"stop\"}]}\n\n"
                                   "data: [DONE]\n\n");
}

std::vector<std::string> response_of(std::size_t chunks)
{
    const std::string response =
        "\"response\":{\"id\":\"resp_7rjORgmpflztx8Zw5fxHxWD5MecG7CA2\",\"output\":[]}}\n\n";
    return answer_of(
        chunks,
        "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0," + response,
        [](auto text, auto i) { return response_chunk(text, i); },
        "event: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":9999," +
            response);
}

double median_ns(const std::vector<std::string>& reads, int repeats, Answer::Scanning scanning)
{
    constexpr int answers = 200; // a sample
    std::vector<double> samples;
    for (int sample = 0; sample < repeats; ++sample) {
        std::int64_t chars = 0;
        const auto start_ns = process_cpu_ns();
        for (int i = 0; i < answers; ++i) {
            wire::AnswerReader reader({}, scanning);
            reader.begin(200, "text/event-stream");
            double t_s = 0;
            for (const auto& read : reads)
                reader.feed(read, t_s += 0.01);
            reader.end(true);
            chars += reader.answer().content_chars();
        }
        const auto spent_ns = process_cpu_ns() - start_ns;
        if (chars > 0)
            samples.push_back(static_cast<double>(spent_ns) / answers / static_cast<double>(reads.size()));
    }
    if (samples.empty())
        return 0;
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 2];
}

} // namespace

int main(int argc, char** argv)
{
    const auto chunks = argc > 1 ? parse_integer<std::size_t>(argv[1]).value_or(50) : 50;
    const auto repeats = argc > 2 ? parse_integer<int>(argv[2]).value_or(9) : 9;
    struct Form {
        const char* name;
        std::vector<std::string> reads;
    };
    const std::vector<Form> forms{
        {"chat", chat_of(chunks, [](auto text, auto) { return chat_chunk(text, 0) + "}\n\n"; })},
        {"chat, two choices",
         chat_of(chunks, [](auto text, auto i) { return chat_chunk(text, i % 2) + "}\n\n"; })},
        {"chat, usage with each",
         chat_of(chunks,
                 [](auto text, auto i) {
                     return chat_chunk(text, 0) +
                            ",\"usage\":{\"prompt_tokens\":11,\"total_tokens\":" + std::to_string(i + 12) +
                            ",\"completion_tokens\":" + std::to_string(i + 1) + "}}\n\n";
                 })},
        {"responses", response_of(chunks)}};
    bool all = true;
    for (const auto& form : forms) {
        std::size_t bytes = 0;
        for (const auto& read : form.reads)
            bytes += read.size();
        const auto mean_bytes = static_cast<double>(bytes) / static_cast<double>(form.reads.size());
        const auto parsed_ns = median_ns(form.reads, repeats, Answer::Scanning::parse);
        const auto scanned_ns = median_ns(form.reads, repeats, Answer::Scanning::templates);
        all = all && parsed_ns > 0 && scanned_ns > 0;
        std::printf("%s: %.0f ns a chunk of %.0f bytes by templates (%.0f MB/s), %.0f ns parsed (%.0f MB/s), "
                    "ratio %.1f\n",
                    form.name, scanned_ns, mean_bytes, mean_bytes / scanned_ns * 1e3, parsed_ns,
                    mean_bytes / parsed_ns * 1e3, parsed_ns / scanned_ns);
    }
    return all ? 0 : 1;
}
