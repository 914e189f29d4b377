// SPDX-License-Identifier: MIT
#include <slo/net/curl_errors.hpp>

#define BOOST_TEST_MODULE net_curl_errors
#include <boost/test/unit_test.hpp>

#include <cerrno>
#include <cstdlib>
#include <string>

using namespace slo::net;

namespace {

Ending ending(CURLcode code, int os_error, bool sent)
{
    return ending_of({code, os_error, sent});
}

CurlFailure told(CURLcode code, bool sent, const char* detail)
{
    CurlFailure failure{code, 0, sent};
    failure.detail = detail;
    return failure;
}

std::string words(CURLcode code, int os_error, bool sent, const char* detail)
{
    HttpLimits limits;
    limits.request_timeout_s = 2.5;
    return message_of({code, os_error, sent, 0, 0, detail}, limits);
}

// Sets the proxy for all of a test.
struct WithProxy {
    WithProxy()
    {
        for (const char* name : {"http_proxy", "https_proxy"})
            ::setenv(name, "http://me:secret@proxy.invalid:3128/", 1);
        ::setenv("no_proxy", "near.invalid", 1);
    }
    ~WithProxy()
    {
        for (const char* name : {"http_proxy", "https_proxy", "no_proxy"})
            ::unsetenv(name);
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(faults_of_this_machine_are_told_apart)
{
    BOOST_TEST((ending(CURLE_COULDNT_CONNECT, EMFILE, false) == Ending::local));
    BOOST_TEST((ending(CURLE_COULDNT_CONNECT, EMFILE, true) == Ending::local));
    BOOST_TEST((ending(CURLE_COULDNT_CONNECT, EADDRNOTAVAIL, false) == Ending::local));
    BOOST_TEST((ending(CURLE_COULDNT_CONNECT, ECONNREFUSED, false) == Ending::connect));
    BOOST_TEST((ending(CURLE_COULDNT_CONNECT, ECONNREFUSED, true) == Ending::reset));
    BOOST_TEST((ending(CURLE_OUT_OF_MEMORY, 0, false) == Ending::local));
}

BOOST_AUTO_TEST_CASE(every_cause_has_its_ending)
{
    BOOST_TEST((ending(CURLE_COULDNT_RESOLVE_HOST, 0, false) == Ending::connect));
    BOOST_TEST((ending(CURLE_PEER_FAILED_VERIFICATION, 0, false) == Ending::tls));
    BOOST_TEST((ending(CURLE_OPERATION_TIMEDOUT, 0, true) == Ending::timeout));
    BOOST_TEST((ending(CURLE_RECV_ERROR, ECONNRESET, true) == Ending::reset));
    BOOST_TEST((ending(CURLE_GOT_NOTHING, 0, true) == Ending::reset));
    BOOST_TEST((ending(CURLE_PARTIAL_FILE, 0, true) == Ending::cut));
    BOOST_TEST((ending(CURLE_WEIRD_SERVER_REPLY, 0, true) == Ending::protocol));
    BOOST_TEST((ending(CURLE_HTTP2_STREAM, 0, true) == Ending::reset));
    BOOST_TEST((ending(CURLE_HTTP2, 0, true) == Ending::protocol));
}

BOOST_AUTO_TEST_CASE(the_same_cause_has_the_same_words)
{
    BOOST_TEST(words(CURLE_OPERATION_TIMEDOUT, 0, true, "Operation timed out after 2501 ms") ==
               "no whole answer within 2.5 s");
    BOOST_TEST(words(CURLE_OPERATION_TIMEDOUT, 0, false, "") == "no connection within 30.0 s");
    BOOST_TEST(words(CURLE_PARTIAL_FILE, 0, true, "transfer closed with 12 bytes remaining") ==
               "the connection was closed before the end of the answer");
    BOOST_TEST(
        words(CURLE_COULDNT_CONNECT, ECONNREFUSED, false, "Failed to connect to h port 1 after 3 ms: x") ==
        "Failed to connect to h port 1: Connection refused");
    BOOST_TEST(words(CURLE_SSL_CONNECT_ERROR, 0, false, "bad\nhandshake") == "bad?handshake");
    BOOST_TEST(words(CURLE_RECV_ERROR, 0, true, "") == "Failure when receiving data from the peer");
    BOOST_TEST(words(CURLE_HTTP2_STREAM, 0, true,
                     "HTTP/2 stream 17 was not closed cleanly: INTERNAL_ERROR (err 2)") ==
               "HTTP/2 stream was not closed cleanly: INTERNAL_ERROR (err 2)");
    BOOST_TEST(words(CURLE_RECV_ERROR, 0, true, "getpeername() failed with errno 107: Transport endpoint") ==
               "Failure when receiving data from the peer");
    BOOST_TEST(words(CURLE_HTTP2_STREAM, 0, true, "HTTP/2 stream 1") == "HTTP/2 stream");
}

BOOST_AUTO_TEST_CASE(tls_is_to_blame_where_the_server_says_so_only_when_read_from)
{
    const auto alert = told(CURLE_RECV_ERROR, true,
                            "OpenSSL SSL_read: OpenSSL/3.0.9: error:0A00045C:SSL routines::tlsv13 alert "
                            "certificate required, errno 0");
    BOOST_TEST((ending_of(alert) == Ending::tls));
    BOOST_TEST(message_of(alert, {}) == "TLS: tlsv13 alert certificate required");
    const auto eof = told(CURLE_RECV_ERROR, true,
                          "OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading, "
                          "errno 0");
    BOOST_TEST((ending_of(eof) == Ending::reset));
    const auto plain = told(CURLE_SSL_CONNECT_ERROR, false,
                            "OpenSSL/3.0.9: error:0A00010B:SSL routines::wrong version number");
    BOOST_TEST(message_of(plain, {}) == "what answers does not speak TLS");
}

BOOST_AUTO_TEST_CASE(a_malformed_chunk_is_no_broken_connection)
{
    const auto chunk =
        told(CURLE_RECV_ERROR, true, "Illegal or missing hexadecimal sequence in chunked-encoding");
    BOOST_TEST((ending_of(chunk) == Ending::protocol));
    BOOST_TEST(message_of(chunk, {}) == malformed_chunk);
}

BOOST_AUTO_TEST_CASE(a_head_without_end_is_the_servers_fault)
{
    const auto head = told(CURLE_RECV_ERROR, true, "Too large response headers: 307223 > 307200");
    BOOST_TEST((ending_of(head) == Ending::protocol));
    BOOST_TEST(message_of(head, {}) == "the head of the answer is too large");
    const CurlFailure line{CURLE_OUT_OF_MEMORY, 0, true, 200};
    BOOST_TEST((ending_of(line) == Ending::protocol));
    BOOST_TEST(message_of(line, {}) == message_of(head, {}));
}

BOOST_FIXTURE_TEST_CASE(a_proxy_in_the_way_is_named_without_its_password, WithProxy)
{
    CurlFailure failure{CURLE_COULDNT_CONNECT, ECONNREFUSED, false};
    failure.url = "http://far.invalid/v1";
    BOOST_TEST(
        message_of(failure, {}) ==
        "Failed to connect: Connection refused (the way goes through the proxy http://proxy.invalid:3128)");
    CurlFailure odd{CURLE_COULDNT_RESOLVE_PROXY};
    odd.detail = "Unsupported proxy syntax in 'http://me:secret@proxy.invalid:3128/'";
    odd.url = failure.url;
    BOOST_TEST(message_of(odd, {}) ==
               "Unsupported proxy (the way goes through the proxy http://proxy.invalid:3128)");
    failure.url = "https://near.invalid/v1";
    BOOST_TEST(message_of(failure, {}).find("proxy") == std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(what_a_proxy_refuses_is_a_connection_not_made, WithProxy)
{
    CurlFailure failure{CURLE_RECV_ERROR, 0, false};
    failure.url = "https://far.invalid/v1";
    failure.connect_status = 403;
    BOOST_TEST((ending_of(failure) == Ending::connect));
    BOOST_TEST(message_of(failure, {}) == "the proxy http://proxy.invalid:3128 opens no tunnel (status 403)");
    failure.connect_status = 407;
    BOOST_TEST(message_of(failure, {}) ==
               "the proxy http://proxy.invalid:3128 wants another user name and password (status 407)");
    CurlFailure answered{CURLE_OK, 0, true, 407};
    answered.url = "http://far.invalid/v1";
    BOOST_TEST((ending_of(answered) == Ending::connect));
    BOOST_TEST(message_of(answered, {}) == message_of(failure, {}));
    failure.connect_status = 0;
    BOOST_TEST((ending_of(failure) == Ending::connect));
}
