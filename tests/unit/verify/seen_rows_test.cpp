// SPDX-License-Identifier: MIT
// Digests against published values, and a table that grows.

#include <slo/verify/seen_rows.hpp>

#define BOOST_TEST_MODULE verify_seen_rows
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>

using namespace slo::verify;

namespace {

std::string hex(const Digest128& digest)
{
    std::string text;
    for (const auto half : digest) {
        for (int shift = 60; shift >= 0; shift -= 4)
            text += "0123456789abcdef"[half >> shift & 15];
    }
    return text;
}

} // namespace

BOOST_AUTO_TEST_CASE(published_digests)
{
    BOOST_TEST(hex(murmur3_128("")) == "00000000000000000000000000000000");
    BOOST_TEST(hex(murmur3_128("hello")) == "cbd8a7b341bd9b025b1e906a48ae1d19");
    BOOST_TEST(hex(murmur3_128("The quick brown fox jumps over the lazy dog")) ==
               "e34bbc7bbc071b6c7a433ca9c49a9347");
}

BOOST_AUTO_TEST_CASE(every_byte_and_the_length_count)
{
    SeenRows seen;
    std::string text(40, '\0');
    BOOST_TEST(!seen.first_line(murmur3_128(text), 1));
    for (std::size_t length = 0; length < text.size(); ++length)
        BOOST_TEST(!seen.first_line(murmur3_128(text.substr(0, length)), 2));
    for (auto& byte : text) {
        byte = 1;
        BOOST_TEST(!seen.first_line(murmur3_128(text), 3));
        byte = 0;
    }
    BOOST_TEST(seen.size() == 81U);
}

BOOST_AUTO_TEST_CASE(the_first_line_is_kept_as_the_table_grows)
{
    SeenRows seen;
    constexpr std::size_t rows = 20000;
    for (std::size_t i = 1; i <= rows; ++i)
        BOOST_REQUIRE(!seen.first_line(murmur3_128(std::to_string(i)), i));
    for (std::size_t i = 1; i <= rows; ++i)
        BOOST_REQUIRE(seen.first_line(murmur3_128(std::to_string(i)), rows + i) == i);
    BOOST_TEST(seen.size() == rows);
}

BOOST_AUTO_TEST_CASE(contents_of_one_place_are_told_apart)
{
    // The same first 32 bits, at the very end of the table: probing goes on at its front.
    SeenRows seen;
    for (std::uint64_t i = 0; i < 100; ++i)
        BOOST_TEST(!seen.first_line({0xffffffffULL << 32 | i, i}, i + 1));
    for (std::uint64_t i = 0; i < 100; ++i)
        BOOST_TEST(seen.first_line({0xffffffffULL << 32 | i, i}, 7).value() == i + 1);
}

BOOST_AUTO_TEST_CASE(lines_beyond_32_bits)
{
    SeenRows seen;
    BOOST_TEST(!seen.first_line({1, 1}, std::size_t{1} << 40));
    BOOST_TEST(seen.first_line({1, 1}, 1).value() == 0xffffffffU);
}

BOOST_AUTO_TEST_CASE(payloads)
{
    struct Count {
        int count = 0;
    };
    DigestTable<Count> table;
    BOOST_TEST(table.insert({1, 2}, 3, {5}).second);
    ++table.insert({1, 2}, 4, {9}).first->count;
    const auto [entry, is_new] = table.insert({1, 2}, 5, {9});
    BOOST_TEST(!is_new);
    BOOST_TEST(entry->count == 6);
    BOOST_TEST(entry->line == 3U);
}
