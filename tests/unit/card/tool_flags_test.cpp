#include <slo/card/tool_flags.hpp>

#define BOOST_TEST_MODULE card_tool_flags
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>

using namespace slo;

namespace {

std::string refusal(card::Tool tool, const card::Argv& argv)
{
    try {
        card::check_flags(tool, argv);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(the_tables_are_in_order)
{
    for (const auto tool : {card::Tool::vllm, card::Tool::sglang}) {
        const auto flags = card::flags_of(tool)->flags;
        BOOST_TEST(std::is_sorted(flags.begin(), flags.end()));
        BOOST_TEST(std::all_of(flags.begin(), flags.end(), [](auto flag) { return flag.starts_with("--"); }));
    }
    BOOST_TEST(!card::flags_of(card::Tool::replay));
}

// The traps of the benchmark standard, section 9, 4 and 5.
BOOST_AUTO_TEST_CASE(what_a_release_does_not_have_is_refused)
{
    BOOST_TEST(refusal(card::Tool::sglang, {"--goodput", "ttft:300"}) ==
               "sglang.bench_serving 0.5.9: has no option --goodput");
    BOOST_TEST(refusal(card::Tool::sglang, {"--burstiness", "1"}) ==
               "sglang.bench_serving 0.5.9: has no option --burstiness");
    BOOST_TEST(refusal(card::Tool::vllm, {"--dataset-name", "generated-shared-prefix"}) ==
               "vllm bench serve 0.11.2: has no data set generated-shared-prefix");
    BOOST_TEST(refusal(card::Tool::vllm, {"--gsp-num-groups", "4"}) ==
               "vllm bench serve 0.11.2: has no option --gsp-num-groups");
    BOOST_TEST(refusal(card::Tool::vllm, {"--goodput", "ttft:300", "--num-warmups", "3"}) == "");
    BOOST_TEST(refusal(card::Tool::vllm, {"--dataset-name", "prefix_repetition"}) == "");
    BOOST_TEST(refusal(card::Tool::sglang, {"--dataset-name", "generated-shared-prefix"}) == "");
}
