// SPDX-License-Identifier: MIT
#include <slo/net/loop_wait.hpp>

#define BOOST_TEST_MODULE net_loop_wait
#include <boost/test/unit_test.hpp>

#include <unistd.h>

#include <array>

using slo::net::LoopWait;

namespace {

constexpr auto clocks = {LoopWait::Clock::automatic, LoopWait::Clock::timerfd};

struct WatchedPipe {
    int ends[2] = {-1, -1};
    explicit WatchedPipe(const LoopWait& wait)
    {
        BOOST_REQUIRE_EQUAL(::pipe(ends), 0);
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = 7;
        BOOST_REQUIRE_EQUAL(::epoll_ctl(wait.epoll_fd(), EPOLL_CTL_ADD, ends[0], &event), 0);
    }
    ~WatchedPipe()
    {
        ::close(ends[0]);
        ::close(ends[1]);
    }
    void write() const { BOOST_REQUIRE_EQUAL(::write(ends[1], "x", 1), 1); }
    void read() const
    {
        char c = 0;
        BOOST_REQUIRE_EQUAL(::read(ends[0], &c, 1), 1);
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(a_wait_is_never_over_early)
{
    std::array<epoll_event, 4> events;
    for (const auto clock : clocks) {
        LoopWait wait(clock);
        for (const std::int64_t sleep_ns : {0, 1'000, 300'000, 3'000'000, 20'000'000}) {
            const auto until_ns = slo::monotonic_ns() + sleep_ns;
            BOOST_TEST(wait.wait(events, until_ns) == 0);
            BOOST_TEST(slo::monotonic_ns() >= until_ns);
        }
        BOOST_TEST(wait.wait(events, slo::monotonic_ns() - 1) == 0);
    }
}

BOOST_AUTO_TEST_CASE(what_is_ready_ends_the_wait)
{
    std::array<epoll_event, 4> events;
    for (const auto clock : clocks) {
        LoopWait wait(clock);
        const WatchedPipe pipe(wait);
        pipe.write();
        BOOST_TEST(wait.wait(events, LoopWait::never_ns) == 1);
        BOOST_TEST(std::uint64_t{events[0].data.u64} == 7U);
        BOOST_TEST(wait.wait(events, slo::monotonic_ns() - 1) == 1);
        BOOST_TEST(wait.wait(events, slo::monotonic_ns() + 1'000'000'000) == 1);
        pipe.read();
        BOOST_TEST(wait.wait(events, slo::monotonic_ns() + 2'000'000) == 0);
        pipe.write();
        BOOST_TEST(wait.wait(events, slo::monotonic_ns() + 1'000'000'000) == 1);
    }
}
