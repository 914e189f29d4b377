// SPDX-License-Identifier: MIT
#include <slo/record/gpu_facts.hpp>

#define BOOST_TEST_MODULE record_gpu_facts
#include <boost/test/unit_test.hpp>

namespace {
using namespace slo;

BOOST_AUTO_TEST_CASE(states_of_a_link_have_names)
{
    BOOST_TEST(name_of(record::LinkState::ok) == "ok");
    BOOST_TEST(name_of(record::LinkState::recheck_under_load) == "recheck_under_load");
    BOOST_TEST(name_of(record::LinkState::unknown) == "unknown");
    BOOST_TEST(record::GpuFacts{}.visible);
}

} // namespace
