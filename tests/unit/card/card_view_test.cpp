#include <slo/card/card_view.hpp>

#define BOOST_TEST_MODULE card_card_view
#include <boost/test/unit_test.hpp>

#include <slo/base/json_parse.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace slo;

namespace {

card::CardView view(std::string_view text)
{
    return card::CardView(parse_json(text).as_object());
}

card::Count count(std::string_view text)
{
    return view("{\"n\":" + std::string(text) + "}").count("n", true).value();
}

std::vector<std::string> keys_lost(const card::CardView& card)
{
    std::vector<std::string> keys;
    for (const auto& [key, value, reason] : card.not_expressed([](std::string_view) { return "why"; }))
        keys.push_back(key + " " + to_json(value) + " " + reason);
    return keys;
}

} // namespace

// What str() of Python 3 gives for the same numbers.
BOOST_AUTO_TEST_CASE(numbers_as_python_writes_them)
{
    for (const auto& [value, text] :
         std::vector<std::pair<json::value, std::string>>{{2, "2"},
                                                          {2.0, "2.0"},
                                                          {0.5, "0.5"},
                                                          {1e-5, "1e-05"},
                                                          {0.0001, "0.0001"},
                                                          {100000.0, "100000.0"},
                                                          {1e15, "1000000000000000.0"},
                                                          {1e16, "1e+16"},
                                                          {0.1, "0.1"}})
        BOOST_TEST(card::python_text(value) == text);
}

BOOST_AUTO_TEST_CASE(distributions_become_laws)
{
    BOOST_TEST(card::law_of(count("512")) == "512");
    BOOST_TEST(card::law_of(count(R"({"mean":2048.9})")) == "2048");
    BOOST_TEST(card::law_of(count(R"({"mean":256,"std_dev":0})")) == "256");
    BOOST_TEST(card::law_of(count(R"({"mean":256,"std_dev":64})")) == "normal:256:64");
    BOOST_TEST(card::law_of(count(R"({"mean":256,"std_dev":64,"max":300})")) == "normal:256:64:1:300");
    // ln(4690 / 1654) / 1.28155
    BOOST_TEST(card::law_of(count(R"({"p50":1654,"p90":4690,"mean":2500})")) == "lognormal:1654:0.8133");
    BOOST_TEST(card::law_of(count(R"({"p50":243,"p90":415,"mean":280,"max_cap":2000})")) ==
               "lognormal:243:0.4176:1:2000");
    BOOST_TEST(card::law_of(count(R"({"min":1,"max":10,"mean":5})")) == "normal:5:2.25:1:10");
    BOOST_TEST(card::law_of(count(R"({"min":2,"max":30})")) == "uniform:2:30");
    BOOST_TEST(card::law_of(count(R"({"min":0,"max":1})"), false) == "uniform:0:1");
    BOOST_TEST(count(R"({"min":2,"max":30})").mean == 16);
}

BOOST_AUTO_TEST_CASE(sums_add_means_and_variances)
{
    const auto sum =
        card::sum_of(count(R"({"mean":30,"std_dev":3})"), count(R"({"mean":40,"std_dev":4,"min":10})"));
    BOOST_TEST(sum.mean == 70);
    BOOST_TEST(sum.deviation == 5);
    BOOST_TEST(sum.least.value() == 10);
}

BOOST_AUTO_TEST_CASE(what_nobody_read_is_told)
{
    auto card = view(
        R"({"catalog_id":"t","extensions":{"x":1},"load":{"type":"sweep","rates":[1],"seed":4,"off":false,)"
        R"("none":null,"stop":{"a":1,"b":null}},"slo":{"x":0}})");
    BOOST_TEST(card.text("load.type").value() == "sweep");
    BOOST_TEST(card.list("load.rates")->size() == 1U);
    BOOST_TEST(!card.get("load.deeper.still"));
    const std::vector<std::string> expected{"load.seed 4 why", "load.stop.a 1 why", "slo.x 0 why"};
    BOOST_TEST(keys_lost(card) == expected, boost::test_tools::per_element());
    card.lose("load.type", "because");
    card.get("load.stop");
    card.get("slo.x");
    card.get("load.seed");
    const std::vector<std::string> said{R"(load.type "sweep" because)"};
    BOOST_TEST(keys_lost(card) == said, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_mean_alone_leaves_the_spread_to_be_told)
{
    auto card = view(R"({"n":{"mean":5,"std_dev":2},"m":{"mean":5,"std_dev":0},"k":7})");
    BOOST_TEST(card.count("n", false)->whole() == 5);
    BOOST_TEST(card.count("m", false)->whole() == 5);
    BOOST_TEST(card.count("k", false)->whole() == 7);
    BOOST_TEST(!card.count("none", false));
    const std::vector<std::string> expected{"n.std_dev 2 why"};
    BOOST_TEST(keys_lost(card) == expected, boost::test_tools::per_element());
}
