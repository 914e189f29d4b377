// SPDX-License-Identifier: MIT
#include <slo/run/flight_pool.hpp>

#define BOOST_TEST_MODULE run_flight_pool
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace slo::run;

namespace {

struct NoOwner : FlightOwner {
    void flight_sent(Flight&, std::int64_t) override {}
    void flight_ended(Flight&, slo::net::Ending) override {}
};

struct Fixture {
    NoOwner owner;
    FlightPlan plan;
    FlightPool pool{owner, plan};

    Flight& begin(const std::string& id)
    {
        auto& flight = pool.take();
        slo::record::Request request;
        request.id = id;
        flight.begin("{}", std::move(request));
        return flight;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(flight_pool, Fixture)

BOOST_AUTO_TEST_CASE(a_flight_is_used_again_and_is_on_another_voyage_then)
{
    auto& first = begin("a");
    const auto voyage = first.voyage();
    BOOST_TEST(first.take_record().id == "a");
    pool.give_back(first);
    BOOST_TEST(pool.in_use() == 0U);
    auto& again = begin("b");
    BOOST_TEST(&again == &first);
    BOOST_TEST(again.voyage() != voyage);
    BOOST_TEST(again.record().id == "b");
    BOOST_TEST(!again.has_token());
}

BOOST_AUTO_TEST_CASE(given_back_in_any_order_each_is_out_once)
{
    std::vector<Flight*> out;
    for (int i = 0; i < 10; ++i)
        out.push_back(&begin(std::to_string(i)));
    for (const int i : {3, 9, 0, 5})
        pool.give_back(*out[static_cast<std::size_t>(i)]);
    BOOST_TEST(pool.in_use() == 6U);
    std::set<Flight*> again;
    for (int i = 0; i < 4; ++i)
        again.insert(&begin("again"));
    BOOST_TEST(again.size() == 4U);
    BOOST_TEST(pool.in_use() == 10U);
    const auto all = pool.take_back_all();
    BOOST_TEST(std::set<Flight*>(all.begin(), all.end()).size() == 10U);
    BOOST_TEST(pool.in_use() == 0U);
    const auto named =
        std::count_if(all.begin(), all.end(), [](auto* f) { return f->record().id == "again"; });
    BOOST_TEST(named == 4);
}

BOOST_AUTO_TEST_SUITE_END()
