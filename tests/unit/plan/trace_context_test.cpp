// SPDX-License-Identifier: MIT
#include <slo/plan/trace_context.hpp>

#define BOOST_TEST_MODULE plan_trace_context
#include <boost/test/unit_test.hpp>

#include <set>
#include <string>

using slo::plan::TraceContexts;

BOOST_AUTO_TEST_CASE(the_form_is_that_of_the_standard)
{
    TraceContexts contexts(1);
    for (int i = 0; i < 100; ++i) {
        const auto text = contexts.next();
        BOOST_REQUIRE_EQUAL(text.size(), 55U);
        BOOST_TEST(text.substr(0, 3) == "00-");
        BOOST_TEST(text[35] == '-');
        BOOST_TEST(text.substr(52) == "-01");
        const auto ids = text.substr(3, 32) + text.substr(36, 16);
        BOOST_TEST(ids.find_first_not_of("0123456789abcdef") == std::string::npos);
        BOOST_TEST(text.substr(3, 32) != std::string(32, '0'));
        BOOST_TEST(text.substr(36, 16) != std::string(16, '0'));
    }
}

BOOST_AUTO_TEST_CASE(the_seed_decides_and_no_two_are_the_same)
{
    TraceContexts contexts(7);
    TraceContexts again(7);
    TraceContexts other(8);
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i) {
        const auto text = contexts.next();
        BOOST_TEST(text == again.next());
        BOOST_TEST(text != other.next());
        BOOST_TEST(seen.insert(text.substr(3, 32)).second);
        BOOST_TEST(seen.insert(text.substr(36, 16)).second);
    }
}
