// SPDX-License-Identifier: MIT
#include <slo/plan/offered_load.hpp>

#define BOOST_TEST_MODULE plan_offered_load
#include <boost/test/unit_test.hpp>

#include <vector>

using slo::plan::OfferedLoad;
using slo::plan::Window;

namespace {

Window window_of(double offered, double target_qps, std::int64_t due)
{
    Window window;
    window.offered = offered;
    window.target_qps = target_qps;
    window.due = due;
    return window;
}

OfferedLoad load_of(const std::vector<Window>& windows)
{
    std::vector<const Window*> pointers;
    for (const auto& window : windows)
        pointers.push_back(&window);
    return OfferedLoad(pointers);
}

} // namespace

BOOST_AUTO_TEST_CASE(half_the_rate_is_too_little)
{
    BOOST_TEST(!load_of({window_of(1, 40, 200), window_of(1, 40, 200)}).is_too_little());
    const auto half = load_of({window_of(0.5, 40, 100), window_of(0.5, 40, 100)});
    BOOST_TEST(half.is_too_little());
    BOOST_TEST(half.notes().at(0) == "only 50.0 % of the target rate was offered");
}

BOOST_AUTO_TEST_CASE(chance_is_no_lack)
{
    const auto unlucky = load_of({window_of(0.9, 10, 90)}); // one standard deviation of 100 arrivals
    BOOST_TEST(!unlucky.is_too_little());
    BOOST_TEST(unlucky.notes().size() == 1U);
    BOOST_TEST(load_of({window_of(0.9, 1000, 9000)}).is_too_little());
    BOOST_TEST(!load_of({}).is_too_little());
}

BOOST_AUTO_TEST_CASE(ramps_and_closed_loops_are_told)
{
    BOOST_TEST(load_of({window_of(1, 10, 50), window_of(1, 20, 100)}).is_uneven());
    BOOST_TEST(!load_of({window_of(1, 10, 50), window_of(1, 10, 50)}).is_uneven());
    Window closed;
    closed.closed_loop = true;
    closed.from_send = true;
    BOOST_TEST(load_of({closed}).notes().size() == 2U);
    BOOST_TEST(!load_of({closed}).is_uneven());
}
