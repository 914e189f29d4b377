#include <slo/card/card.hpp>

#define BOOST_TEST_MODULE card_card
#include <boost/test/unit_test.hpp>

#include <slo/config/document.hpp>

#include <filesystem>
#include <string>

using namespace slo;

namespace {

std::string reason_of(std::string_view text)
{
    try {
        card::parse_card(text, "c.yaml");
    } catch (const InputError& error) {
        return error.what();
    }
    return "taken";
}

json::object merged(std::string_view card, std::string_view sidecar)
{
    return card::merge_card(card::parse_card(card, "c"), config::parse_document(sidecar, "s")).root;
}

constexpr auto sweep =
    "{catalog_id: t, load: {type: sweep, rates: [1, 2, 3]}, dataset: {type: real, source: x}}";

} // namespace

BOOST_AUTO_TEST_CASE(all_example_cards_are_read_and_named_as_their_files)
{
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("examples/cards")) {
        const auto card = card::load_card(entry.path().string());
        BOOST_TEST(card.root.at("catalog_id").as_string() == entry.path().stem().string());
        BOOST_TEST(card.root.contains("description"));
        BOOST_TEST(card.root.contains("modality"));
        BOOST_TEST(card.root.contains("slo"));
        ++count;
    }
    BOOST_TEST(count == 26U);
}

BOOST_AUTO_TEST_CASE(what_the_format_allows_is_taken)
{
    BOOST_TEST(reason_of("{dataset: {type: synthetic, input_tokens: 100, output_tokens: {mean: 10.5}}}") ==
               "taken");
    BOOST_TEST(
        reason_of(
            "load: {request_rate: inf}\ndataset: {observed_distribution: {input_tokens: {max: ~16K}}}") ==
        "taken");
    BOOST_TEST(reason_of("{load: {num_prompts: null}, extensions: {anything: {goes: here}}}") == "taken");
}

BOOST_AUTO_TEST_CASE(what_is_unknown_doubled_or_of_another_type_is_named)
{
    BOOST_TEST(reason_of("load: {request_rat: 2}") ==
               "c.yaml: load.request_rat: is unknown; did you mean request_rate?");
    BOOST_TEST(reason_of("dataset: {context_tiers: [{prefix_token: 3}]}") ==
               "c.yaml: dataset.context_tiers[0].prefix_token: is unknown; did you mean prefix_tokens?");
    BOOST_TEST(reason_of("slo: {ttft_p99: 300}") ==
               "c.yaml: slo.ttft_p99: is unknown; did you mean ttft_p99_ms?");
    BOOST_TEST(reason_of("slo: {ttft_p99_ms: 1}\nslo: {}") == "c.yaml:2: 'slo' stands twice");
    BOOST_TEST(reason_of("load: {rates: 4}") == "c.yaml: load.rates: is no list of numbers above 0");
    BOOST_TEST(reason_of("load: {rates: [0]}") == "c.yaml: load.rates: is no list of numbers above 0");
    BOOST_TEST(reason_of("modality: txt") ==
               "c.yaml: modality: is 'txt', which is unknown; did you mean text?");
    BOOST_TEST(reason_of("dataset: {input_tokens: many}") ==
               "c.yaml: dataset.input_tokens: is no number from 0.0 to 1e+15");
    BOOST_TEST(reason_of("dataset: {input_tokens: {meen: 3}}") ==
               "c.yaml: dataset.input_tokens.meen: is unknown; did you mean mean?");
    BOOST_TEST(reason_of("slo: {error_rate_max: 5}") ==
               "c.yaml: slo.error_rate_max: is no number from 0.0 to 1.0");
    BOOST_TEST(reason_of("") == "c.yaml:1: holds nothing");
}

BOOST_AUTO_TEST_CASE(an_override_is_laid_over_the_card)
{
    auto root =
        merged(sweep, "{workloads: [{catalog_id: t, override: {load: {rates: [9]}, slo: {ttft_p99_ms: 4}}}, "
                      "{catalog_id: t, override: {load: {rates: [8]}}}]}");
    BOOST_TEST(to_json(root.at("load")) == R"({"type":"sweep","rates":[9]})");
    BOOST_TEST(root.at("slo").at("ttft_p99_ms").as_int64() == 4);
    root = merged(sweep, "{workload_overrides: {load: {rates: null}}}");
    BOOST_TEST(root.at("load").at("rates").is_null());
    root = merged(sweep, "{workload_overrides: null}");
    BOOST_TEST(root.at("load").at("rates").as_array().size() == 3U);
}

BOOST_AUTO_TEST_CASE(an_entry_without_an_override_hides_the_rest_and_says_so)
{
    const auto found = card::merge_card(
        card::parse_card(sweep, "c"),
        config::parse_document("{workload_overrides: {load: {rates: [7]}}, workloads: [{catalog_id: t}]}",
                               "s"));
    BOOST_TEST(found.root.at("load").at("rates").as_array().size() == 3U);
    BOOST_TEST(found.notes.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_trace_becomes_the_data_set_of_cards_that_replay_one)
{
    const auto* trace = "{workload_overrides: {trace: {source: mooncake, path: /t, sample_size: 5}}}";
    auto root = merged(sweep, trace);
    BOOST_TEST(to_json(root.at("dataset")) ==
               R"({"type":"real","source":"mooncake","path":"/t","sample_size":5})");
    BOOST_TEST(!root.contains("trace"));
    root = merged("{dataset: {type: synthetic}}", trace);
    BOOST_TEST(to_json(root.at("dataset")) == R"({"type":"synthetic"})");
}

BOOST_AUTO_TEST_CASE(a_rate_of_the_sidecar_goes_where_the_load_has_its_own)
{
    const auto rate = [](std::string_view card) {
        return merged(card, "{workload_overrides: {target_qps: 8}}");
    };
    BOOST_TEST(rate("{load: {type: constant, request_rate: 2}}").at("load").at("request_rate") ==
               json::value(8));
    BOOST_TEST(rate("{load: {type: qps-constrained}}").at("load").at("target_qps") == json::value(8));
    const auto modes = rate("{load: {modes: [{type: max-rate}, {type: qps-constrained, target_qps: 4}]}}");
    BOOST_TEST(to_json(modes.at("load").at("modes")) ==
               R"([{"type":"max-rate"},{"type":"qps-constrained","target_qps":8}])");
    BOOST_TEST(rate(sweep).contains("target_qps"));
}

BOOST_AUTO_TEST_CASE(what_an_override_misspells_is_named)
{
    BOOST_CHECK_EXCEPTION(
        merged(sweep, "{workload_overrides: {load: {rate: [1]}}}"), InputError, [](const InputError& error) {
            return error.what() == std::string("c with the sidecar's changes: load.rate: is unknown; "
                                               "did you mean rates?");
        });
}
