#include <slo/workload/route_row.hpp>

#define BOOST_TEST_MODULE workload_route_row
#include <boost/test/unit_test.hpp>

using namespace slo;

BOOST_AUTO_TEST_CASE(members_stand_in_the_order_of_the_contract)
{
    workload::RouteRow row;
    row.ts = "1760000000000000007";
    row.conv_id = "a\"b";
    row.other = {{"assembly", json::object{{"turns", 2}}}};
    row.body = {{"prompt", workload::user_prompt("héllo")}, {"max_tokens", 5}};
    BOOST_TEST(
        workload::to_line(row) ==
        R"({"ts":1760000000000000007,"conv_id":"a\"b","assembly":{"turns":2},"body":{"prompt":[{"role":"user","content":"héllo"}],"max_tokens":5}})");
}
