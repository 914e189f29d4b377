// SPDX-License-Identifier: MIT
#include <slo/net/curl_errors.hpp>

#define BOOST_TEST_MODULE net_curl_errors
#include <boost/test/unit_test.hpp>

using namespace slo::net;

BOOST_AUTO_TEST_CASE(faults_of_this_machine_are_told_apart)
{
    BOOST_TEST((ending_of(CURLE_COULDNT_CONNECT, EMFILE, false) == Ending::local));
    BOOST_TEST((ending_of(CURLE_COULDNT_CONNECT, EADDRNOTAVAIL, false) == Ending::local));
    BOOST_TEST((ending_of(CURLE_COULDNT_CONNECT, ECONNREFUSED, false) == Ending::connect));
    BOOST_TEST((ending_of(CURLE_COULDNT_CONNECT, ECONNREFUSED, true) == Ending::reset));
    BOOST_TEST((ending_of(CURLE_OUT_OF_MEMORY, 0, false) == Ending::local));
}

BOOST_AUTO_TEST_CASE(every_cause_has_its_ending)
{
    BOOST_TEST((ending_of(CURLE_COULDNT_RESOLVE_HOST, 0, false) == Ending::connect));
    BOOST_TEST((ending_of(CURLE_PEER_FAILED_VERIFICATION, 0, false) == Ending::tls));
    BOOST_TEST((ending_of(CURLE_OPERATION_TIMEDOUT, 0, true) == Ending::timeout));
    BOOST_TEST((ending_of(CURLE_RECV_ERROR, ECONNRESET, true) == Ending::reset));
    BOOST_TEST((ending_of(CURLE_GOT_NOTHING, 0, true) == Ending::reset));
    BOOST_TEST((ending_of(CURLE_PARTIAL_FILE, 0, true) == Ending::cut));
    BOOST_TEST((ending_of(CURLE_WEIRD_SERVER_REPLY, 0, true) == Ending::protocol));
}

BOOST_AUTO_TEST_CASE(the_same_cause_has_the_same_words)
{
    HttpLimits limits;
    limits.request_timeout_s = 2.5;
    const auto words = [&](CURLcode code, int os_error, bool sent, const char* detail) {
        return curl_message(code, os_error, sent, limits, detail);
    };
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
}
