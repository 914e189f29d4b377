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
    const SearchResult result{9.4, std::nullopt, true, false, "interrupted", 7, 100.5, {"note"}, 0.66, true,
                              0,   {},           {},   {}};
    BOOST_TEST(
        to_json(to_record(result, settings())) ==
        R"({"schema":"sloutils.search/1","event":"result","max_qps":9.4,"first_fail_qps":null,)"
        R"("first_fail_measured":null,"converged":false,"reason":"interrupted","interrupted":true,)"
        R"("hit_rate":0.66,"reconciled":true,"probes":7,"slo_s":6.5,"precision":0.1,"offload":true,"total_rounds":16,"tail_window":8,"elapsed_s":100.5,)"
        R"("notes":["note"]})");
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
