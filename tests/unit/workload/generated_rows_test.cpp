#include <slo/workload/generated_rows.hpp>

#define BOOST_TEST_MODULE workload_generated_rows
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <slo/io/fd.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace slo;

namespace {

struct Rows {
    test::ScratchFile file;
    workload::BuildOptions where;
    workload::GeneratedOptions options{"g-"};

    Rows()
    {
        where.output = file.path();
        options.tokenizer.how = "sim";
    }
};

workload::PromptPlan plan_of(std::uint64_t stream, std::int64_t tokens)
{
    workload::PromptPlan plan;
    plan.messages = {{"user", {{stream, tokens}}}};
    return plan;
}

} // namespace

BOOST_AUTO_TEST_CASE(streams_are_told_apart_by_name_number_and_seed)
{
    Rows rows;
    workload::Build build("test", rows.where, [](const std::string&) {});
    workload::GeneratedRows one(rows.options, build, false);
    auto options = rows.options;
    options.seed = 2;
    workload::GeneratedRows two(options, build, false);
    std::set<std::uint64_t> seen;
    for (std::uint64_t number = 0; number < 1000; ++number)
        for (const char* name : {"system", "question"}) {
            BOOST_TEST(seen.insert(one.stream(name, number)).second);
            BOOST_TEST(seen.insert(two.stream(name, number)).second);
        }
}

BOOST_AUTO_TEST_CASE(batches_leave_rows_in_their_order)
{
    Rows rows;
    workload::Build build("test", rows.where, [](const std::string&) {});
    workload::GeneratedRows generated(rows.options, build, true);
    for (std::uint64_t i = 0; i < 1000; ++i)
        generated.add_at(plan_of(i % 10, 20), 5, i / 2 + 1,
                         1760000000000000000 + static_cast<std::int64_t>(i));
    generated.finish();
    build.finish({});
    io::LineReader lines(rows.file.path());
    for (int i = 0; i < 1000; ++i) {
        const auto row = io::next_object(lines).value();
        const auto ts = std::to_string(1760000000000000000 + i);
        auto number = std::to_string(i / 2 + 1);
        number.insert(0, 6 - number.size(), '0');
        BOOST_TEST(to_json(row.at("ts")) == ts);
        BOOST_TEST(std::string(row.at("conv_id").as_string()) == "g-" + number);
    }
    // 23 tokens each: one whole block of ten texts is found again.
    BOOST_TEST(
        to_json(build.facts().at("prefix_cache")) ==
        R"({"block_tokens":16,"prompt_tokens":23000,"shared_tokens":15840,"hit_rate":0.688695652173913})");
    BOOST_TEST(build.facts().at("output_tokens") == 5000);
}

BOOST_AUTO_TEST_CASE(ids_beyond_a_million_are_longer)
{
    Rows rows;
    workload::Build build("test", rows.where, [](const std::string&) {});
    workload::GeneratedRows generated(rows.options, build, false);
    generated.add_at(plan_of(1, 1), 1, 12345678, 1760000000000000000);
    generated.finish();
    build.finish({});
    BOOST_TEST(io::read_all(rows.file.path(), 1000).find("\"g-12345678\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(shuffling_keeps_what_is_there)
{
    std::vector<int> items(100);
    for (int i = 0; i < 100; ++i)
        items[static_cast<std::size_t>(i)] = i;
    auto shuffled = items;
    Random random(1);
    workload::shuffle_by(random, shuffled);
    BOOST_TEST((shuffled != items));
    std::sort(shuffled.begin(), shuffled.end());
    BOOST_TEST((shuffled == items));
}

BOOST_AUTO_TEST_CASE(the_length_in_the_body_goes_first)
{
    const auto built = [](const std::string& body, bool is_fixed) {
        Rows rows;
        rows.options.body = body;
        rows.options.fixed_output = is_fixed;
        workload::Build build("test", rows.where, [](const std::string&) {});
        workload::GeneratedRows generated(rows.options, build, false);
        generated.add(plan_of(1, 20), 5);
        generated.add(plan_of(2, 20), 6);
        generated.finish();
        build.finish({});
        const auto text = io::read_all(rows.file.path(), 100'000);
        const auto row = parse_json(text.substr(0, text.find('\n')));
        auto asked = row.at("body").as_object();
        asked.stable_erase("prompt");
        return to_json(asked) + " " + to_json(build.facts().at("output_tokens"));
    };
    BOOST_TEST(built("", true) == R"({"max_tokens":5,"min_tokens":5,"ignore_eos":true} 11)");
    BOOST_TEST(built(R"({"max_tokens":9})", true) ==
               R"({"max_tokens":9,"min_tokens":9,"ignore_eos":true} 18)");
    BOOST_TEST(built(R"({"max_tokens":9})", false) == R"({"max_tokens":9} 18)");
    BOOST_TEST(built(R"({"max_completion_tokens":9})", true) ==
               R"({"min_tokens":9,"ignore_eos":true,"max_completion_tokens":9} 18)");
    BOOST_TEST(built(R"({"min_tokens":2})", false) == R"({"max_tokens":5,"min_tokens":2} 11)");
    for (const char* wrong :
         {R"({"max_tokens":0})", R"({"max_tokens":"9"})", R"({"max_tokens":null})",
          R"({"max_tokens":8,"max_completion_tokens":9})", R"({"min_tokens":5})", R"({"ignore_eos":false})"})
        BOOST_CHECK_THROW(built(wrong, true), UsageError);
}
