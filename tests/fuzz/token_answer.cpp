// SPDX-License-Identifier: MIT
// Any answer of a tokenizing server is tokens, as many as it counts, or one line of error. First byte: how
// many texts were asked for.

#include <slo/tokens/server_form.hpp>

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

template <class Read>
void expect_value_or_line(const Read& read)
{
    try {
        read();
    } catch (const slo::InputError& error) {
        const std::string_view said = error.what();
        require(said.size() < 500 && said.find('\n') == std::string_view::npos);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace slo;
    if (size < 1)
        return 0;
    const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::size_t texts = data[0] % 8;
    expect_value_or_line([&] {
        const auto tokens = tokens::read_tokens(body);
        const auto answer = parse_json(body);
        require(answer.at("tokens").as_array().size() == tokens.size());
        const auto* count = find(answer.as_object(), "count");
        require(!count || as_number(count) == static_cast<double>(tokens.size()));
    });
    expect_value_or_line([&] { require(tokens::read_token_lists(body, texts).size() == texts); });
    expect_value_or_line([&] { require(parse_json(tokens::read_rendered(body)).is_string()); });
    return 0;
}
