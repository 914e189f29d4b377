// SPDX-License-Identifier: MIT
#include <slo/wire/http_chunks.hpp>

#define BOOST_TEST_MODULE wire_http_chunks
#include <boost/test/unit_test.hpp>

#include <string>

using slo::wire::HttpChunks;

namespace {

// The data, "…" where more has to come, "!" where the framing is broken, and what is left of the bytes.
std::string read(std::string_view bytes, std::size_t cut = std::string::npos)
{
    HttpChunks chunks;
    chunks.begin();
    std::string data;
    while (!bytes.empty() && !chunks.ended() && !chunks.failed()) {
        auto piece = bytes.substr(0, cut);
        const auto size = piece.size();
        while (!piece.empty() && !chunks.ended() && !chunks.failed())
            data += chunks.take(piece);
        bytes.remove_prefix(size - piece.size());
    }
    if (chunks.failed())
        return data + '!';
    return chunks.ended() ? data + '|' + std::string(bytes) : data + "...";
}

} // namespace

BOOST_AUTO_TEST_CASE(data_is_what_stands_between_the_framing)
{
    const std::string whole =
        "5;a=\"b\"\r\nhello\r\n0001 \r\n!\n1a\nabcdefghijklmnopqrstuvwxyz\r\n0;x\r\nTrailer";
    for (std::size_t cut = 1; cut <= whole.size(); ++cut)
        BOOST_TEST(read(whole, cut) == "hello!abcdefghijklmnopqrstuvwxyz|Trailer");
    BOOST_TEST(read("0\n") == "|");
    BOOST_TEST(read("A\r\n\r\n0\r\n0\r\n") == "\r\n0\r\n0\r\n...");
}

BOOST_AUTO_TEST_CASE(what_is_cut_off_waits_for_more)
{
    for (const auto* bytes : {"5", "5\r", "5;x", "5\r\n"})
        BOOST_TEST(read(bytes) == "...");
    BOOST_TEST(read("5\r\nhello\r\n") == "hello...");
    BOOST_TEST(read("5\r\nhello\r") == "hello...");
}

BOOST_AUTO_TEST_CASE(broken_framing_is_told)
{
    for (const auto* bytes : {"\r\n", "x\r\n", "-1\r\n", "5x\r\n", "ffffffffffffffff\r\n",
                              "8000000000000000\r\n", "00000000000000001\r\n"})
        BOOST_TEST(read(bytes) == "!", bytes);
    BOOST_TEST(read("7fffffffffffffff\r\n") == "...");
    BOOST_TEST(read("1\r\nab\r\n") == "a!");
    BOOST_TEST(read("1\r\na\r\r\n") == "a!");
}

BOOST_AUTO_TEST_CASE(a_line_has_a_bound)
{
    const std::string fits(HttpChunks::max_line_bytes - 2, ';');
    BOOST_TEST(read("0" + fits + "\r\n") == "|");
    for (const std::size_t cut : {std::string::npos, std::size_t{7}})
        BOOST_TEST(read("0;" + fits + "\r\n", cut) == "!");
}
