// SPDX-License-Identifier: MIT
// Any response gives a verdict, figures that make sense, and the same ones whether each event is parsed or
// read by its form. First byte: status, content type and size of the reads.

#include <slo/wire/answer_reader.hpp>

#include "../support/answer_text.hpp"

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
    const auto read = [&](slo::wire::Answer::Scanning scanning) {
        return tests::read_answer(body, (data[0] >> 3) * std::size_t{8} + 1, data[0] & 4 ? 503 : 200,
                                  types[data[0] & 3], 4096, scanning);
    };
    const auto reader = read(slo::wire::Answer::Scanning::templates);
    require(tests::text_of_answer(reader) == tests::text_of_answer(read(slo::wire::Answer::Scanning::parse)));

    const auto& answer = reader.answer();
    require((answer.outcome() == slo::wire::Outcome::ok) == answer.error_text().empty());
    require(reader.error_text().size() < 500 && slo::is_utf8(reader.error_text()));
    require(answer.output_tokens() >= 0 && answer.content_chars() >= 0 && answer.reasoning_chars() >= 0);
    require(answer.first_token_s().has_value() == answer.last_token_s().has_value());
    require(answer.first_token_s().has_value() == (answer.has_text() && answer.streamed()));
    require(!answer.first_token_s() || *answer.first_token_s() <= *answer.last_token_s());
    for (const double gap_ms : answer.itl_ms())
        require(std::isfinite(gap_ms) && gap_ms >= 0);
    int previous = -1;
    for (const auto& choice : answer.choices()) {
        require(choice.index > previous);
        previous = choice.index;
        require(answer.tokens_of(choice) >= 0 &&
                choice.first_token_s.has_value() == (choice.token_events > 0 && answer.streamed()));
    }
    return 0;
}
