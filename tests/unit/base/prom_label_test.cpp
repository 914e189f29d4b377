// SPDX-License-Identifier: MIT
#include <slo/base/prom_label.hpp>

#define BOOST_TEST_MODULE base_prom_label
#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_CASE(what_would_end_a_label_is_escaped)
{
    BOOST_TEST(slo::escaped_label("plain é") == "plain é");
    BOOST_TEST(slo::escaped_label("a\"b\\c\nd") == R"(a\"b\\c\nd)");
    BOOST_TEST(slo::escaped_label("").empty());
}
