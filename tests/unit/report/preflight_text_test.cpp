// SPDX-License-Identifier: MIT
#include <slo/report/preflight_text.hpp>

#define BOOST_TEST_MODULE report_preflight_text
#include <boost/test/unit_test.hpp>

namespace {
using namespace slo;
using record::Severity;

BOOST_AUTO_TEST_CASE(cards_then_findings_with_the_worst_first)
{
    record::PreflightFacts facts;
    facts.gpus.resize(2);
    facts.gpus[0].index = 0;
    facts.gpus[0].name = "Sample";
    facts.gpus[0].memory_free_mib = 10;
    facts.gpus[0].bandwidth.sizes = {{16, 50.04, 52.0, ""}, {64, {}, {}, "broke"}};
    facts.gpus[1].lost = true;
    const auto lines = report::preflight_lines(
        facts, {{{5, 16, "", 63.0}, record::LinkState::ok}, {}},
        {{Severity::note, "n", "", "n"}, {Severity::warn, "w", "", "w"}, {Severity::red, "r", "", "r"}});
    BOOST_REQUIRE(lines.size() == 5u);
    BOOST_TEST(lines[0] ==
               "GPU 0: Sample, 10 of ? MiB free, link Gen5 x16 when idle, 16 MiB 50.0 in 52.0 out GB/s");
    BOOST_TEST(lines[1] == "red: r");
    BOOST_TEST(lines[3] == "note: n");
    BOOST_TEST(lines[4] == "1 red, 1 warning: no run with KV offload");
    BOOST_TEST(report::preflight_lines({}, {}, {}).at(0) == "all green");
}

} // namespace
