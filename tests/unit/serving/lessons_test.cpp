#include <slo/serving/lessons.hpp>

#define BOOST_TEST_MODULE serving_lessons
#include <boost/test/unit_test.hpp>

#include "../../support/checked_deployment.hpp"
#include "../../support/scratch_folder.hpp"
#include <slo/io/jsonl.hpp>

using namespace slo;
using serving::model_token;
using serving::same_model;

BOOST_AUTO_TEST_CASE(model_token_vectors)
{
    io::LineReader lines("tests/data/benchmark/model_token.jsonl");
    std::size_t seen = 0;
    while (const auto line = lines.next()) {
        const auto vector = parse_json(*line).as_object();
        BOOST_TEST(model_token(*string_at(vector.at("input").get_object(), "name")) ==
                   *string_at(vector.at("expected").get_object(), "token"));
        ++seen;
    }
    BOOST_TEST(seen == 3U);
}

BOOST_AUTO_TEST_CASE(corpus_match_vectors)
{
    io::LineReader lines("tests/data/benchmark/corpus_match.jsonl");
    std::size_t seen = 0;
    while (const auto line = lines.next()) {
        const auto vector = parse_json(*line).as_object();
        const auto& input = vector.at("input").get_object();
        serving::Lesson lesson;
        lesson.model = *string_at(input, "note_model");
        lesson.engine = *string_at(input, "note_engine");
        BOOST_TEST(matches(lesson, *string_at(input, "model_id"), *string_at(input, "engine")) ==
                   vector.at("expected").at("matches").get_bool());
        ++seen;
    }
    BOOST_TEST(seen == 2U);
}

// Section 9 item 23: any part of a name was taken for the same model. Each of these was a match.
BOOST_AUTO_TEST_CASE(a_part_of_a_name_is_another_model)
{
    const char* const others[][2] = {{"", "qwen3-235b"},       {"qwen3", "qwen3-235b"},
                                     {"8b", "llama-3-18b"},    {"llama-3-8b", "llama-3-8bx"},
                                     {"llama-3", "llama-3-2"}, {"lama-3-8b", "llama-3-8b"}};
    for (const auto& [a, b] : others) {
        BOOST_TEST(std::string_view(b).find(a) != std::string_view::npos, a);
        BOOST_TEST(!same_model(a, b), a);
        BOOST_TEST(!same_model(b, a), a);
    }
    BOOST_TEST(same_model("llama-3-8b", "meta-llama-3-8b-instruct"));
    BOOST_TEST(same_model("mixtral-8x7b", "mixtral-8x7b-instruct"));
    BOOST_TEST(same_model("qwen3", "qwen3"));
}

BOOST_AUTO_TEST_CASE(a_lesson_is_the_front_matter)
{
    const auto lesson = serving::parse_lesson("\xEF\xBB\xBF---\r\nmodel: a/b-7b\nengine: vllm\nhardware: p5\n"
                                              "failure_categories: [oom]\nother: 1\n---\n# Text: [not yaml\n",
                                              "l.md");
    BOOST_TEST(lesson.model == "a/b-7b");
    BOOST_TEST(lesson.hardware == "p5");
    BOOST_REQUIRE(lesson.categories.size() == 1U);
    const auto reason = [](const char* text) {
        try {
            serving::parse_lesson(text, "l.md");
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("taken");
    };
    BOOST_TEST(reason("") == "l.md:1: does not begin with ---");
    BOOST_TEST(reason("---\nmodel: a\n") == "l.md:1: its front matter has no end (---)");
    BOOST_TEST(reason("---\nmodel: a\nmodel: b\n---\n") == "l.md:3: 'model' stands twice");
}

BOOST_AUTO_TEST_CASE(each_category_of_a_like_deployment_is_a_finding)
{
    const test::ScratchFolder folder;
    folder.write("domains/d/blueprints/b/lessons.md",
                 "---\nmodel: m-7b\nfailure_categories: [efa, x]\n---\n");
    folder.write("domains/d/blueprints/c/lessons.md", "nothing");
    const auto report = serving::search_lessons(test::facts_of("model: {id: o/m-7b}"), folder.path());
    BOOST_REQUIRE(report.findings().size() == 3U);
    BOOST_TEST(report.findings()[0].rule == "prior-failure:efa");
    BOOST_TEST(report.findings()[1].rule == "prior-failure:other");
    BOOST_TEST(report.findings()[2].reason.ends_with("does not begin with ---"));
    BOOST_CHECK_THROW(serving::search_lessons(test::facts_of("{}"), folder.path() + "/none"), IoError);
}
