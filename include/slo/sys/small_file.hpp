// SPDX-License-Identifier: MIT
// The small files by which the kernel tells its state.

#ifndef SLO_SYS_SMALL_FILE_HPP
#define SLO_SYS_SMALL_FILE_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::sys {

/// The text of a small file, at most its first 64 KiB; nothing where it is not there or cannot be read.
inline std::optional<std::string> small_file(const std::string& path)
{
    constexpr std::size_t most = 65536;
    try {
        const auto fd = io::open_input_at_once(path);
        std::string text;
        std::array<char, 4096> block;
        while (text.size() < most) {
            const auto got = io::read_some(fd, block.data(), block.size(), path);
            if (got == 0)
                break;
            text.append(block.data(), got);
        }
        return text;
    } catch (const IoError&) {
        return std::nullopt;
    }
}

/// Its first line without white space around it, fit for a message; nothing where there is none.
inline std::optional<std::string> small_file_line(const std::string& path)
{
    const auto text = small_file(path);
    if (!text)
        return std::nullopt;
    const auto line = trim(std::string_view(*text).substr(0, text->find('\n')));
    return line.empty() ? std::nullopt : std::optional(printable(line));
}

/// Its first line as a number.
template <std::integral Int>
std::optional<Int> small_file_integer(const std::string& path)
{
    const auto line = small_file_line(path);
    return line ? parse_integer<Int>(*line) : std::nullopt;
}

/// Its first line as a hexadecimal number, with or without 0x.
inline std::optional<std::uint32_t> small_file_hex(const std::string& path)
{
    const auto line = small_file_line(path);
    if (!line)
        return std::nullopt;
    const auto digits = std::string_view(*line).substr(line->starts_with("0x") ? 2 : 0);
    std::uint32_t value = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    const bool whole = result.ec == std::errc{} && result.ptr == digits.data() + digits.size();
    return whole ? std::optional(value) : std::nullopt;
}

/// The words of a text, split at white space.
inline std::vector<std::string_view> words(std::string_view text)
{
    constexpr std::string_view blanks = " \t\r\n";
    std::vector<std::string_view> found;
    for (;;) {
        text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
        if (text.empty())
            return found;
        found.push_back(text.substr(0, text.find_first_of(blanks)));
        text.remove_prefix(found.back().size());
    }
}

/// The numbers of a list such as "0-3,8,10-11"; empty where it is malformed or names one above 65535.
inline std::vector<int> number_list(std::string_view text)
{
    constexpr std::size_t most = 65535;
    std::vector<int> numbers;
    for (text = trim(text); !text.empty();) {
        const auto end = std::min(text.find(','), text.size());
        const auto part = text.substr(0, end);
        const auto dash = part.find('-');
        const auto first = parse_integer<int>(part.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : parse_integer<int>(part.substr(dash + 1));
        if (!first || !last || *first < 0 || *last < *first || *last > static_cast<int>(most))
            return {};
        if (numbers.size() > most) // an honest list names none twice
            return {};
        for (int number = *first; number <= *last; ++number)
            numbers.push_back(number);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return numbers;
}

} // namespace slo::sys

#endif
