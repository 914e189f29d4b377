// SPDX-License-Identifier: MIT
#include <slo/net/api_key.hpp>

#define BOOST_TEST_MODULE net_api_key
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <cstdlib>
#include <fstream>
#include <string>

using namespace slo::net;

namespace {

struct Fixture {
    slo::test::ScratchFile file;
    const std::string& name = file.path();
    Fixture() { ::unsetenv("OPENAI_API_KEY"); }
    ~Fixture() { ::unsetenv("OPENAI_API_KEY"); }
    void write(const std::string& text) const { std::ofstream(name) << text; }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(api_key, Fixture)

BOOST_AUTO_TEST_CASE(the_nearest_source_wins)
{
    BOOST_TEST(find_api_key("", "") == placeholder_api_key);
    ::setenv("OPENAI_API_KEY", "from-environment", 1);
    BOOST_TEST(find_api_key("", "") == "from-environment");
    BOOST_TEST(find_api_key("given", "") == "given");
    write(" from-file \r\nsecond line\n");
    BOOST_TEST(find_api_key("", name) == "from-file");
    ::setenv("OPENAI_API_KEY", "", 1);
    BOOST_TEST(find_api_key("", "") == placeholder_api_key);
}

BOOST_AUTO_TEST_CASE(what_no_header_may_carry_is_refused_without_being_told)
{
    for (const char* key : {"a b", "a\nX-Evil: 1", "\x01", "k\xC3\xA9y"}) {
        try {
            find_api_key(key, "");
            BOOST_ERROR("accepted");
        } catch (const slo::UsageError& error) {
            BOOST_TEST(std::string(error.what()).find(key) == std::string::npos);
        }
    }
}

BOOST_AUTO_TEST_CASE(bad_sources_are_errors)
{
    BOOST_CHECK_THROW(find_api_key("k", name), slo::UsageError);
    BOOST_CHECK_THROW(find_api_key("", "/nowhere/key"), slo::IoError);
    write("\nkey\n");
    BOOST_CHECK_THROW(find_api_key("", name), slo::InputError);
}

BOOST_AUTO_TEST_SUITE_END()
