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
