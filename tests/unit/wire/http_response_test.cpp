// SPDX-License-Identifier: MIT
#include <slo/wire/http_response.hpp>

#define BOOST_TEST_MODULE wire_http_response
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

using namespace slo::wire;

namespace {

struct Sink {
    int heads = 0;
    int status = 0;
    std::string type;
    std::string retry_after;
    std::string text;
    std::size_t pieces = 0;
    std::size_t wanted = std::string::npos;

    void head(const HttpFields& fields)
    {
        ++heads;
        status = fields.status();
        type = fields.content_type();
        retry_after = fields.retry_after();
    }
    bool body(std::string_view piece)
    {
        BOOST_TEST(!piece.empty());
        ++pieces;
        text += piece;
        return text.size() <= wanted;
    }
};

struct Outcome {
    HttpResponseParser parser;
    Sink sink;
    std::size_t used = 0;
};

// The bytes in reads of `cut` bytes each.
Outcome parse(std::string_view bytes, std::size_t cut = std::string::npos)
{
    Outcome outcome;
    while (!bytes.empty()) {
        const auto read = bytes.substr(0, cut);
        const auto used = outcome.parser.feed(read, outcome.sink);
        outcome.used += used;
        if (used < read.size())
            break;
        bytes.remove_prefix(read.size());
    }
    return outcome;
}

HttpFault fault_of(std::string_view bytes)
{
    const auto whole = parse(bytes).parser.fault();
    BOOST_TEST((parse(bytes, 1).parser.fault() == whole));
    return whole;
}

const std::string ok = "HTTP/1.1 200 OK\r\n";
const std::string chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";

} // namespace

BOOST_AUTO_TEST_CASE(a_body_of_known_length)
{
    const auto got = parse(ok + "Content-Type: application/json \r\ncontent-length: 5\r\n\r\nhello");
    BOOST_TEST(got.parser.complete());
    BOOST_TEST(got.parser.keep_alive());
    BOOST_TEST(got.sink.heads == 1);
    BOOST_TEST(got.sink.status == 200);
    BOOST_TEST(got.sink.type == "application/json");
    BOOST_TEST(got.sink.text == "hello");
    BOOST_TEST(got.sink.pieces == 1U);
}

BOOST_AUTO_TEST_CASE(chunks_with_extensions_and_trailers)
{
    const auto body =
        chunked + "5;a=\"b;c\"\r\nhello\r\n0006 \r\n world\r\n0;last\r\nDigest: x\r\nY: z\r\n\r\n";
    const auto got = parse(body);
    BOOST_TEST(got.parser.complete());
    BOOST_TEST(got.parser.keep_alive());
    BOOST_TEST(got.sink.text == "hello world");
    BOOST_TEST(got.sink.pieces == 2U);
    BOOST_TEST(got.used == body.size());
}

BOOST_AUTO_TEST_CASE(cut_anywhere_is_the_same)
{
    const auto bytes = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" + chunked +
                       "a\r\n0123456789\r\n1A;x\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nT: t\r\n\r\n";
    for (std::size_t at = 0; at <= bytes.size(); ++at) {
        HttpResponseParser parser;
        Sink sink;
        parser.feed(std::string_view(bytes).substr(0, at), sink);
        BOOST_TEST(parser.complete() == (at == bytes.size()));
        parser.feed(std::string_view(bytes).substr(at), sink);
        BOOST_TEST(parser.complete());
        BOOST_TEST(sink.heads == 1);
        BOOST_TEST(sink.text == "0123456789abcdefghijklmnopqrstuvwxyz");
    }
    BOOST_TEST(parse(bytes, 1).parser.complete());
}

BOOST_AUTO_TEST_CASE(pieces_lie_where_they_were_read)
{
    struct Place {
        std::string_view piece;
        void head(const HttpFields&) {}
        bool body(std::string_view bytes)
        {
            piece = bytes;
            return true;
        }
    } place;
    const auto bytes = chunked + "3\r\nabc\r\n";
    HttpResponseParser parser;
    parser.feed(bytes, place);
    BOOST_TEST((place.piece.data() == bytes.data() + bytes.find("abc")));
}

BOOST_AUTO_TEST_CASE(without_a_length_the_close_is_the_end)
{
    auto got = parse(ok + "\r\nall that comes");
    BOOST_TEST(!got.parser.complete());
    BOOST_TEST(got.parser.end());
    BOOST_TEST(got.parser.complete());
    BOOST_TEST(!got.parser.keep_alive());
    BOOST_TEST(got.sink.text == "all that comes");
}

BOOST_AUTO_TEST_CASE(a_close_before_the_end_is_no_end)
{
    for (const auto& bytes : {std::string("HTT"), ok, ok + "Content-Le", ok + "Content-Length: 5\r\n\r\nhell",
                              chunked, chunked + "5\r\nhello", chunked + "5\r\nhello\r\n", chunked + "0\r\n"})
        BOOST_TEST(!parse(bytes).parser.end(), bytes);
}

BOOST_AUTO_TEST_CASE(these_have_no_body)
{
    for (const auto* head :
         {"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
          "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}) {
        const auto got = parse(head);
        BOOST_TEST(got.parser.complete());
        BOOST_TEST(got.sink.heads == 1);
        BOOST_TEST(got.sink.pieces == 0U);
    }
}

BOOST_AUTO_TEST_CASE(interim_answers_leave_nothing_behind)
{
    const auto got = parse("HTTP/1.1 103 Early\r\nContent-Length: 7\r\nConnection: close\r\n\r\n" + ok +
                           "Content-Length: 2\r\n\r\nab");
    BOOST_TEST(got.parser.complete());
    BOOST_TEST(got.parser.keep_alive());
    BOOST_TEST(got.sink.text == "ab");
}

BOOST_AUTO_TEST_CASE(who_may_be_asked_again)
{
    const auto again = [](const std::string& head) {
        return parse(head + "Content-Length: 0\r\n\r\n").parser.keep_alive();
    };
    BOOST_TEST(again(ok));
    BOOST_TEST(again(ok + "Connection: Keep-Alive\r\n"));
    BOOST_TEST(!again(ok + "Connection: close\r\n"));
    BOOST_TEST(!again(ok + "CONNECTION: x, CLOSE ,y\r\n"));
    BOOST_TEST(!again("HTTP/1.0 200 OK\r\n"));
    BOOST_TEST(again("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n"));
    BOOST_TEST(
        !parse(ok + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").parser.keep_alive());
}

BOOST_AUTO_TEST_CASE(a_bare_line_feed_ends_a_line)
{
    const auto got = parse("HTTP/1.1 200\nTransfer-Encoding: chunked\n\n3\nabc\n0\n\n");
    BOOST_TEST(got.parser.complete());
    BOOST_TEST(got.sink.text == "abc");
}

BOOST_AUTO_TEST_CASE(what_follows_the_answer_is_left)
{
    const auto got = parse(ok + "Content-Length: 2\r\n\r\nabHTTP/1.1 500");
    BOOST_TEST(got.parser.complete());
    BOOST_TEST(got.used == ok.size() + 21 + 2);
}

BOOST_AUTO_TEST_CASE(what_is_not_http)
{
    for (const std::string bytes :
         {"SSH-2.0-OpenSSH", "\r\nHTTP/1.1 200 OK\r\n", "HTTP/2 200 OK\r\n", "HTTP/1.1200 OK\r\n",
          "HTTP/1.1 20\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 -20 OK\r\n", "HTTP/1.1 099 OK\r\n",
          "HTTP/1.2 200 OK\r\n", "http/1.1 200 OK\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n", "\n",
          "<html>"})
        BOOST_TEST((fault_of(bytes) == HttpFault::not_http), bytes);
}

BOOST_AUTO_TEST_CASE(headers_that_are_refused)
{
    for (const std::string line :
         {" folded\r\n", "\tfolded\r\n", "no colon\r\n", ": no name\r\n", "blank : before\r\n"})
        BOOST_TEST((fault_of(ok + "A: b\r\n" + line) == HttpFault::bad_header), line);
    BOOST_TEST((fault_of(ok + std::string("A: b\0c\r\n", 8)) == HttpFault::bad_header));
}

BOOST_AUTO_TEST_CASE(lengths_that_are_refused)
{
    for (const std::string value : {"", "-1", "+5", "5x", "5 5", "0x5", "5, 6", "9223372036854775808",
                                    "99999999999999999999999", "5\r\nContent-Length: 6"}) {
        BOOST_TEST((fault_of(ok + "Content-Length: " + value + "\r\n\r\n") == HttpFault::bad_length), value);
    }
    for (const std::string value : {"5, 5", "5,", "5\r\nContent-Length: 5", "005", "9223372036854775807"})
        BOOST_TEST((fault_of(ok + "Content-Length: " + value + "\r\n\r\n") == HttpFault::none), value);
}

BOOST_AUTO_TEST_CASE(encodings_that_are_refused)
{
    for (const std::string value :
         {"gzip", "gzip, chunked", "chunked, chunked", "chunked\r\nTransfer-Encoding: chunked", "chunkedx"})
        BOOST_TEST((fault_of(ok + "Transfer-Encoding: " + value + "\r\n\r\n") == HttpFault::bad_encoding),
                   value);
    BOOST_TEST((fault_of(ok + "Transfer-Encoding: identity, Chunked\r\n\r\n0\r\n\r\n") == HttpFault::none));
}

BOOST_AUTO_TEST_CASE(chunks_that_are_refused)
{
    for (const std::string bytes :
         {"x\r\n", "\r\n", "-1\r\n", "+1\r\na", "0x1\r\n", "1g\r\n", "1\r\nab", "1\r\na\rb", "1\r\naa\r\n",
          "8000000000000000\r\n", "ffffffffffffffff\r\n", "10000000000000000\r\n", "00000000000000001\r\n",
          ";x\r\n"})
        BOOST_TEST((fault_of(chunked + bytes) == HttpFault::bad_chunk), bytes);
    BOOST_TEST((fault_of(chunked + "7fffffffffffffff\r\n") == HttpFault::none));
}

BOOST_AUTO_TEST_CASE(what_has_no_end_is_bounded)
{
    const std::string more(HttpResponseParser::max_head_bytes, 'x');
    BOOST_TEST((parse(ok + "A: " + more, 4096).parser.fault() == HttpFault::head_too_large));
    BOOST_TEST((parse("HTTP/1.1 200 " + more, 4096).parser.fault() == HttpFault::head_too_large));
    BOOST_TEST((parse(chunked + "0\r\nT: " + more, 4096).parser.fault() == HttpFault::head_too_large));
    std::string interim;
    while (interim.size() <= HttpResponseParser::max_head_bytes)
        interim += "HTTP/1.1 100 Continue\r\n\r\n";
    BOOST_TEST((parse(interim, 4096).parser.fault() == HttpFault::head_too_large));
    std::string lines = ok;
    while (lines.size() <= HttpResponseParser::max_head_bytes)
        lines += "A: b\r\n";
    BOOST_TEST((parse(lines, 4096).parser.fault() == HttpFault::head_too_large));
    const std::string extension(HttpChunks::max_line_bytes + 1, 'x');
    BOOST_TEST((parse(chunked + "1;" + extension, 4096).parser.fault() == HttpFault::bad_chunk));
}

BOOST_AUTO_TEST_CASE(a_sink_may_have_enough)
{
    HttpResponseParser parser;
    Sink sink;
    sink.wanted = 4;
    parser.feed(chunked + "3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n", sink);
    BOOST_TEST(parser.failed());
    BOOST_TEST((parser.fault() == HttpFault::refused));
    BOOST_TEST(sink.pieces == 2U);
}

BOOST_AUTO_TEST_CASE(reset_begins_anew)
{
    HttpResponseParser parser;
    Sink sink;
    parser.feed("HTTP/1.1 429 Slow down\r\nRetry-After: 3\r\nConnection: close\r\nTransfer-Encoding: "
                "chunked\r\n\r\nzz",
                sink);
    BOOST_TEST(parser.failed());
    BOOST_TEST(sink.retry_after == "3");
    parser.reset();
    BOOST_TEST(!parser.started());
    BOOST_TEST(!parser.failed());
    parser.feed(ok + "Content-Length: 1\r\n\r\na", sink);
    BOOST_TEST(parser.complete());
    BOOST_TEST(parser.keep_alive());
    BOOST_TEST(sink.retry_after == "");
}
