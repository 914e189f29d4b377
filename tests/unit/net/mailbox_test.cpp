// SPDX-License-Identifier: MIT
#include <slo/net/mailbox.hpp>

#define BOOST_TEST_MODULE net_mailbox
#include <boost/test/unit_test.hpp>

#include <thread>
#include <vector>

using slo::net::EventLoop;
using slo::net::Mailbox;

BOOST_AUTO_TEST_CASE(calls_of_another_thread_come_in_their_order_on_the_loop_s)
{
    EventLoop loop;
    Mailbox mailbox(loop);
    const auto own = std::this_thread::get_id();
    std::vector<int> seen;
    std::thread other([&] {
        for (int i = 0; i < 1000; ++i)
            mailbox.post([&, i] {
                BOOST_TEST((std::this_thread::get_id() == own));
                seen.push_back(i);
            });
        mailbox.post([&] { loop.stop(); });
    });
    loop.run();
    other.join();
    BOOST_REQUIRE_EQUAL(seen.size(), 1000U);
    for (int i = 0; i < 1000; ++i)
        BOOST_TEST(seen[static_cast<std::size_t>(i)] == i);
}

BOOST_AUTO_TEST_CASE(a_call_may_post)
{
    EventLoop loop;
    Mailbox mailbox(loop);
    int calls = 0;
    mailbox.post([&] {
        ++calls;
        mailbox.post([&] {
            ++calls;
            loop.stop();
        });
    });
    loop.run();
    BOOST_TEST(calls == 2);
}

BOOST_AUTO_TEST_CASE(a_call_that_throws_leaves_the_others_their_turn)
{
    EventLoop loop;
    Mailbox mailbox(loop);
    std::vector<int> seen;
    mailbox.post([&] {
        mailbox.post([&] {
            seen.push_back(4);
            loop.stop();
        });
        throw 1;
    });
    mailbox.post([&] { seen.push_back(2); });
    mailbox.post([] { throw 3; });
    BOOST_CHECK_THROW(loop.run(), int);
    BOOST_TEST(seen.empty());
    BOOST_CHECK_THROW(loop.run(), int);
    loop.run();
    BOOST_TEST(seen == std::vector({2, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_is_posted_to_a_mailbox_that_goes_away_is_dropped)
{
    EventLoop loop;
    bool called = false;
    {
        Mailbox mailbox(loop);
        mailbox.post([&] { called = true; });
    }
    Mailbox another(loop);
    another.post([&] { loop.stop(); });
    loop.run();
    BOOST_TEST(!called);
}
