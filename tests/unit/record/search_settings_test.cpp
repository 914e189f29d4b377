// SPDX-License-Identifier: MIT
// Unit test of record/search_settings.hpp: start records out and in again.

#include <slo/record/search_settings.hpp>

#define BOOST_TEST_MODULE record_search_settings
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::record;

namespace {

SearchSettings settings()
{
    return {8.5, 10.5, 0.1, 6.5, true, 16, 8, 18446744073709551615u, {"./probe", "{qps}", "\"quoted\""}};
}

json::object object(const std::string& text)
{
    return parse_json(text).as_object();
}

} // namespace

BOOST_AUTO_TEST_CASE(settings_survive_the_way_through_text)
{
    const auto record = object(to_json(to_record(settings())));
    BOOST_TEST(*string_at(record, "schema") == "sloutils.search/1");
    BOOST_TEST(*string_at(record, "event") == "start");
    BOOST_TEST(difference(read_settings(record), settings()) == "");
}

BOOST_AUTO_TEST_CASE(every_setting_makes_another_search)
{
    const auto differs = [](auto change) {
        auto other = settings();
        change(other);
        return difference(settings(), other);
    };
    BOOST_TEST(differs([](auto& s) { s.low_qps = 8; }) == "low is 8.5 there, 8.0 here");
    BOOST_TEST(differs([](auto& s) { s.high_qps = 11; }) == "high is 10.5 there, 11.0 here");
    BOOST_TEST(differs([](auto& s) { s.precision_qps = 0.5; }) == "precision is 0.1 there, 0.5 here");
    BOOST_TEST(differs([](auto& s) { s.slo_s = 2; }) == "the SLO is 6.5 there, 2.0 here");
    BOOST_TEST(differs([](auto& s) { s.offload = false; }) == "offload is on there, off here");
    BOOST_TEST(differs([](auto& s) { s.total_rounds = 8; }) == "total-rounds is 16 there, 8 here");
    BOOST_TEST(differs([](auto& s) { s.tail_window = 4; }) == "tail-window is 8 there, 4 here");
    BOOST_TEST(differs([](auto& s) { s.seed = 1; }) == "the seed is 18446744073709551615 there, 1 here");
    BOOST_TEST(differs([](auto& s) { s.command = {"x"}; }) ==
               R"(the command is ["./probe","{qps}","\"quoted\""] there, ["x"] here)");
}

BOOST_AUTO_TEST_CASE(a_start_record_without_its_numbers_is_refused)
{
    BOOST_CHECK_THROW(read_settings(object("{}")), Error);
    auto record = to_record(settings());
    record["slo_s"] = "6.5";
    BOOST_CHECK_THROW(read_settings(record), Error);
}

BOOST_AUTO_TEST_CASE(a_search_by_likelihood_has_settings_of_its_own)
{
    auto wanted = settings();
    BOOST_TEST(!find(to_record(wanted), "strategy")); // the classic one is as it ever was
    wanted.strategy = "certify";
    wanted.total_rounds = wanted.tail_window = 0;
    wanted.confidence = 0.99;
    wanted.rounds = 150;
    wanted.common_numbers = true;
    wanted.ceiling_qps = 672;
    const auto record = object(to_json(to_record(wanted)));
    BOOST_TEST(!find(record, "total_rounds"));
    const auto read = read_settings(record);
    BOOST_TEST(difference(read, wanted) == "");
    BOOST_TEST(read.common_numbers);
    const auto differs = [&](auto change) {
        auto other = wanted;
        change(other);
        return difference(wanted, other);
    };
    BOOST_TEST(differs([](auto& s) { s.strategy = "classic"; }) ==
               "the strategy is certify there, classic here");
    BOOST_TEST(differs([](auto& s) { s.confidence = 0.9; }) == "confidence is 0.99 there, 0.9 here");
    BOOST_TEST(differs([](auto& s) { s.rounds = 100; }) == "rounds is 150 there, 100 here");
    BOOST_TEST(differs([](auto& s) { s.common_numbers = false; }) ==
               "common-random-numbers is on there, off here");
    BOOST_TEST(differs([](auto& s) { s.ceiling_qps = 20; }) == "ceiling is 672.0 there, 20.0 here");
    auto incomplete = record;
    incomplete.erase("confidence");
    BOOST_CHECK_THROW(read_settings(incomplete), Error);
}
