// SPDX-License-Identifier: MIT
#include <slo/plan/findings.hpp>

#define BOOST_TEST_MODULE plan_findings
#include <boost/test/unit_test.hpp>

namespace {
using namespace slo;

BOOST_AUTO_TEST_CASE(findings_name_their_card)
{
    std::vector<record::Issue> issues;
    plan::Findings(issues).red("disk", "full");
    plan::Findings(issues).about("1").note("mig", "on");
    BOOST_REQUIRE(issues.size() == 2u);
    BOOST_TEST(issues[0].text == "full");
    BOOST_TEST(issues[1].text == "GPU 1: on");
    BOOST_TEST(issues[1].gpu == "1");
    BOOST_TEST((issues[1].severity == record::Severity::note));
}

BOOST_AUTO_TEST_CASE(cards_have_an_index_or_an_address)
{
    record::GpuFacts gpu;
    BOOST_TEST(plan::gpu_label(gpu) == "0");
    gpu.at = "0000:01:00.0";
    BOOST_TEST(plan::gpu_label(gpu) == "0000:01:00.0");
    gpu.index = 3;
    BOOST_TEST(plan::gpu_label(gpu) == "3");
}

} // namespace
