// SPDX-License-Identifier: MIT
#include <slo/io/end_on_signal.hpp>

#define BOOST_TEST_MODULE io_end_on_signal
#include <boost/test/unit_test.hpp>

#include <slo/io/fd.hpp>

using namespace slo;

BOOST_AUTO_TEST_CASE(sigterm_ends_what_is_watched)
{
    int ends[2];
    BOOST_REQUIRE(::pipe(ends) == 0);
    const io::Fd in(ends[0]);
    const io::Fd out(ends[1]); // stays open: without the signal, a read would wait for ever
    io::EndOnSignal signal;
    signal.watch(in.get());
    BOOST_TEST(!signal.signalled());

    io::write_all(out, "x", "pipe");
    char byte = 0;
    BOOST_TEST(io::read_some(in, &byte, 1, "pipe") == 1u);
    ::raise(SIGINT); // leaves the writer some time
    BOOST_TEST(signal.signalled());
    io::write_all(out, "y", "pipe");
    BOOST_TEST(io::read_some(in, &byte, 1, "pipe") == 1u);
    ::raise(SIGTERM);
    BOOST_TEST(io::read_some(in, &byte, 1, "pipe") == 0u);

    int later[2];
    BOOST_REQUIRE(::pipe(later) == 0);
    const io::Fd next(later[0]);
    const io::Fd writer(later[1]);
    signal.watch(next.get()); // an input that is opened after the signal is ended too
    BOOST_TEST(io::read_some(next, &byte, 1, "pipe") == 0u);
    signal.watch(-1);
    ::alarm(0);
}
