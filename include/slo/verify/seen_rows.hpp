// SPDX-License-Identifier: MIT
// Which rows had a content first, in 16 bytes a row.

#ifndef SLO_VERIFY_SEEN_ROWS_HPP
#define SLO_VERIFY_SEEN_ROWS_HPP

#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

namespace slo::verify {

/// A digest of 128 bits: not for security, but no accident makes two contents equal.
using Digest128 = std::array<std::uint64_t, 2>;

namespace detail {

constexpr std::uint64_t murmur_c1 = 0x87c37b91114253d5ULL;
constexpr std::uint64_t murmur_c2 = 0x4cf5ad432745937fULL;

constexpr std::uint64_t murmur_mix_first(std::uint64_t k) noexcept
{
    return std::rotl(k * murmur_c1, 31) * murmur_c2;
}

constexpr std::uint64_t murmur_mix_second(std::uint64_t k) noexcept
{
    return std::rotl(k * murmur_c2, 33) * murmur_c1;
}

constexpr std::uint64_t murmur_finish(std::uint64_t k) noexcept
{
    k = (k ^ (k >> 33)) * 0xff51afd7ed558ccdULL;
    k = (k ^ (k >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return k ^ (k >> 33);
}

inline std::uint64_t little_endian_64(const char* bytes) noexcept
{
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, sizeof value);
    if constexpr (std::endian::native == std::endian::big)
        value = __builtin_bswap64(value);
    return value;
}

} // namespace detail

/// MurmurHash3 of Austin Appleby, the form for 64-bit machines with 128 bits, seed 0.
inline Digest128 murmur3_128(std::string_view text) noexcept
{
    using namespace detail;
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    auto rest = text;
    for (; rest.size() >= 16; rest.remove_prefix(16)) {
        first ^= murmur_mix_first(little_endian_64(rest.data()));
        first = (std::rotl(first, 27) + second) * 5 + 0x52dce729;
        second ^= murmur_mix_second(little_endian_64(rest.data() + 8));
        second = (std::rotl(second, 31) + first) * 5 + 0x38495ab5;
    }
    if (!rest.empty()) {
        // Zeros add nothing to either half.
        std::array<char, 16> last{};
        std::copy(rest.begin(), rest.end(), last.begin());
        second ^= murmur_mix_second(little_endian_64(last.data() + 8));
        first ^= murmur_mix_first(little_endian_64(last.data()));
    }
    first ^= text.size();
    second ^= text.size();
    first += second;
    second += first;
    first = murmur_finish(first);
    second = murmur_finish(second);
    first += second;
    second += first;
    return {first, second};
}

/// Remembers for each content the line on which it stood first: 96 bits of its digest and 32 bits for the
/// line, 16 bytes in all. Among n rows of different content two are taken for equal with odds of n² / 2^97:
/// 6 in 10^16 for ten million rows.
class SeenRows {
public:
    /// The line that had this content before, or nothing where it is new, and kept. Lines above 2^32 - 1 are
    /// told as that.
    std::optional<std::size_t> first_line(const Digest128& content, std::size_t line)
    {
        constexpr std::size_t last = std::numeric_limits<std::uint32_t>::max();
        const auto [entry, is_new] = entries_.insert(
            {static_cast<std::uint32_t>(content[0] >> 32), static_cast<std::uint32_t>(content[0]),
             static_cast<std::uint32_t>(content[1]), static_cast<std::uint32_t>(std::min(line, last))});
        return is_new ? std::nullopt : std::optional<std::size_t>(entry->line);
    }

    /// Different contents so far.
    std::size_t size() const noexcept { return entries_.size(); }

private:
    struct Entry {
        std::uint32_t high;
        std::uint32_t middle;
        std::uint32_t low;
        std::uint32_t line;

        friend bool operator==(const Entry& a, const Entry& b) noexcept
        {
            return a.high == b.high && a.middle == b.middle && a.low == b.low;
        }
    };

    struct EntryHash {
        std::size_t operator()(const Entry& entry) const noexcept
        {
            return std::size_t{entry.high} << 32 | entry.middle;
        }
    };

    boost::unordered_flat_set<Entry, EntryHash> entries_;
};

} // namespace slo::verify

#endif
