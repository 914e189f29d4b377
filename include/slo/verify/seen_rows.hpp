// SPDX-License-Identifier: MIT
// Which rows had a content first, in 16 bytes a row.

#ifndef SLO_VERIFY_SEEN_ROWS_HPP
#define SLO_VERIFY_SEEN_ROWS_HPP

#include <slo/base/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

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

/// Contents by their digests, each with the line on which it stood first and a `Payload`. An entry holds 96
/// bits of the digest and 32 of the line, 16 bytes before the payload; two different contents among n are
/// taken for equal with odds of n² / 2^97: 6 in 10^16 for ten million. Open addressing with linear probing,
/// at most four fifths full: one cache line a look-up.
template <class Payload>
class DigestTable {
public:
    struct Entry : Payload {
        std::uint32_t high = 0;
        std::uint32_t middle = 0;
        std::uint32_t low = 0;
        std::uint32_t line = 0; ///< 1-based; 2^32 - 1 for all from there on; 0 in an empty place

        friend bool is_same_content(const Entry& a, const Entry& b) noexcept
        {
            return a.high == b.high && a.middle == b.middle && a.low == b.low;
        }
    };

    /// The entry of a content, and whether it is new; a new one has this line and payload. Valid until the
    /// next call.
    std::pair<Entry*, bool> insert(const Digest128& content, std::size_t line, const Payload& payload)
    {
        if (size_ * 5 >= places_.size() * 4)
            grow();
        constexpr std::size_t last_line = std::numeric_limits<std::uint32_t>::max();
        Entry entry{payload};
        entry.high = static_cast<std::uint32_t>(content[0] >> 32);
        entry.middle = static_cast<std::uint32_t>(content[0]);
        entry.low = static_cast<std::uint32_t>(content[1]);
        entry.line = static_cast<std::uint32_t>(std::min(line, last_line));
        auto& place = place_of(entry);
        const bool is_new = place.line == 0;
        if (is_new) {
            place = entry;
            ++size_;
        }
        return {&place, is_new};
    }

    /// Contents so far.
    std::size_t size() const noexcept { return size_; }

private:
    // Where the content is, or is to be. Places lie in the order of the digests, so that growing goes through
    // old and new ones from front to back.
    Entry& place_of(const Entry& entry) noexcept
    {
        auto at = static_cast<std::size_t>(std::uint64_t{entry.high} * places_.size() >> 32);
        while (places_[at].line != 0 && !is_same_content(places_[at], entry)) {
            if (++at == places_.size())
                at = 0;
        }
        return places_[at];
    }

    void grow()
    {
        if (places_.size() == most_places)
            throw Error("more than 3 billion different rows");
        std::vector<Entry> old(std::min(std::max<std::size_t>(places_.size() * 3 / 2, 64), most_places));
        old.swap(places_);
        for (const auto& entry : old) {
            if (entry.line != 0)
                place_of(entry) = entry;
        }
    }

    // What 32 bits of a digest can tell apart.
    static constexpr std::size_t most_places = std::size_t{1} << 32;

    std::vector<Entry> places_;
    std::size_t size_ = 0;
};

/// Remembers on which line each content stood first.
class SeenRows {
public:
    /// The line that had this content before; nothing where it is new, and kept.
    std::optional<std::size_t> first_line(const Digest128& content, std::size_t line)
    {
        const auto [entry, is_new] = table_.insert(content, line, {});
        return is_new ? std::nullopt : std::optional<std::size_t>(entry->line);
    }

    /// Different contents so far.
    std::size_t size() const noexcept { return table_.size(); }

private:
    struct Nothing {};

    DigestTable<Nothing> table_;
};

} // namespace slo::verify

#endif
