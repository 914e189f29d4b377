// SPDX-License-Identifier: MIT
// Unit test of run/search_options.hpp: budgets, and options that make no sense.

#include <slo/run/search_options.hpp>

#define BOOST_TEST_MODULE run_search_options
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::run;

namespace {

SearchOptions budget(const std::string& text)
{
    SearchOptions options;
    options.budget = text;
    resolve_budget(options);
    return options;
}

template <class Change>
std::string refusal(Change&& change)
{
    SessionOptions options;
    change(options);
    try {
        check_session(options);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

} // namespace

BOOST_AUTO_TEST_CASE(a_budget_is_probes_or_time)
{
    BOOST_TEST(*budget("12").max_probes == 12u);
    BOOST_TEST(!budget("12").max_time);
    BOOST_TEST(*budget("8h").max_time == 28800);
    BOOST_TEST(*budget("90m").max_time == 5400);
    BOOST_TEST(*budget("3600s").max_time == 3600);
    BOOST_TEST(*budget("1.5h").max_time == 5400);
    BOOST_TEST(*budget("2d").max_time == 172800);
    BOOST_TEST(!budget("8h").max_probes);
    BOOST_TEST(!budget("").max_time);
    BOOST_TEST(*budget("200r").max_rounds == 200u);
    BOOST_TEST(!budget("200r").max_probes);
    BOOST_TEST(!budget("12").max_rounds);
}

BOOST_AUTO_TEST_CASE(other_budgets_are_refused)
{
    for (const std::string text : {"0", "-1", "h", "8 hours", "8x", "0s", "-3h", "nan h", "1e99h", "1.5",
                                   "8hh", "r", "1.5r", "-3r", "8rr", "0r"})
        BOOST_CHECK_THROW(budget(text), UsageError);
    SearchOptions both;
    both.budget = "12";
    both.max_time = 5;
    BOOST_CHECK_THROW(resolve_budget(both), UsageError);
    SearchOptions rounds;
    rounds.budget = "12r";
    rounds.max_rounds = 5;
    BOOST_CHECK_THROW(resolve_budget(rounds), UsageError);
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused)
{
    BOOST_TEST(refusal([](auto&) {}) == "accepted");
    BOOST_TEST(refusal([](auto& o) { o.service.relaunch = "x"; }) == "--relaunch: needs --service");
    BOOST_TEST(refusal([](auto& o) { o.service.retries = 1; }) == "--retry-died: needs --service");
    BOOST_TEST(refusal([](auto& o) {
                   o.service.state_file = "s";
                   o.service.retries = 1;
               }) == "--retry-died: needs --relaunch");
    BOOST_TEST(refusal([](auto& o) { o.cooldown_s = -1; }) == "--cooldown: must be between 0 and 86400 s");
    BOOST_TEST(refusal([](auto& o) { o.search.confirm = 1001; }) == "--confirm: must be at most 1000");
    BOOST_TEST(refusal([](auto& o) { o.service.probes = 0; }) ==
               "--service-probes: must be between 1 and 1000");
    BOOST_TEST(refusal([](auto& o) { o.service.relaunch_timeout_s = 0; }) ==
               "--relaunch-timeout: must be above 0");
    BOOST_TEST(refusal([](auto& o) { o.probe_timeout = 0; }) == "--probe-timeout: must be above 0");
}
