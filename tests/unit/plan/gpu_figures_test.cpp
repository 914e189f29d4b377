// SPDX-License-Identifier: MIT
#include <slo/plan/gpu_figures.hpp>

#define BOOST_TEST_MODULE plan_gpu_figures
#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_CASE(no_source_stands_twice_and_each_has_a_figure)
{
    using namespace slo;
    for (const auto& source : plan::gpu_sources) {
        BOOST_TEST(plan::gpu_source_of(source.source) == &source);
        BOOST_TEST(!source.figure.empty());
        BOOST_TEST(source.scale > 0);
    }
    BOOST_TEST(plan::gpu_source_of("DCGM_FI_DEV_") == nullptr);
}
