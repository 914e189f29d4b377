// SPDX-License-Identifier: MIT
#include <slo/plan/docker_options.hpp>

#define BOOST_TEST_MODULE plan_docker_options
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace slo::plan;

namespace {

// "name[=value]" of each option taken, and what is left.
std::string taken(const std::vector<std::string>& words, bool podman = false)
{
    std::size_t at = 0;
    const auto options = take_docker_options(words, at, podman);
    if (!options)
        return "missing";
    std::string text;
    for (const auto& option : *options)
        text += option.name + (option.value ? "=" + *option.value : "") + " ";
    for (; at < words.size(); ++at)
        text += "|" + words[at];
    return text;
}

} // namespace

BOOST_AUTO_TEST_CASE(long_options)
{
    BOOST_TEST(taken({"--gpus", "all", "image"}) == "--gpus=all |image");
    BOOST_TEST(taken({"--gpus=all", "image"}) == "--gpus=all |image");
    BOOST_TEST(taken({"--privileged", "image"}) == "--privileged |image");
    BOOST_TEST(taken({"--unsetenv-all", "image"}, true) == "--unsetenv-all |image");
    BOOST_TEST(taken({"--rm=false", "image"}) == "--rm=false |image");
    BOOST_TEST(taken({"--gpus"}) == "missing");
}

BOOST_AUTO_TEST_CASE(short_options_alone_and_in_clusters)
{
    BOOST_TEST(taken({"-p", "1:2", "image"}) == "-p=1:2 |image");
    BOOST_TEST(taken({"-p1:2", "image"}) == "-p=1:2 |image");
    BOOST_TEST(taken({"-itd", "image"}) == "-i -t -d |image");
    BOOST_TEST(taken({"-dp", "1:2", "image"}) == "-d -p=1:2 |image");
    BOOST_TEST(taken({"-deA=B", "image"}) == "-d -e=A=B |image");
    BOOST_TEST(taken({"-i=false", "image"}) == "-i=false |image");
    BOOST_TEST(taken({"-dp"}) == "missing");
}

BOOST_AUTO_TEST_CASE(pull_has_a_value_in_docker_alone)
{
    BOOST_TEST(taken({"--pull", "always", "image"}) == "--pull=always |image");
    BOOST_TEST(taken({"--pull", "image"}, true) == "--pull |image");
}
