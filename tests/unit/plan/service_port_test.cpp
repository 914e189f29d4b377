// SPDX-License-Identifier: MIT
#include <slo/plan/service_port.hpp>

#define BOOST_TEST_MODULE plan_service_port
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace slo::plan;

namespace {

int of_command(const std::vector<std::string>& words)
{
    return port_of_command(words).value_or(-1);
}

int of_container(const std::vector<std::string>& words)
{
    return port_of_container(rewrite_docker_run(words, "n").value()).value_or(-1);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_command_names_its_port)
{
    BOOST_TEST(of_command({"vllm", "serve", "m", "--port", "8000"}) == 8000);
    BOOST_TEST(of_command({"vllm", "--port=9", "--port", "10"}) == 10);
    BOOST_TEST(of_command({"x", "--port", "0"}) == -1);
    BOOST_TEST(of_command({"x", "--port", "65536"}) == -1);
    BOOST_TEST(of_command({"x", "--port", "a"}) == -1);
    BOOST_TEST(of_command({"x", "--port"}) == -1);
    BOOST_TEST(of_command({"--portal", "8"}) == -1);
}

BOOST_AUTO_TEST_CASE(a_container_answers_where_its_port_is_published)
{
    BOOST_TEST(of_container({"docker", "run", "-p", "8001:8000", "i", "--port", "8000"}) == 8001);
    BOOST_TEST(of_container({"docker", "run", "--publish=127.0.0.1:8002:8000/tcp", "i"}) == 8002);
    BOOST_TEST(of_container({"docker", "run", "-p", "[::1]:8003:8000", "i"}) == 8003);
    BOOST_TEST(of_container({"docker", "run", "-p", "8000", "i"}) == -1);
    BOOST_TEST(of_container({"docker", "run", "-p", "127.0.0.1::8000", "i"}) == -1);
    BOOST_TEST(of_container({"docker", "run", "i", "--port", "8000"}) == -1);
    BOOST_TEST(of_container({"docker", "run", "--network=host", "i", "--port", "8000"}) == 8000);
    BOOST_TEST(of_container({"docker", "run", "--net", "host", "-p", "1:2", "i", "--port", "8"}) == 8);
}
