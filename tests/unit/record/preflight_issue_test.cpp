// SPDX-License-Identifier: MIT
#include <slo/record/preflight_issue.hpp>

#define BOOST_TEST_MODULE record_preflight_issue
#include <boost/test/unit_test.hpp>

namespace {
using namespace slo;
using record::Severity;

BOOST_AUTO_TEST_CASE(the_worst_decides)
{
    std::vector<record::Issue> issues;
    BOOST_TEST((record::exit_of(issues) == Exit::ok));
    issues.push_back({Severity::note, "a", "", "t"});
    BOOST_TEST((record::exit_of(issues) == Exit::ok));
    issues.push_back({Severity::red, "a", "", "t"});
    issues.push_back({Severity::warn, "a", "", "t"});
    BOOST_TEST((record::exit_of(issues) == Exit::undecided));
    issues.erase(issues.begin() + 1);
    BOOST_TEST((record::exit_of(issues) == Exit::negative));
    BOOST_TEST(name_of(Severity::red) == "red");
}

} // namespace
