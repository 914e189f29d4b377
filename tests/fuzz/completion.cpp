// SPDX-License-Identifier: MIT
// Any response gives a verdict, and figures that make sense. First byte: status, content type and size of the
// reads.

#include <slo/wire/answer_reader.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 1)
        return 0;
    const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
    constexpr std::string_view types[] = {"text/event-stream", "application/json", "", "text/html"};
    slo::wire::AnswerReader reader(4096);
    reader.begin(data[0] & 4 ? 503 : 200, types[data[0] & 3]);
    const std::size_t read_bytes = (data[0] >> 3) * std::size_t{8} + 1;
    double t_s = 0;
    for (std::size_t from = 0; from < body.size(); from += read_bytes)
        reader.feed(std::string(body.substr(from, read_bytes)), t_s += 0.25);
    reader.end(t_s += 0.25);

    const auto& answer = reader.answer();
    require((answer.outcome() == slo::wire::Outcome::ok) == answer.error_text().empty());
    require(reader.error_text().size() < 500 && slo::is_utf8(reader.error_text()));
    require(answer.output_tokens() >= 0 && answer.content_chars() >= 0 && answer.reasoning_chars() >= 0);
    require(answer.first_token_s().has_value() == answer.last_token_s().has_value());
    require(!answer.first_token_s() || *answer.first_token_s() <= *answer.last_token_s());
    for (const double gap_ms : answer.itl_ms())
        require(std::isfinite(gap_ms) && gap_ms >= 0);
    int previous = -1;
    for (const auto& choice : answer.choices()) {
        require(choice.index > previous);
        previous = choice.index;
        require(answer.tokens_of(choice) >= 0 &&
                choice.first_token_s.has_value() == (choice.token_events > 0));
    }
    return 0;
}
