// SPDX-License-Identifier: MIT
#include <slo/io/signals.hpp>

#define BOOST_TEST_MODULE io_signals
#include <boost/test/unit_test.hpp>

#include <poll.h>

BOOST_AUTO_TEST_CASE(a_signal_is_seen_not_died_of)
{
    slo::io::StopSignal stop;
    BOOST_TEST(!stop.requested());
    ::raise(SIGTERM);
    pollfd wait{stop.fd(), POLLIN, 0};
    BOOST_TEST(::poll(&wait, 1, 1000) == 1);
    BOOST_TEST(stop.requested());
    BOOST_TEST(stop.requested());
    BOOST_TEST(::sigismember(&stop.mask_before(), SIGTERM) == 0);
}

BOOST_AUTO_TEST_CASE(a_signal_is_let_through_only_where_it_may_be)
{
    slo::io::StopSignal stop;
    ::raise(SIGTERM); // seen, and so kills nothing below
    stop.exposed([] {
        sigset_t now;
        ::sigprocmask(SIG_BLOCK, nullptr, &now);
        BOOST_TEST(::sigismember(&now, SIGTERM) == 0);
    });
    sigset_t now;
    ::sigprocmask(SIG_BLOCK, nullptr, &now);
    BOOST_TEST(::sigismember(&now, SIGTERM) == 1);
    BOOST_TEST(stop.requested());
}

BOOST_AUTO_TEST_CASE(a_signal_that_nobody_asked_for_does_not_kill_at_the_end)
{
    {
        slo::io::StopSignal stop;
        ::raise(SIGTERM);
        ::raise(SIGINT);
    }
    slo::io::StopSignal next;
    BOOST_TEST(!next.requested());
}
