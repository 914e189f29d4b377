// SPDX-License-Identifier: MIT
// PCI addresses, the state of a PCI Express link, and its error counters, as the kernel writes them.

#ifndef SLO_WIRE_PCIE_HPP
#define SLO_WIRE_PCIE_HPP

#include <slo/base/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::wire {

namespace detail {

inline std::optional<unsigned> hex_number(std::string_view text, std::size_t most_digits,
                                          unsigned greatest) noexcept
{
    unsigned value = 0;
    const auto* end = text.data() + text.size();
    if (text.empty() || text.size() > most_digits)
        return std::nullopt;
    const auto result = std::from_chars(text.data(), end, value, 16);
    if (result.ec != std::errc{} || result.ptr != end || value > greatest)
        return std::nullopt;
    return value;
}

} // namespace detail

/// A PCI address as sysfs names it, "0000:c1:00.0", from any of the forms in use: "00000000:C1:00.0",
/// "C1:00.0", "PCI:0000:01:00", "GPU0000:81:00.0"; nothing for what is no address. The domain has at least
/// four digits, and more where it needs them.
inline std::optional<std::string> pci_address(std::string_view text)
{
    text = trim(text);
    for (const std::string_view prefix : {"PCI:", "GPU"}) {
        if (text.starts_with(prefix))
            text = trim(text.substr(prefix.size()));
    }
    const auto last = text.rfind(':');
    if (last == std::string_view::npos)
        return std::nullopt;
    auto slot = text.substr(last + 1);
    auto rest = text.substr(0, last);
    // A driver's message may leave out the function, or the device of a root complex's only card.
    const bool short_form = slot.find('.') == std::string_view::npos;
    const auto dot = short_form ? slot.size() : slot.find('.');
    const auto device = detail::hex_number(slot.substr(0, dot), 2, 0x1F);
    const auto function = short_form ? std::optional(0u) : detail::hex_number(slot.substr(dot + 1), 1, 7);
    const auto colon = rest.rfind(':');
    const auto bus =
        detail::hex_number(colon == std::string_view::npos ? rest : rest.substr(colon + 1), 2, 0xFF);
    const auto domain = colon == std::string_view::npos
                            ? std::optional(0u)
                            : detail::hex_number(rest.substr(0, colon), 8, 0xFFFFFFFF);
    if (!device || !function || !bus || !domain)
        return std::nullopt;
    std::array<char, 32> address{};
    const int length =
        std::snprintf(address.data(), address.size(), "%04x:%02x:%02x.%x", *domain, *bus, *device, *function);
    return std::string(address.data(), static_cast<std::size_t>(length));
}

/// The generation of a link speed in GT/s ("32.0 GT/s PCIe" is 5); nothing for "Unknown" and what is none.
/// PCI Express Base Specification: 2.5, 5, 8, 16, 32, 64, 128 GT/s.
inline std::optional<int> pcie_generation(std::string_view speed) noexcept
{
    constexpr std::array<double, 7> speeds_gt_s{2.5, 5, 8, 16, 32, 64, 128};
    speed = trim(speed);
    const auto value = parse_double(speed.substr(0, speed.find(' ')));
    const auto found = std::find(speeds_gt_s.begin(), speeds_gt_s.end(), value.value_or(0));
    if (found == speeds_gt_s.end())
        return std::nullopt;
    return static_cast<int>(found - speeds_gt_s.begin()) + 1;
}

/// Whether a link can have so many lanes (PCI Express Base Specification).
constexpr bool is_pcie_width(int lanes) noexcept
{
    constexpr std::array<int, 7> widths{1, 2, 4, 8, 12, 16, 32};
    return std::find(widths.begin(), widths.end(), lanes) != widths.end();
}

/// A count of lanes; nothing for 0 and 255, by which the kernel says that there is no link, and for what no
/// link can have.
inline std::optional<int> pcie_width(std::string_view lanes) noexcept
{
    const auto width = parse_integer<int>(trim(lanes));
    return width && is_pcie_width(*width) ? width : std::nullopt;
}

/// One end of a link: generation and lanes, now and at most; nothing where unknown.
struct PcieLink {
    std::optional<int> gen, gen_max, width, width_max;
};

/// Errors counted by the hardware (Advanced Error Reporting) since boot; nothing where unknown.
struct AerCounters {
    std::optional<std::uint64_t> correctable, nonfatal, fatal;

    /// Adds what is known of another device; unknown and known is known.
    void add(const AerCounters& other) noexcept
    {
        const auto sum = [](std::optional<std::uint64_t>& mine, const std::optional<std::uint64_t>& theirs) {
            if (theirs)
                mine = mine.value_or(0) + std::min(*theirs, UINT64_MAX - mine.value_or(0));
        };
        sum(correctable, other.correctable);
        sum(nonfatal, other.nonfatal);
        sum(fatal, other.fatal);
    }
};

/// The count in a file aer_dev_correctable, aer_dev_nonfatal or aer_dev_fatal: its TOTAL line, else the sum
/// of its lines "NAME COUNT"; nothing for a file in which no line is one.
inline std::optional<std::uint64_t> aer_count(std::string_view text) noexcept
{
    std::optional<std::uint64_t> sum;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = trim(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto blank = line.find_last_of(" \t");
        const auto count = blank == std::string_view::npos
                               ? std::nullopt
                               : parse_integer<std::uint64_t>(line.substr(blank + 1));
        if (!count)
            continue;
        if (line.starts_with("TOTAL"))
            return count;
        sum = sum.value_or(0) + std::min(*count, UINT64_MAX - sum.value_or(0));
    }
    return sum;
}

/// A device between a card and its root complex, the card itself included.
struct PcieHop {
    std::string at; ///< its PCI address
    PcieLink link;
    AerCounters aer;
};

} // namespace slo::wire

#endif
