// SPDX-License-Identifier: MIT
#include <slo/artifact/validity_load.hpp>

#define BOOST_TEST_MODULE artifact_validity_load
#include <boost/test/unit_test.hpp>

using namespace slo;

namespace {

std::string differences(std::string_view artifact, std::string_view load)
{
    const auto card = parse_json(R"({"load":)" + std::string(load) + "}");
    return artifact::listed(
        artifact::detail::load_differences(artifact::parse_artifact(artifact, "a"), card.get_object()));
}

std::string point(std::string_view load, int completed = 100)
{
    return R"({"metrics":{"completed":)" + std::to_string(completed) + R"(},"workload":{"load":)" +
           std::string(load) + "}}";
}

} // namespace

BOOST_AUTO_TEST_CASE(type_and_figures)
{
    BOOST_TEST(differences(point(R"({"type":"constant","request_rate":2})"),
                           R"({"type":"constant","request_rate":2.0})") == "");
    BOOST_TEST(differences(point(R"({"type":"poisson","request_rate":2})"),
                           R"({"type":"constant","request_rate":2})") == "load.type poisson");
    BOOST_TEST(differences(point(R"({"type":"constant","request_rate":3})"),
                           R"({"type":"constant","request_rate":2})") == "load.request_rate 3, a rate of 3");
    BOOST_TEST(differences(point("{}"), R"({"type":"constant"})") == "no load.type");
    BOOST_TEST(differences("{}", "{}") == "");
}

BOOST_AUTO_TEST_CASE(one_point_of_a_sweep)
{
    BOOST_TEST(differences(point(R"({"type":"concurrency","concurrency":8})"),
                           R"({"type":"concurrency-sweep","levels":[1,8]})") == "");
    BOOST_TEST(differences(point(R"({"type":"concurrency","concurrency":9})"),
                           R"({"type":"concurrency-sweep","levels":[1,8]})") ==
               "concurrency 9 is none of the card's");
    BOOST_TEST(differences(point(R"({"type":"sweep","request_rate":5})"),
                           R"({"type":"sweep","rates":[1,4]})") == "rate 5 is none of the card's");
}

BOOST_AUTO_TEST_CASE(the_rate_that_was_asked_for_and_the_requests_sent)
{
    const auto* card = R"({"type":"constant","request_rate":10,"num_prompts":100})";
    const auto artifact = [](std::string_view rate, int completed, int left_out, int before = 0) {
        return R"({"metrics":{"completed":)" + std::to_string(completed) +
               R"(},"workload":{"load":{"type":"constant","request_rate":10}},"extensions":{"sloutils":{"rounds":[{"target_qps":)" +
               std::string(rate) + R"(}],"warm_up":{"requests_left_out":)" + std::to_string(left_out) +
               R"(,"requests_before":)" + std::to_string(before) + "}}}}";
    };
    BOOST_TEST(differences(artifact("10.05", 65, 30), card) == "");
    BOOST_TEST(differences(artifact("12", 65, 30), card) == "a rate of 12");
    BOOST_TEST(differences(artifact("10", 64, 30), card) == "94 of 100 requests");
    BOOST_TEST(differences(artifact("10", 65, 0, 30), card) == "65 of 100 requests"); // of another run
}
