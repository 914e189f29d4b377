#include <slo/workload/multi_turn.hpp>

#define BOOST_TEST_MODULE workload_multi_turn
#include <boost/test/unit_test.hpp>

#include "../../support/built_route.hpp"

#include <slo/tokens/sim_tokenizer.hpp>

#include <map>
#include <string>
#include <vector>

using namespace slo;

namespace {

workload::MultiTurnOptions small()
{
    workload::MultiTurnOptions options;
    options.rows.tokenizer.how = "sim";
    options.conversations = 30;
    options.turns = "uniform:1:6";
    options.first_len = "50";
    options.turn_len = "20";
    options.output_len = "uniform:5:9";
    return options;
}

std::map<std::string, std::vector<json::object>> conversations_of(const test::BuiltRoute& route)
{
    std::map<std::string, std::vector<json::object>> conversations;
    for (const auto& row : route.rows)
        conversations[std::string(row.at("conv_id").as_string())].push_back(row);
    return conversations;
}

} // namespace

BOOST_AUTO_TEST_CASE(each_turn_begins_with_all_that_was_said_before)
{
    auto options = small();
    options.system_len = 30;
    tokens::SimTokenizer sim;
    for (const auto& [id, rows] : conversations_of(test::build_route(options))) {
        for (std::size_t turn = 0; turn < rows.size(); ++turn) {
            const auto& prompt = rows[turn].at("body").at("prompt").as_array();
            BOOST_TEST(prompt.size() == 2 * turn + 2);
            BOOST_TEST(prompt.back().at("role") == "user");
            BOOST_TEST(sim.count_text(std::string(prompt.back().at("content").as_string())) ==
                       (turn == 0 ? 50 : 20));
            if (turn == 0)
                continue;
            const auto& before = rows[turn - 1].at("body").at("prompt").as_array();
            for (std::size_t i = 0; i < before.size(); ++i)
                BOOST_TEST(prompt[i] == before[i]);
            const auto& answer = prompt[before.size()];
            BOOST_TEST(answer.at("role") == "assistant");
            BOOST_TEST(sim.count_text(std::string(answer.at("content").as_string())) ==
                       rows[turn - 1].at("body").at("max_tokens").as_int64());
            BOOST_TEST(rows[turn - 1].at("ts").as_int64() < rows[turn].at("ts").as_int64());
        }
    }
}

BOOST_AUTO_TEST_CASE(prompts_begin_with_earlier_ones_where_a_template_shifts_the_tokens)
{
    for (const auto* how : {"approx:3.5", "spm:tests/data/tokens/unigram.model"}) {
        auto options = small();
        options.rows.tokenizer.how = how;
        options.rows.tokenizer.chat_template = "chatml";
        const auto route = test::build_route(options);
        BOOST_TEST(route.manifest.at("lengths").at("largest_difference").as_int64() > 0);
        BOOST_TEST(route.notes.find("tokens off their planned length") != std::string::npos);
        for (const auto& [id, rows] : conversations_of(route)) {
            for (std::size_t turn = 1; turn < rows.size(); ++turn) {
                const auto& before = rows[turn - 1].at("body").at("prompt").as_array();
                auto begin = rows[turn].at("body").at("prompt").as_array();
                begin.resize(before.size());
                BOOST_TEST((begin == before));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(conversations_are_interleaved_in_the_order_of_time)
{
    const auto route = test::build_route(small());
    BOOST_TEST(conversations_of(route).size() == 30u);
    int changes = 0;
    for (std::size_t i = 1; i < route.rows.size(); ++i) {
        BOOST_TEST(route.rows[i - 1].at("ts").as_int64() <= route.rows[i].at("ts").as_int64());
        changes += route.rows[i - 1].at("conv_id") != route.rows[i].at("conv_id");
    }
    BOOST_TEST(changes > 40);
    BOOST_TEST(route.manifest.at("most_conversations_at_once").as_int64() > 5);
}

BOOST_AUTO_TEST_CASE(beginnings_and_thinking_times_are_as_asked)
{
    auto options = small();
    options.arrivals = "constant";
    options.rate = 4;
    options.turns = "3";
    options.think_time = "0.1";
    options.conversations = 3;
    std::vector<std::int64_t> times_ms;
    for (const auto& row : test::build_route(options).rows)
        times_ms.push_back((row.at("ts").as_int64() - 1760000000000000000) / 1000000);
    BOOST_TEST(times_ms == (std::vector<std::int64_t>{0, 100, 200, 250, 350, 450, 500, 600, 700}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(without_time_between_them_turns_still_have_an_order)
{
    auto options = small();
    options.think_time = "0";
    for (const auto& [id, rows] : conversations_of(test::build_route(options)))
        for (std::size_t i = 1; i < rows.size(); ++i)
            BOOST_TEST(rows[i].at("ts").as_int64() == rows[i - 1].at("ts").as_int64() + 1);
}

BOOST_AUTO_TEST_CASE(poisson_beginnings_have_their_rate)
{
    auto options = small();
    options.conversations = 5000;
    options.turns = "1";
    options.rate = 10;
    options.first_len = "5";
    const auto route = test::build_route(options);
    const auto seconds =
        static_cast<double>(route.rows.back().at("ts").as_int64() - 1760000000000000000) / 1e9;
    BOOST_TEST(std::abs(seconds - 500) < 30); // four standard deviations
}

BOOST_AUTO_TEST_CASE(a_conversation_ends_where_the_context_would)
{
    auto options = small();
    options.turns = "10";
    options.conversations = 4;
    options.output_len = "20";
    options.max_model_len = 150;
    const auto route = test::build_route(options);
    tokens::SimTokenizer sim;
    for (const auto& row : route.rows)
        BOOST_TEST(sim.count_prompt(row.at("body").at("prompt")) + 20 <= 150);
    // 53 + 44 a turn, and 20 for the answer: two turns fit.
    BOOST_TEST(route.rows.size() == 8u);
    BOOST_TEST(to_json(route.manifest.at("skipped")) == R"({"turns beyond --max-model-len":32})");
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused)
{
    const auto refused = [](auto&& change) {
        auto options = small();
        change(options);
        BOOST_CHECK_THROW(test::build_route(options), UsageError);
    };
    refused([](auto& options) { options.conversations = 0; });
    refused([](auto& options) { options.rate = 0; });
    refused([](auto& options) { options.arrivals = "weekly"; });
    refused([](auto& options) { options.think_time = "-1"; });
    refused([](auto& options) { options.system_len = -1; });
    refused([](auto& options) { options.rows.raw_prompt = true; });
    refused([](auto& options) { options.turns = "0"; });
}
