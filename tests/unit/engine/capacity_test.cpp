// SPDX-License-Identifier: MIT
#include <slo/engine/capacity.hpp>
#define BOOST_TEST_MODULE engine_capacity
#include <boost/test/unit_test.hpp>

#include <vector>

using namespace slo;
using namespace slo::engine;

namespace {

std::vector<WorkRequest> workload(std::size_t rows, std::size_t prompt_tokens, std::int64_t max_tokens)
{
    std::vector<WorkRequest> list(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        std::vector<Token> tokens;
        for (std::size_t t = 0; t < prompt_tokens; ++t)
            tokens.push_back(static_cast<Token>(i * 10000 + t));
        list[i].prompt = std::make_shared<Prompt>(tokens);
        list[i].limits.max_tokens = max_tokens;
    }
    return list;
}

CapacityOptions options(const char* objective)
{
    CapacityOptions result;
    result.objective = parse_objective(objective);
    result.batch_requests = 200;
    result.warm_up_s = 20;
    return result;
}

} // namespace

// With few tokens of prompt the fluid limit is exact: n = rate * T * step sequences share a step, so
// step = a / (1 - rate * T * b), and a request takes T steps and the half step it waits for.
BOOST_AUTO_TEST_CASE(the_answer_is_that_of_the_fluid_limit)
{
    const Profile profile{"fluid", "", "m", {5e-3, 0.5e-3, 0, 0}, {128, 2048, 4096, 4096, false}, {}};
    const auto capacity = find_capacity(profile, workload(1, 4, 100), options("e2e:p50<1"));
    BOOST_REQUIRE(capacity.qps.has_value());
    const double step_s = 1.0 / 100.5;
    const double expected = (1 - 5e-3 / step_s) / (100 * 0.5e-3);
    BOOST_TEST(*capacity.qps > 0.97 * expected);
    BOOST_TEST(*capacity.qps < 1.03 * expected);
    BOOST_TEST(*capacity.low <= *capacity.qps);
    BOOST_TEST(*capacity.high >= *capacity.qps);
    BOOST_TEST(*capacity.high - *capacity.low < 0.1 * expected);
}

BOOST_AUTO_TEST_CASE(the_bracket_is_what_measuring_there_says)
{
    const auto profile = *named_profile("chat");
    const auto rows = workload(40, 300, 200);
    const auto how = options("e2e:p50<4");
    const auto capacity = find_capacity(profile, rows, how);
    BOOST_REQUIRE(capacity.qps.has_value());
    BOOST_TEST(measure_rate(profile, rows, *capacity.low * 0.97, how).value_s < 4.0);
    BOOST_TEST(measure_rate(profile, rows, *capacity.high * 1.03, how).value_s > 4.0);
    const auto again = find_capacity(profile, rows, how);
    BOOST_TEST(*again.qps == *capacity.qps);
    BOOST_TEST(*again.low == *capacity.low);
    BOOST_TEST(*again.high == *capacity.high);
}

BOOST_AUTO_TEST_CASE(shared_prefixes_raise_the_capacity)
{
    auto cached = *named_profile("rag");
    auto uncached = cached;
    uncached.limits.prefix_caching = false;
    const auto rows = workload(4, 1600, 30);
    const auto how = options("ttft:p50<0.5");
    BOOST_TEST(*find_capacity(cached, rows, how).qps > 2 * *find_capacity(uncached, rows, how).qps);
}

BOOST_AUTO_TEST_CASE(an_objective_below_the_least_latency_has_no_capacity)
{
    const auto capacity =
        find_capacity(*named_profile("small"), workload(1, 16, 10), options("e2e:p50<0.01"));
    BOOST_TEST(!capacity.qps.has_value());
    BOOST_TEST(!capacity.low.has_value());
    BOOST_TEST(*capacity.high < 0.01);
}

BOOST_AUTO_TEST_CASE(an_objective_that_always_holds_ends_at_the_ceiling)
{
    auto how = options("e2e:p50<1000");
    how.ceiling_qps = 50;
    const auto capacity = find_capacity(*named_profile("small"), workload(1, 16, 2), how);
    BOOST_TEST(*capacity.qps > 49.0);
    BOOST_TEST(*capacity.low == *capacity.qps);
    BOOST_TEST(!capacity.high.has_value());
}

BOOST_AUTO_TEST_CASE(an_objective_that_no_request_has_is_an_error)
{
    BOOST_CHECK_THROW(find_capacity(*named_profile("small"), workload(1, 16, 1), options("tpot:p50<1")),
                      Error);
}
