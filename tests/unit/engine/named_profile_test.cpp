// SPDX-License-Identifier: MIT
#include <slo/engine/named_profile.hpp>
#define BOOST_TEST_MODULE engine_named_profile
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::engine;

BOOST_AUTO_TEST_CASE(the_named_ones_say_they_are_made_up_and_read_back_the_same)
{
    for (const auto name : profile_names) {
        const auto profile = named_profile(name);
        BOOST_REQUIRE(profile.has_value());
        BOOST_TEST(profile->description.starts_with("made up"));
        const auto text = to_json(to_record(*profile));
        BOOST_TEST(to_json(to_record(read_profile(parse_json(text)))) == text);
    }
    BOOST_TEST(!named_profile("h100").has_value());
}

BOOST_AUTO_TEST_CASE(names_are_listed_for_people)
{
    BOOST_TEST(all_profile_names() == "small, chat, rag, drifting, dip, heavy-tail, refusing");
}

BOOST_AUTO_TEST_CASE(the_sick_ones_are_sick)
{
    BOOST_TEST(named_profile("drifting")->step.drift_per_hour > 0);
    BOOST_TEST(!named_profile("dip")->step.is_monotone());
    BOOST_TEST(named_profile("heavy-tail")->output.sigma > 1);
    BOOST_TEST(named_profile("refusing")->fail_above_running.value() == 0);
    for (const auto name : {"small", "chat", "rag"}) {
        BOOST_TEST(named_profile(name)->step.is_monotone());
        BOOST_TEST(named_profile(name)->step.drift_per_hour == 0.0);
        BOOST_TEST(!named_profile(name)->fail_above_running.has_value());
    }
}
