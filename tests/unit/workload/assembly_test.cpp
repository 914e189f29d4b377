// SPDX-License-Identifier: MIT
#include <slo/workload/assembly.hpp>

#define BOOST_TEST_MODULE workload_assembly
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace slo;
using workload::Turn;

namespace {

const std::vector<Turn> talk{{"assistant", "hi"}, {"user", "a"},       {"narrator", "night falls"},
                             {"user", "b"},       {"user", "", false}, {"assistant", "c"}};

std::string text(const std::vector<Turn>& turns)
{
    std::string all;
    for (const auto& message : workload::merge_turns(turns))
        all += message.role + ":" + message.content + ":" + std::to_string(message.parts) + ";";
    return all;
}

workload::Draft draft(const std::vector<Turn>& turns)
{
    return {"system", workload::merge_turns(turns), "now", 0, {}};
}

} // namespace

BOOST_AUTO_TEST_CASE(the_system_message)
{
    workload::PromptSpec spec;
    spec.blocks = {{"Who:", "personality", false}, {"Where:", "scenario", true}};
    spec.instructions = {"Answer.", "Be brief."};
    workload::Conversation conversation;
    conversation.blocks = {"a cook", ""};
    BOOST_TEST(workload::system_text(spec, conversation) == "Who:\na cook\n\nWhere:\n\n\nAnswer. Be brief.");
}

BOOST_AUTO_TEST_CASE(neighbours_are_joined_and_others_left_out)
{
    BOOST_TEST(text(talk) == "assistant:hi:1;user:a\nb\n:3;assistant:c:1;");
    BOOST_TEST(text({}) == "");
    BOOST_TEST(workload::has_same_role_neighbours(talk));
    BOOST_TEST(!workload::has_same_role_neighbours(std::vector<Turn>{{"user", "a"}, {"assistant", "b"}}));
}

BOOST_AUTO_TEST_CASE(a_prompt_of_a_history_that_ends_with_the_assistant)
{
    BOOST_TEST(
        to_json(draft(talk).prompt()) ==
        R"([{"role":"system","content":"system"},{"role":"assistant","content":"hi"},)"
        R"({"role":"user","content":"a\nb\n"},{"role":"assistant","content":"c"},{"role":"user","content":"now"}])");
}

BOOST_AUTO_TEST_CASE(a_history_that_ends_with_the_user_takes_the_trigger_in)
{
    BOOST_TEST(to_json(draft({{"assistant", "hi"}, {"user", "a"}}).prompt()) ==
               R"([{"role":"system","content":"system"},{"role":"assistant","content":"hi"},)"
               R"({"role":"user","content":"a\nnow"}])");
}

BOOST_AUTO_TEST_CASE(what_is_left_out_and_what_is_padded)
{
    auto made = draft({{"assistant", "hi"}, {"user", "a"}});
    made.padding = " so so";
    made.start = 2;
    BOOST_TEST(to_json(made.prompt()) ==
               R"([{"role":"system","content":"system so so"},{"role":"user","content":"now"}])");
    BOOST_TEST(made.kept().empty());
    BOOST_TEST(to_json(made.prompt_from(1)) ==
               R"([{"role":"system","content":"system so so"},{"role":"user","content":"a\nnow"}])");
}
