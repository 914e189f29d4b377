// SPDX-License-Identifier: MIT
#include <slo/net/http_errors.hpp>

#define BOOST_TEST_MODULE net_http_errors
#include <boost/test/unit_test.hpp>

using namespace slo::net;

BOOST_AUTO_TEST_CASE(what_this_machine_lacks_is_no_fault_of_the_server)
{
    for (const int error : {EMFILE, ENFILE, EADDRNOTAVAIL, ENOBUFS, ENOMEM})
        BOOST_TEST(is_local_fault(error));
    for (const int error : {0, ECONNREFUSED, ECONNRESET, EPIPE, ETIMEDOUT, EHOSTUNREACH})
        BOOST_TEST(!is_local_fault(error));
}

BOOST_AUTO_TEST_CASE(messages_name_the_limit_that_was_met)
{
    HttpLimits limits;
    limits.connect_timeout_s = 2.5;
    limits.request_timeout_s = 60;
    limits.max_answer_bytes = 4096;
    BOOST_TEST(timeout_message(false, limits) == "no connection within 2.5 s");
    BOOST_TEST(timeout_message(true, limits) == "no whole answer within 60.0 s");
    BOOST_TEST(too_large_message(limits) == "answer larger than 4096 bytes");
}

BOOST_AUTO_TEST_CASE(messages_of_the_system_are_one_printable_line)
{
    BOOST_TEST(system_message("Recv failure", ECONNRESET) == "Recv failure: Connection reset by peer");
    BOOST_TEST(connect_message("::1", "80", ECONNREFUSED) ==
               "Failed to connect to ::1 port 80: Connection refused");
    BOOST_TEST(connect_message("a\nb", "80", ECONNREFUSED).find('\n') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_connection_is_stale_when_it_breaks_at_once)
{
    HttpLimits limits;
    limits.stale_within_s = 0.05;
    BOOST_TEST(was_stale(1'000'000'000, 1'000'000'000, limits));
    BOOST_TEST(was_stale(1'000'000'000, 1'050'000'000, limits));
    BOOST_TEST(!was_stale(1'000'000'000, 1'050'000'001, limits));
}
