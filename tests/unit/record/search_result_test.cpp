// SPDX-License-Identifier: MIT
// Unit test of record/search_result.hpp: the last line of a search.

#include <slo/record/search_result.hpp>

#define BOOST_TEST_MODULE record_search_result
#include <boost/test/unit_test.hpp>

using namespace slo;
using namespace slo::record;

namespace {

SearchSettings settings()
{
    return {8.5, 10.5, 0.1, 6.5, true, 16, 8, 18446744073709551615u, {"./probe", "{qps}", "\"quoted\""}};
}

} // namespace

BOOST_AUTO_TEST_CASE(the_result_record)
{
    SearchResult result;
    result.max_qps = 9.4;
    result.reason = "interrupted";
    result.probes = 7;
    result.elapsed_s = 100.5;
    result.notes = {"note"};
    result.hit_rate = 0.66;
    result.reconciled = true;
    BOOST_TEST(
        to_json(to_record(result, settings())) ==
        R"({"schema":"sloutils.search/1","event":"result","max_qps":9.4,"first_fail_qps":null,)"
        R"("first_fail_measured":null,"converged":false,"reason":"interrupted","interrupted":true,)"
        R"("hit_rate":0.66,"reconciled":true,"probes":7,"slo_s":6.5,"precision":0.1,"offload":true,"total_rounds":16,"tail_window":8,"elapsed_s":100.5,)"
        R"("notes":["note"]})");
}

BOOST_AUTO_TEST_CASE(what_a_search_by_likelihood_adds_to_the_result)
{
    auto by_likelihood = settings();
    by_likelihood.strategy = "certify";
    by_likelihood.ceiling_qps = 640;
    SearchResult result;
    result.reason = "converged";
    result.converged = true;
    result.max_qps = 9.83;
    result.first_fail_qps = 10.87;
    result.certified = CertifiedRates{10.4, 9.83, 10.87, 10.1, 10.75, false, 92};
    BOOST_TEST(*resolution_of(*result.certified) == 0.1, boost::test_tools::tolerance(1e-12));
    const auto record = to_record(result, by_likelihood);
    BOOST_TEST(*number_at(record, "max_qps") == 9.83);
    BOOST_TEST(*number_at(record, "max_qps_point") == 10.4);
    BOOST_TEST(*number_at(record, "max_qps_certified") == 9.83);
    BOOST_TEST(*number_at(record, "min_qps_rejected") == 10.87);
    BOOST_TEST(*number_at(record, "likely_low_qps") == 10.1);
    BOOST_TEST(*number_at(record, "likely_high_qps") == 10.75);
    BOOST_TEST(*number_at(record, "resolution") == 0.1, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(*number_at(record, "rounds_spent") == 92);
    BOOST_TEST(*string_at(record, "strategy") == "certify");
    BOOST_TEST(*number_at(record, "confidence") == 0.95);
    BOOST_TEST(!find(record, "non_monotone"));
    BOOST_TEST(!find(record, "total_rounds"));
    result.certified->non_monotone = true;
    const auto odd = to_record(result, by_likelihood);
    BOOST_TEST(odd.at("non_monotone") == true);
    BOOST_TEST(odd.at("resolution").is_null());
    result.certified = CertifiedRates{};
    BOOST_TEST(to_record(result, by_likelihood).at("max_qps_point").is_null());
    BOOST_TEST(to_record(result, by_likelihood).at("resolution").is_null());
}

BOOST_AUTO_TEST_CASE(what_a_night_adds_to_the_result)
{
    SearchResult result;
    result.reason = "unstable_edge";
    result.confirm = 3;
    result.unstable_qps = {8.2};
    result.relaunches = 2;
    result.cache_reset_failures = 1;
    const auto record = to_record(result, settings());
    BOOST_TEST(*integer_at(record, "confirm") == 3);
    BOOST_TEST(to_json(*array_at(record, "unstable_qps")) == "[8.2]");
    BOOST_TEST(*integer_at(record, "relaunches") == 2);
    BOOST_TEST(*integer_at(record, "cache_reset_failures") == 1);
}
