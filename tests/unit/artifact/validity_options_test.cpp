// SPDX-License-Identifier: MIT
#include <slo/artifact/validity_options.hpp>

#define BOOST_TEST_MODULE artifact_validity_options
#include <boost/test/unit_test.hpp>

using namespace slo;

BOOST_AUTO_TEST_CASE(options_that_make_no_sense)
{
    artifact::ValidityOptions options;
    options.files = {"-", "a.json"};
    BOOST_TEST((options.gate().claim == artifact::Claim::automatic));
    options.card = "-";
    BOOST_CHECK_THROW(options.gate(), UsageError);
    options.card.clear();
    options.in_place = true;
    BOOST_CHECK_THROW(options.gate(), UsageError);
    options.in_place = false;
    options.sources = "tests/no-such-folder";
    BOOST_CHECK_THROW(options.gate(), UsageError);
    options.sources.clear();
    options.max_age_days = -1;
    BOOST_CHECK_THROW(options.gate(), UsageError);
    options.max_age_days.reset();
    options.claim = "Production";
    BOOST_CHECK_THROW(options.gate(), UsageError);
    options.claim = "production";
    options.card = "tests/no-such-card.yaml";
    BOOST_CHECK_THROW(options.gate(), IoError);
    options.files = {"tests/data/validity/artifact.json", "tests/no-such-artifact.json"};
    BOOST_CHECK_THROW(options.artifacts(), IoError);
}

BOOST_AUTO_TEST_CASE(one_run_given_twice_is_one_run)
{
    artifact::ValidityOptions options;
    options.files.assign(2, "tests/data/validity/artifact.json");
    BOOST_TEST(artifact::runs_of(options.artifacts()) == 1U);
}

BOOST_AUTO_TEST_CASE(what_people_are_told)
{
    artifact::Validity validity;
    validity.failures = {"completed: 9 requests; expected at least 10"};
    validity.warnings = {"w"};
    const std::vector<std::string> expected{"invalid_or_incomplete, which does not meet the claim",
                                            "failure: completed: 9 requests; expected at least 10",
                                            "warning: w"};
    BOOST_TEST(artifact::lines_of(validity) == expected, boost::test_tools::per_element());
}
