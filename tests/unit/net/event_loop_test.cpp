// SPDX-License-Identifier: MIT
#include <slo/net/event_loop.hpp>

#define BOOST_TEST_MODULE net_event_loop
#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <vector>

using slo::net::EventLoop;
using slo::net::LoopWait;
using slo::net::Timer;
using slo::net::Watcher;

namespace {

struct Pipe {
    int ends[2] = {-1, -1};
    Pipe() { BOOST_REQUIRE_EQUAL(::pipe(ends), 0); }
    ~Pipe()
    {
        ::close(ends[0]);
        ::close(ends[1]);
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(timers_fire_in_the_order_of_their_moments)
{
    EventLoop loop;
    std::string fired;
    Timer late(loop, [&] {
        fired += 'c';
        loop.stop();
    });
    Timer never(loop, [&] { fired += 'x'; });
    Timer middle(loop, [&] { fired += 'b'; });
    Timer past(loop, [&] {
        fired += 'a';
        never.clear();
    });
    const auto now_ns = slo::monotonic_ns();
    late.set(now_ns + 20'000'000);
    middle.set(now_ns + 10'000'000);
    never.set(now_ns + 15'000'000);
    past.set(now_ns - 1'000'000'000);
    loop.run();
    BOOST_TEST(fired == "abc");
}

BOOST_AUTO_TEST_CASE(a_timer_is_never_early)
{
    EventLoop loop;
    const auto due_ns = slo::monotonic_ns() + 5'000'000;
    Timer timer(loop, [&] { loop.stop(); });
    timer.set(due_ns);
    loop.run();
    BOOST_TEST(slo::monotonic_ns() >= due_ns);
}

BOOST_AUTO_TEST_CASE(a_handler_may_forget_itself_and_others)
{
    EventLoop loop;
    Pipe first;
    Pipe second;
    int calls = 0;
    const auto forget_both = [&](std::uint32_t) {
        ++calls;
        loop.forget(first.ends[0]);
        loop.forget(second.ends[0]);
    };
    loop.watch(first.ends[0], EPOLLIN, forget_both);
    loop.watch(second.ends[0], EPOLLIN, forget_both);
    BOOST_REQUIRE_EQUAL(::write(first.ends[1], "x", 1), 1);
    BOOST_REQUIRE_EQUAL(::write(second.ends[1], "x", 1), 1);
    loop.run_once();
    BOOST_TEST(calls == 1);
    Timer end(loop, [&] { loop.stop(); });
    end.set(1);
    loop.run();
    BOOST_TEST(calls == 1);
}

// Under asan: what the handler captured must outlive the growth that it causes.
BOOST_AUTO_TEST_CASE(a_handler_may_watch_a_far_higher_descriptor)
{
    EventLoop loop;
    Pipe pipe;
    const int high = ::fcntl(pipe.ends[0], F_DUPFD_CLOEXEC, 900);
    BOOST_REQUIRE(high >= 900);
    const std::string captured(100, 'x');
    std::string seen;
    loop.watch(pipe.ends[0], EPOLLIN, [&loop, &seen, high, captured](std::uint32_t) {
        loop.watch(high, EPOLLIN, [](std::uint32_t) {});
        seen = captured;
    });
    BOOST_REQUIRE_EQUAL(::write(pipe.ends[1], "x", 1), 1);
    loop.run_once();
    BOOST_TEST(seen == std::string(100, 'x'));
    loop.forget(high);
    ::close(high);
}

BOOST_AUTO_TEST_CASE(rewatching_changes_what_is_reported)
{
    EventLoop loop;
    Pipe pipe;
    std::uint32_t seen = 0;
    loop.watch(pipe.ends[1], 0, [&](std::uint32_t events) { seen = events; });
    loop.rewatch(pipe.ends[1], EPOLLOUT);
    loop.run_once();
    BOOST_TEST(seen == std::uint32_t{EPOLLOUT});
}

BOOST_AUTO_TEST_CASE(a_pipe_without_reader_is_reported_unasked)
{
    EventLoop loop;
    Pipe pipe;
    std::uint32_t seen = 0;
    BOOST_TEST(loop.watch(pipe.ends[1], 0, [&](std::uint32_t events) { seen = events; }));
    ::close(pipe.ends[0]);
    pipe.ends[0] = -1;
    loop.run_once();
    BOOST_TEST((seen & EPOLLERR) != 0U);
}

BOOST_AUTO_TEST_CASE(a_regular_file_cannot_be_watched)
{
    EventLoop loop;
    const auto file = slo::io::open_input("Makefile");
    BOOST_TEST(!loop.watch(file.get(), EPOLLIN, [](std::uint32_t) {}));
    BOOST_CHECK_THROW(loop.watch(1 << 20, EPOLLIN, [](std::uint32_t) {}), slo::IoError);
}

BOOST_AUTO_TEST_CASE(the_longest_turn_is_kept_until_it_is_taken)
{
    EventLoop loop;
    Timer timer(loop, [&] { ::usleep(3000); });
    timer.set(1);
    loop.run_once();
    BOOST_TEST(loop.take_longest_turn_ns() >= 3'000'000);
    BOOST_TEST(loop.take_longest_turn_ns() == 0);
}

BOOST_AUTO_TEST_CASE(a_watcher_may_forget_itself_and_watch_again)
{
    struct Once : Watcher {
        EventLoop& loop;
        int fd;
        int calls = 0;
        Once(EventLoop& its_loop, int its_fd) : loop(its_loop), fd(its_fd) {}
        void ready(std::uint32_t events) override
        {
            BOOST_TEST(events == std::uint32_t{EPOLLIN});
            loop.forget(fd);
            if (++calls == 1)
                loop.watch(fd, EPOLLIN, *this);
        }
    };
    EventLoop loop;
    Pipe pipe;
    Once once(loop, pipe.ends[0]);
    BOOST_TEST(loop.watch(pipe.ends[0], EPOLLIN, once));
    BOOST_REQUIRE_EQUAL(::write(pipe.ends[1], "x", 1), 1);
    loop.run_once();
    BOOST_TEST(once.calls == 1); // the second watch is not told of what came to the first
    loop.run_once();
    BOOST_TEST(once.calls == 2);
}

BOOST_AUTO_TEST_CASE(a_timer_can_be_moved_forward_only)
{
    EventLoop loop;
    int fired = 0;
    Timer timer(loop, [&] {
        if (++fired == 1)
            timer.set_no_later(1);
    });
    timer.set_no_later(slo::monotonic_ns() + 3'600'000'000'000);
    timer.set_no_later(1);
    timer.set_no_later(slo::monotonic_ns() + 7'200'000'000'000);
    loop.run_once();
    BOOST_TEST(fired == 1);
    loop.run_once();
    BOOST_TEST(fired == 2);
}

BOOST_AUTO_TEST_CASE(after_a_stall_what_has_arrived_is_read_before_a_timer_calls_it_late)
{
    EventLoop loop;
    Pipe pipe;
    std::string order;
    loop.watch(pipe.ends[0], EPOLLIN, [&](std::uint32_t) {
        char c = 0;
        BOOST_REQUIRE_EQUAL(::read(pipe.ends[0], &c, 1), 1);
        order += 'r';
    });
    Timer timer(loop, [&] {
        order += 't';
        loop.stop();
    });
    timer.set(slo::monotonic_ns() - 30'000'000); // the loop was held up for so long
    BOOST_REQUIRE_EQUAL(::write(pipe.ends[1], "x", 1), 1);
    loop.run();
    BOOST_TEST(order == "rt");
}
