// SPDX-License-Identifier: MIT
// One look-up a row.

#include <slo/verify/conversations.hpp>

#define BOOST_TEST_MODULE verify_conversations
#include <boost/test/unit_test.hpp>

#include "../../support/verified_rows.hpp"

using namespace slo::verify;

BOOST_AUTO_TEST_CASE(a_row_is_looked_up_once)
{
    Conversations conversations;
    const ScannedRow first(row_text(R"({"prompt":"x"})", "a"), 4);
    auto [entry, is_new] = conversations.of(first.row);
    BOOST_TEST(is_new);
    BOOST_TEST(entry->line == 4U);
    entry->messages = 9;
    BOOST_TEST(conversations.of(first.row).second); // still the first row of its conversation
    const ScannedRow second(row_text(R"({"prompt":"y"})", "a"), 5);
    BOOST_TEST(!conversations.of(second.row).second);
    BOOST_TEST(conversations.of(second.row).first->messages == 9U);
    BOOST_TEST(conversations.size() == 1U);
}
