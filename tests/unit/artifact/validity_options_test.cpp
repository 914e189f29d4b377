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

BOOST_AUTO_TEST_CASE(people_are_told_why_the_most_costly_first)
{
    using artifact::Class;
    using Lines = std::vector<std::string>;
    artifact::Findings findings;
    const auto evidence = artifact::Evidence::declared;
    findings.add("gpu", false, evidence, "none", "gauges");
    findings.add("card-load", false, evidence, "load.request_rate 10", "the load of the card");
    findings.add("card", true, evidence, "given", "a card");
    findings.add("required-metrics", false, evidence, "absent", "a figure", "a");
    findings.add("required-metrics", false, evidence, "absent", "a figure", "b");
    artifact::Validity validity;
    validity.findings = findings.all();
    validity.wished = Class::baseline;
    validity.warnings = {"w"};
    Lines expected{"invalid_or_incomplete, which does not meet the claim",
                   "invalid: required-metrics (a): absent; expected a figure; and 1 more of this rule",
                   "not baseline: card-load: load.request_rate 10; expected the load of the card",
                   "warning: w"};
    BOOST_TEST(artifact::lines_of(validity) == expected, boost::test_tools::per_element());
    validity.wished = Class::production;
    expected.insert(expected.end() - 1, "not production: gpu: none; expected gauges");
    BOOST_TEST(artifact::lines_of(validity) == expected, boost::test_tools::per_element());
    validity.classification = Class::production;
    validity.met = true;
    BOOST_TEST(artifact::lines_of(validity) == (Lines{"valid_production_representative", "warning: w"}),
               boost::test_tools::per_element());

    validity = {};
    validity.wished = Class::smoke;
    artifact::Findings many;
    for (const auto* rule :
         {"schema", "identity", "metrics", "nonzero", "agreement", "card-id", "age", "slo"})
        many.add(rule, false, evidence, "x", "y");
    validity.findings = many.all();
    const auto lines = artifact::lines_of(validity);
    BOOST_TEST(lines.size() == 8U); // slo costs no smoke test
    BOOST_TEST(lines.back() == "and 1 more rule: see rules in the record");
}
