// SPDX-License-Identifier: MIT
// One request of a conversation at a time, in order.

#include <slo/plan/sequencer.hpp>

#define BOOST_TEST_MODULE plan_sequencer
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using slo::plan::Sequencer;

BOOST_AUTO_TEST_CASE(a_conversation_goes_one_by_one_in_order)
{
    Sequencer<int> sequencer;
    BOOST_TEST(sequencer.may_send("a", 1));
    BOOST_TEST(!sequencer.may_send("a", 2));
    BOOST_TEST(!sequencer.may_send("a", 3));
    BOOST_TEST(sequencer.may_send("b", 4));
    BOOST_TEST(sequencer.waiting() == 2u);
    BOOST_TEST(sequencer.finished("a").value() == 2);
    BOOST_TEST(!sequencer.may_send("a", 5));
    BOOST_TEST(sequencer.finished("a").value() == 3);
    BOOST_TEST(sequencer.finished("a").value() == 5);
    BOOST_TEST(!sequencer.finished("a"));
    BOOST_TEST(!sequencer.finished("b"));
    BOOST_TEST(sequencer.may_send("a", 6));
}

BOOST_AUTO_TEST_CASE(the_empty_id_never_waits)
{
    Sequencer<int> sequencer;
    for (int i = 0; i < 5; ++i)
        BOOST_TEST(sequencer.may_send("", i));
    BOOST_TEST(!sequencer.finished(""));
}

BOOST_AUTO_TEST_CASE(an_end_nobody_waits_for_is_harmless)
{
    Sequencer<int> sequencer;
    BOOST_TEST(!sequencer.finished("never seen"));
    BOOST_TEST(sequencer.may_send("never seen", 1));
}

BOOST_AUTO_TEST_CASE(what_is_given_up_does_not_come_back)
{
    Sequencer<int> sequencer;
    for (int i = 0; i < 6; ++i)
        sequencer.may_send(i % 2 == 0 ? "even" : "odd", i);
    auto given_up = sequencer.give_up();
    std::sort(given_up.begin(), given_up.end());
    BOOST_TEST(given_up == (std::vector<int>{2, 3, 4, 5}), boost::test_tools::per_element());
    BOOST_TEST(sequencer.waiting() == 0u);
    BOOST_TEST(!sequencer.may_send("odd", 7)); // the first of it is still under way
    BOOST_TEST(sequencer.finished("odd").value() == 7);
    BOOST_TEST(!sequencer.finished("odd"));
    BOOST_TEST(!sequencer.finished("even"));
}

BOOST_AUTO_TEST_CASE(never_two_of_a_conversation_at_once)
{
    // Many conversations, ends in a scrambled order: the order inside each holds, and all get through.
    Sequencer<int> sequencer;
    std::vector<int> under_way;
    std::map<int, int> last;
    int sent = 0;
    const auto send = [&](int request) {
        const int conversation = request % 7;
        BOOST_TEST((!last.contains(conversation) || last[conversation] < request));
        last[conversation] = request;
        under_way.push_back(request);
        ++sent;
    };
    unsigned scramble = 1;
    const auto end_one = [&] {
        scramble = scramble * 1103515245 + 12345;
        const auto at = under_way.begin() + static_cast<std::ptrdiff_t>(scramble / 65536 % under_way.size());
        const int request = *at;
        under_way.erase(at);
        if (const auto next = sequencer.finished(std::to_string(request % 7)))
            send(*next);
    };
    for (int request = 0; request < 1000; ++request) {
        if (sequencer.may_send(std::to_string(request % 7), request))
            send(request);
        BOOST_TEST(under_way.size() <= 7u);
        if (request % 3 == 0)
            end_one();
    }
    while (!under_way.empty())
        end_one();
    BOOST_TEST(sent == 1000);
}
