// SPDX-License-Identifier: MIT
#include <slo/sim/request_parser.hpp>
#define BOOST_TEST_MODULE sim_request_parser
#include <boost/test/unit_test.hpp>

#include <boost/asio/buffer.hpp>

#include <string>
#include <string_view>

using namespace slo::sim;
using Progress = RequestParser::Progress;

namespace {

void append(boost::beast::flat_buffer& buffer, std::string_view text)
{
    buffer.commit(boost::asio::buffer_copy(buffer.prepare(text.size()), boost::asio::buffer(text)));
}

const std::string post = "POST /a HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello";

} // namespace

BOOST_AUTO_TEST_CASE(a_request_may_come_in_any_pieces)
{
    for (std::size_t size = 1; size <= post.size(); ++size) {
        RequestParser parser;
        parser.reset();
        boost::beast::flat_buffer buffer;
        auto progress = Progress::need_more;
        for (std::size_t at = 0; at < post.size(); at += size) {
            BOOST_TEST((progress == Progress::need_more));
            append(buffer, std::string_view(post).substr(at, size));
            progress = parser.feed(buffer);
        }
        BOOST_REQUIRE((progress == Progress::complete));
        BOOST_TEST(parser.request().body() == "hello");
        BOOST_TEST(parser.request().target() == "/a");
    }
}

BOOST_AUTO_TEST_CASE(what_follows_a_request_stays_in_the_buffer)
{
    RequestParser parser;
    boost::beast::flat_buffer buffer;
    append(buffer, post + post);
    for (int i = 0; i < 2; ++i) {
        parser.reset();
        BOOST_TEST((parser.feed(buffer) == Progress::complete));
    }
    BOOST_TEST(buffer.size() == 0u);
}

BOOST_AUTO_TEST_CASE(a_client_that_asks_is_told_once_to_go_on)
{
    RequestParser parser;
    parser.reset();
    boost::beast::flat_buffer buffer;
    append(buffer, "POST /a HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n");
    BOOST_TEST((parser.feed(buffer) == Progress::send_continue));
    append(buffer, "o");
    BOOST_TEST((parser.feed(buffer) == Progress::need_more));
    append(buffer, "k");
    BOOST_TEST((parser.feed(buffer) == Progress::complete));
}

BOOST_AUTO_TEST_CASE(everything_is_bounded)
{
    const auto refusal = [](const std::string& bytes) {
        RequestParser parser;
        parser.reset();
        boost::beast::flat_buffer buffer;
        append(buffer, bytes);
        BOOST_TEST((parser.feed(buffer) == Progress::refused));
        return parser.status();
    };
    BOOST_TEST(refusal("no HTTP at all\r\n\r\n") == 400);
    BOOST_TEST(refusal("GET / HTTP/1.1\r\nX: " + std::string(40000, 'a') + "\r\n\r\n") == 431);
    BOOST_TEST(refusal("POST / HTTP/1.1\r\nContent-Length: 67108865\r\n\r\n") == 413);
    BOOST_TEST(refusal("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n") == 400);
    BOOST_TEST(refusal("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n") == 400);
}
