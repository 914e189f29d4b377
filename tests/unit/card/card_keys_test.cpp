#include <slo/card/card_keys.hpp>

#define BOOST_TEST_MODULE card_card_keys
#include <boost/test/unit_test.hpp>

#include <slo/base/json_parse.hpp>

#include <string>

using namespace slo;

namespace {

std::string reason_of(std::string_view text)
{
    const auto value = parse_json(text);
    try {
        card::card_keys::check_card(value.get_object(), "c");
    } catch (const InputError& error) {
        return error.what();
    }
    return "taken";
}

} // namespace

BOOST_AUTO_TEST_CASE(every_block_is_looked_into)
{
    for (const char* block : {"dataset", "load", "slo", "api", "sampling", "sentinel", "statistics",
                              "validation", "cross_check", "prefix_pool"})
        BOOST_TEST(reason_of(std::string("{\"") + block + "\":{\"nobody_knows\":1}}") ==
                   std::string("c: ") + block + ".nobody_knows: is unknown");
    for (const char* list : {"scenarios", "kv_architecture_arms"})
        BOOST_TEST(reason_of(std::string("{\"") + list + "\":[{\"nobody_knows\":1}]}") ==
                   std::string("c: ") + list + "[0].nobody_knows: is unknown");
    BOOST_TEST(reason_of(R"({"nobody_knows":1})") == "c: nobody_knows: is unknown");
    BOOST_TEST(reason_of(R"({"extensions":{"nobody_knows":1}})") == "taken");
}

BOOST_AUTO_TEST_CASE(values_are_of_their_kind)
{
    BOOST_TEST(reason_of(R"({"load":{"request_rate":"fast"}})") ==
               "c: load.request_rate: is no number from 0.0 to 1e+15");
    BOOST_TEST(reason_of(R"({"load":{"request_rate":-1}})") ==
               "c: load.request_rate: is no number from 0.0 to 1e+15");
    BOOST_TEST(reason_of(R"({"dataset":{"prefix_reuse":"per-sesion"}})") ==
               "c: dataset.prefix_reuse: is 'per-sesion', which is unknown; did you mean per-session?");
    BOOST_TEST(reason_of(R"({"dataset":{"prefix_reuse":true}})") == "taken");
    BOOST_TEST(reason_of(R"({"dataset":{"context_lengths":4096}})") == "taken");
    BOOST_TEST(reason_of(R"({"dataset":{"context_lengths":["4k"]}})") ==
               "c: dataset.context_lengths: is no list of numbers above 0");
    BOOST_TEST(reason_of(R"({"load":{"saturation_signals":"all"}})") ==
               "c: load.saturation_signals: is no list");
    BOOST_TEST(reason_of(R"({"catalog_id":5})") == "c: catalog_id: is no text; put it in quotes");
    BOOST_TEST(reason_of(R"({"validation":{"required_metrics":[1]}})") ==
               "c: validation.required_metrics: is no list of texts");
}
