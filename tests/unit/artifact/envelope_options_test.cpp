// SPDX-License-Identifier: MIT
#include <slo/artifact/envelope_options.hpp>

#define BOOST_TEST_MODULE artifact_envelope_options
#include <boost/test/unit_test.hpp>

using namespace slo;

BOOST_AUTO_TEST_CASE(options_that_do_not_go_together_are_refused)
{
    artifact::EnvelopeOptions options;
    BOOST_CHECK_THROW(options.check(), UsageError);
    options.sidecar = "s";
    options.card = "c";
    BOOST_CHECK_THROW(options.check(), UsageError); // nothing measured
    options.rounds = {"r"};
    options.check();
    options.steady = true;
    options.check();
    options.vllm_result = "v";
    BOOST_CHECK_THROW(options.check(), UsageError);
    options.vllm_result.clear();
    options.before = "b";
    BOOST_CHECK_THROW(options.check(), UsageError);
    options.after = "a";
    options.check();
    options.diff = "d";
    BOOST_CHECK_THROW(options.check(), UsageError);
    options.diff.clear();
    options.gpu = {"-", "g"};
    options.check();
    options.samples = {"-"};
    BOOST_CHECK_THROW(options.check(), UsageError);
    BOOST_TEST(options.inputs().size() == 8U);
}
