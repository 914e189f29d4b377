#include <slo/workload/anonymize_options.hpp>

#define BOOST_TEST_MODULE workload_anonymize_options
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <fstream>
#include <string>

using namespace slo;

BOOST_AUTO_TEST_CASE(a_key_is_the_bytes_of_a_file_or_new_each_time)
{
    workload::AnonymizeOptions options;
    const auto key = options.key();
    BOOST_TEST(key.size() == 32u);
    BOOST_TEST(options.key() != key);
    const test::ScratchFile file;
    options.key_file = file.path();
    BOOST_CHECK_THROW(options.key(), InputError);
    std::ofstream(file.path()) << "sixteen bytes ok";
    BOOST_TEST(options.key() == "sixteen bytes ok");
}

BOOST_AUTO_TEST_CASE(blocks_have_a_sensible_length)
{
    workload::AnonymizeOptions options;
    BOOST_TEST(options.block_tokens() == 16);
    options.block = 0;
    BOOST_CHECK_THROW(options.block_tokens(), UsageError);
    options.block = 4097;
    BOOST_CHECK_THROW(options.block_tokens(), UsageError);
}
