// SPDX-License-Identifier: MIT
// NVIDIA's Xid messages in the kernel log.

#ifndef SLO_WIRE_XID_HPP
#define SLO_WIRE_XID_HPP

#include <slo/base/text.hpp>
#include <slo/wire/pcie.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace slo::wire {

/// One report of the driver about a card.
struct Xid {
    std::string at; ///< PCI address of the card
    int number = 0;
    std::string text; ///< what follows the number, fit for one line
};

/// Reads a line of the kernel log, be it of /dev/kmsg ("4,2101,7201,-;NVRM: Xid (PCI:0000:01:00): 79, …"), of
/// dmesg or of a journal; nothing where it is no Xid.
inline std::optional<Xid> parse_xid(std::string_view line)
{
    constexpr std::string_view mark = "NVRM: Xid (";
    constexpr std::size_t longest_text = 160;
    const auto begin = line.find(mark);
    if (begin == std::string_view::npos)
        return std::nullopt;
    line.remove_prefix(begin + mark.size());
    const auto close = line.find("):");
    if (close == std::string_view::npos)
        return std::nullopt;
    auto at = pci_address(line.substr(0, close));
    const auto rest = trim(line.substr(close + 2));
    const auto comma = std::min(rest.find(','), rest.size());
    const auto number = parse_integer<int>(rest.substr(0, comma));
    if (!at || !number || *number < 0)
        return std::nullopt;
    const auto text = comma < rest.size() ? trim(rest.substr(comma + 1)) : std::string_view();
    return Xid{std::move(*at), *number, printable(text, longest_text)};
}

/// True for an Xid that a faulty program can cause on a sound card (NVIDIA's catalogue of Xid errors).
constexpr bool is_application_xid(int number) noexcept
{
    constexpr std::array<int, 8> numbers{8, 13, 31, 43, 45, 68, 69, 137};
    return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

} // namespace slo::wire

#endif
