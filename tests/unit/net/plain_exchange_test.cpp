// SPDX-License-Identifier: MIT
#include <slo/net/plain_exchange.hpp>

#define BOOST_TEST_MODULE net_plain_exchange
#include <boost/test/unit_test.hpp>

#include <functional>
#include <vector>

using namespace slo::net;

namespace {

struct Receiver : HttpEvents {
    std::vector<HttpResult> results;
    std::function<void()> when_done = [] {};
    void on_sent(std::int64_t) override {}
    void on_head(const HttpHead&) override {}
    void on_data(std::int64_t, std::string_view) override {}
    void on_done(const HttpResult& result) override
    {
        results.push_back(result);
        when_done();
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(ends_are_told_in_their_order)
{
    PlainExchanges exchanges;
    Receiver first, second;
    auto& a = exchanges.begin(first);
    auto& b = exchanges.begin(second);
    BOOST_TEST(exchanges.oldest() == &a);
    BOOST_TEST(exchanges.find(second) == &b);
    BOOST_TEST(exchanges.size() == 2U);
    exchanges.end(b, 7);
    exchanges.end(a, 8);
    BOOST_TEST(!exchanges.oldest());
    BOOST_TEST(exchanges.size() == 2U); // until they are told
    first.when_done = [&] { BOOST_TEST(second.results.size() == 1U); };
    exchanges.tell();
    BOOST_TEST(first.results.at(0).end_ns == 8);
    BOOST_TEST(second.results.at(0).end_ns == 7);
    BOOST_TEST(exchanges.size() == 0U);
    BOOST_TEST(!exchanges.find(first));
}

BOOST_AUTO_TEST_CASE(what_is_over_serves_again_clean)
{
    PlainExchanges exchanges;
    Receiver receiver;
    auto& exchange = exchanges.begin(receiver);
    exchange.sends = 2;
    exchange.result.message = "broken";
    exchange.sent_bytes = 9;
    exchanges.end(exchange, 1);
    exchanges.tell();
    BOOST_TEST(receiver.results.at(0).reconnects == 1);
    auto& again = exchanges.begin(receiver);
    BOOST_TEST(&again == &exchange);
    BOOST_TEST((again.sends == 0 && again.sent_bytes == 0U && again.result.message.empty() && !again.ended));
    exchanges.forget(again);
    exchanges.tell();
    BOOST_TEST(receiver.results.size() == 1U);
}

BOOST_AUTO_TEST_CASE(an_end_that_begins_and_ends_another_is_no_recursion)
{
    PlainExchanges exchanges;
    Receiver receiver;
    int depth = 0;
    int deepest = 0;
    receiver.when_done = [&] {
        deepest = std::max(deepest, ++depth);
        if (receiver.results.size() < 1000) {
            exchanges.end(exchanges.begin(receiver), 1);
            exchanges.tell();
        }
        --depth;
    };
    exchanges.end(exchanges.begin(receiver), 1);
    exchanges.tell();
    BOOST_TEST(receiver.results.size() == 1000U);
    BOOST_TEST(deepest == 1);
}

BOOST_AUTO_TEST_CASE(what_a_handler_throws_leaves_the_others_untold)
{
    PlainExchanges exchanges;
    Receiver bad, good;
    bad.when_done = [] { throw 1; };
    exchanges.end(exchanges.begin(bad), 1);
    exchanges.end(exchanges.begin(good), 1);
    BOOST_CHECK_THROW(exchanges.tell(), int);
    BOOST_TEST(exchanges.size() == 1U);
    exchanges.tell();
    BOOST_TEST(good.results.size() == 1U);
}
