#include <slo/card/argv_common.hpp>

#define BOOST_TEST_MODULE card_argv_common
#include <boost/test/unit_test.hpp>

#include <slo/base/json_parse.hpp>

#include <string>

using namespace slo;

namespace {

std::string windows(double duration_s)
{
    const auto found = card::windows_of(duration_s);
    return std::to_string(found.count) + "x" + std::to_string(found.length_s);
}

} // namespace

BOOST_AUTO_TEST_CASE(addresses_are_written_in_one_way)
{
    BOOST_TEST(card::service_url("http://host:8000/v1/") == "http://host:8000");
    BOOST_TEST(card::service_url("https://host/deep//") == "https://host/deep");
    for (const char* bad : {"host:8000", "http:///v1", "http://user:password@host"})
        BOOST_CHECK_THROW(card::service_url(bad), UsageError);
    BOOST_TEST(card::service_url("http://host/a@b") == "http://host/a@b");
}

BOOST_AUTO_TEST_CASE(names_of_files_are_safe_and_none_stands_twice)
{
    card::StepNames names("out/");
    names.begin("qps2.0");
    BOOST_TEST(names.file("route") == "out/route-qps2.0.jsonl");
    names.begin("../../etc/pass wd");
    BOOST_TEST(names.file("route") == "out/route-.._.._etc_pass_wd.jsonl");
    names.begin("qps2.0");
    BOOST_TEST(names.file("result", "json") == "out/result-qps2.0-2.json");
}

BOOST_AUTO_TEST_CASE(windows_hold_the_load_and_little_more)
{
    BOOST_TEST(windows(50) == "10x5");
    BOOST_TEST(windows(25) == "5x5");
    BOOST_TEST(windows(900) == "9x100");
    BOOST_TEST(windows(28.6) == "10x3");
    BOOST_TEST(windows(3) == "3x1");
    BOOST_TEST(windows(0.2) == "1x1");
    for (int seconds = 1; seconds < 2000; ++seconds) {
        const auto found = card::windows_of(seconds);
        BOOST_REQUIRE(found.total_s() >= seconds);
        BOOST_REQUIRE(found.total_s() < seconds + found.length_s);
    }
}

BOOST_AUTO_TEST_CASE(the_interface_of_the_card)
{
    const auto api = [](std::string_view text) {
        card::CardView card(parse_json(text).as_object());
        return card::read_api(card);
    };
    BOOST_TEST(api("{}").path() == "/v1/chat/completions");
    BOOST_TEST(api(R"({"api":{"type":"completions"}})").path() == "/v1/completions");
    const auto other = api(R"({"api":{"endpoint":"/openai/v2/chat/completions","streaming":false}})");
    BOOST_TEST(other.base == "/openai/v2");
    BOOST_TEST(!other.streaming);
}
