// SPDX-License-Identifier: MIT
#include <slo/artifact/envelope_output.hpp>

#define BOOST_TEST_MODULE artifact_envelope_output
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_folder.hpp"

#include <set>

using namespace slo;

namespace {

constexpr const char* name = "unknown_unknown_unknown_unknown_custom.json";

} // namespace

BOOST_AUTO_TEST_CASE(a_folder_gets_a_name_and_no_file_is_written_over)
{
    const test::ScratchFolder scratch;
    const std::string folder = scratch.path() + "/new/";
    artifact::EnvelopeOptions options;
    BOOST_TEST(artifact::place_of({}, options) == "-");
    options.output = folder;
    const auto path = artifact::place_of({}, options);
    BOOST_TEST(path == folder + name);
    artifact::write_artifact({{"a", 1}}, path);
    BOOST_TEST(io::read_all(path, 100) == "{\"a\":1}\n");
    BOOST_CHECK_THROW(artifact::place_of({}, options), Error);
    options.force = true;
    BOOST_TEST(artifact::place_of({}, options) == path);
    options.card = path;
    BOOST_CHECK_THROW(artifact::place_of({}, options), Error);
}

BOOST_AUTO_TEST_CASE(the_environment_can_make_a_stamp_repeatable)
{
    ::unsetenv("SOURCE_DATE_EPOCH");
    std::set<std::string> digits;
    for (int i = 0; i < 50; ++i)
        digits.insert(artifact::stamp_of_environment().random_digits);
    BOOST_TEST(digits.size() == 50U);
    BOOST_TEST(digits.begin()->size() == 32U);
    ::setenv("SOURCE_DATE_EPOCH", "1000", 1);
    BOOST_TEST(artifact::stamp_of_environment().created_s == 1000.0);
    BOOST_TEST(artifact::stamp_of_environment().random_digits.empty());
    for (const auto* odd : {"-1", "1e3", "tomorrow", "999999999999999"}) {
        ::setenv("SOURCE_DATE_EPOCH", odd, 1);
        BOOST_CHECK_THROW(artifact::stamp_of_environment(), UsageError);
    }
}
