// SPDX-License-Identifier: MIT
#include <slo/workload/quota_record.hpp>

#define BOOST_TEST_MODULE workload_quota_record
#include <boost/test/unit_test.hpp>

#include "../../support/odd_tokenizer.hpp"
#include "../../support/small_quota.hpp"

#include <string>
#include <vector>

using namespace slo;

namespace {

std::string names(const json::object& object)
{
    std::string all;
    for (const auto& member : object)
        all += std::string(member.key()) + " ";
    return all;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_record_has_what_its_readers_know)
{
    auto spec = test::quota_spec(test::small_boundary_text());
    spec.parse_mode = "n_choices";
    auto pool = test::small_pool(spec, 10);
    pool[5].history.insert(pool[5].history.begin() + 4, {"user", "", false});
    test::OddTokenizer tokenizer;
    workload::RowMaker maker(spec, pool, tokenizer, 1);
    const workload::RowGroup group{"joined", 1, nullptr, &spec.categories[3]};
    const auto row = maker.make(group, {{5, 0, 5}}, [](const auto&) { return false; })[0];
    const workload::QuotaRecords records(spec, pool, maker, tokenizer.description());
    const auto record = records.record(group, row, 7, 3);
    BOOST_TEST(record.ts == "106");
    BOOST_TEST(record.conv_id == "q-007");
    const auto& assembly = record.other.at("assembly").as_object();
    BOOST_TEST(names(assembly) ==
               "source_row personality scenario system_base history_raw history_after_merge entry language "
               "local_budget local_tokens_after_trim trimmed turns_in turns_out turns_merged "
               "padded_to_hit_provider_bucket boundary_categories ");
    BOOST_TEST(assembly.at("source_row").as_string() == "talk-5");
    BOOST_TEST(assembly.at("local_budget").as_int64() == 150);
    BOOST_TEST(assembly.at("padded_to_hit_provider_bucket").as_bool());
    BOOST_TEST(to_json(assembly.at("boundary_categories")) == "[\"joined\"]");
    BOOST_TEST(
        to_json(assembly.at("history_raw")) ==
        R"([{"role":"user","content":"message 2 of talk 5"},{"role":"assistant","content":"message 3 of talk 5"},)"
        R"({"role":"user","content":null},{"role":"user","content":"message 4 of talk 5"}])");
    BOOST_TEST(
        to_json(record.other.at("model")) ==
        R"({"prompt_tokens_chat_template":250,"bucket":"long","expected_n":3,"parse_mode":"n_choices","tokenizer":"odd:m1"})");
    BOOST_TEST(names(record.body) == "prompt n max_tokens temperature ");
    BOOST_TEST(to_json(record.body.at("prompt")) == row.prompt);
    // What the record says of itself is what it was judged by.
    const auto facts = workload::read_row_facts(assembly, record.other.at("model").as_object());
    BOOST_TEST(facts.turns_merged == row.facts.turns_merged);
    BOOST_TEST(facts.longest_message_chars == row.facts.longest_message_chars);
    BOOST_TEST(workload::broken_part(group.category->promise, facts) == "");
}
