#include <slo/workload/anonymize.hpp>

#define BOOST_TEST_MODULE workload_anonymize
#include <boost/test/unit_test.hpp>

#include "../../support/built_route.hpp"

#include <slo/base/random.hpp>
#include <slo/tokens/sim_tokenizer.hpp>
#include <slo/workload/cache_expectation.hpp>

#include <fstream>
#include <set>
#include <string>
#include <vector>

using namespace slo;

namespace {

// Conversations in several tongues with shared beginnings of every length.
std::string original_route()
{
    const std::vector<std::string> words{"parcel",  "refund",   "naïve", "Straße", "発送",   "посылка",
                                         "courier", "received", "ü",     "I",      "forty2", "ελληνικά"};
    Random random(4);
    std::string route;
    const auto text = [&](Random& source, int count) {
        std::string out;
        for (int i = 0; i < count; ++i)
            out += (i > 0 ? " " : "") + words[source.bits() % words.size()];
        return out;
    };
    for (int row = 0; row < 200; ++row) {
        Random shared(static_cast<std::uint64_t>(row % 4));
        json::array prompt;
        prompt.push_back({{"role", "system"},
                          {"content", json_text(text(shared, 5 + static_cast<int>(random.uniform() * 60)))}});
        const auto turns = static_cast<int>(random.uniform() * 4);
        for (int turn = 0; turn <= turns * 2; ++turn) {
            auto& source = random.uniform() < 0.5 ? shared : random;
            prompt.push_back({{"role", turn % 2 == 0 ? "user" : "assistant"},
                              {"content", json_text(text(source, static_cast<int>(random.uniform() * 40)))}});
        }
        const json::object body{{"prompt", prompt}, {"temperature", 0.25}, {"stop", "parcel"}};
        route += R"({"ts":)" + std::to_string(1755000000 + row) + R"(,"conv_id":"customer-)" +
                 std::to_string(row / 3) + R"(","secret":"parcel","body":)" + to_json(body) + "}\n";
    }
    return route;
}

struct Fixture {
    test::ScratchFile source;
    test::ScratchFile key;
    workload::AnonymizeOptions options;
    tokens::SimTokenizer sim;
    std::vector<json::object> originals;

    Fixture()
    {
        std::ofstream(source.path()) << original_route();
        std::ofstream(key.path()) << "a key of enough bytes";
        options.files = {source.path()};
        options.key_file = key.path();
        options.tokenizer.how = "sim";
        io::LineReader lines(source.path());
        while (auto row = io::next_object(lines))
            originals.push_back(std::move(*row));
    }

    tokens::TokenList tokens_of(const json::object& row)
    {
        const json::value* const prompt = &row.at("body").at("prompt");
        return sim.encode_prompts({&prompt, 1}).front();
    }
};

std::set<std::string> long_words(const std::string& text)
{
    std::set<std::string> words;
    std::string word;
    for (const char c : text + " ") {
        const bool letter =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
        if (letter) {
            word += c;
            continue;
        }
        if (word.size() >= 4)
            words.insert(word);
        word.clear();
    }
    return words;
}

} // namespace

BOOST_FIXTURE_TEST_CASE(each_text_is_as_long_as_it_was, Fixture)
{
    const auto route = test::build_route(options);
    BOOST_TEST(route.rows.size() == originals.size());
    for (std::size_t i = 0; i < originals.size(); ++i) {
        const auto& was = originals[i].at("body").at("prompt").as_array();
        const auto& is = route.rows[i].at("body").at("prompt").as_array();
        BOOST_TEST(was.size() == is.size());
        for (std::size_t m = 0; m < was.size(); ++m) {
            BOOST_TEST(was[m].at("role") == is[m].at("role"));
            BOOST_TEST(sim.count_text(std::string(was[m].at("content").as_string())) ==
                       sim.count_text(std::string(is[m].at("content").as_string())));
        }
        BOOST_TEST(originals[i].at("ts") == route.rows[i].at("ts"));
        BOOST_TEST(route.rows[i].at("body").at("temperature") == 0.25);
    }
    BOOST_TEST(route.manifest.at("lengths").at("largest_difference") == 0);
}

BOOST_FIXTURE_TEST_CASE(blocks_are_shared_exactly_as_before, Fixture)
{
    const auto route = test::build_route(options);
    std::vector<tokens::TokenList> was;
    std::vector<tokens::TokenList> is;
    workload::CacheExpectation cache_was;
    workload::CacheExpectation cache_is;
    for (std::size_t i = 0; i < originals.size(); ++i) {
        was.push_back(tokens_of(originals[i]));
        is.push_back(tokens_of(route.rows[i]));
        cache_was.add(was.back());
        cache_is.add(is.back());
    }
    std::set<std::ptrdiff_t> lengths;
    const auto blocks = [](const tokens::TokenList& a, const tokens::TokenList& b) {
        return (std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin()) / 16;
    };
    for (std::size_t i = 0; i < was.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) {
            lengths.insert(blocks(was[i], was[k]));
            BOOST_TEST(blocks(is[i], is[k]) == blocks(was[i], was[k]));
        }
    BOOST_TEST(lengths.size() > 5u); // or the test would show little
    BOOST_TEST(to_json(cache_is.facts()) == to_json(cache_was.facts()));
    BOOST_TEST(cache_was.facts().at("hit_rate").as_double() > 0.1);
    BOOST_TEST(route.manifest.at("sharing").at("collisions") == 0);
}

BOOST_FIXTURE_TEST_CASE(token_by_token_with_blocks_of_one, Fixture)
{
    options.block = 1;
    const auto route = test::build_route(options);
    const auto common = [](const tokens::TokenList& a, const tokens::TokenList& b) {
        return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
    };
    for (std::size_t i = 0; i < 60; ++i)
        for (std::size_t k = 0; k < i; ++k)
            BOOST_TEST(common(tokens_of(route.rows[i]), tokens_of(route.rows[k])) ==
                       common(tokens_of(originals[i]), tokens_of(originals[k])));
}

BOOST_FIXTURE_TEST_CASE(no_word_of_the_original_survives, Fixture)
{
    for (const char* how : {"sim", "approx:4", "approx:6.5"}) {
        options.tokenizer.how = how;
        auto words = long_words(original_route());
        for (const char* form :
             {"conv", "body", "prompt", "role", "system", "user", "assistant", "content", "temperature"})
            words.erase(form); // the record's own
        BOOST_TEST(words.contains("parcel"));
        BOOST_TEST(words.contains("посылка"));
        BOOST_TEST(words.contains("customer"));
        for (const auto& word : long_words(test::build_route(options).text))
            BOOST_TEST(!words.contains(word));
    }
}

BOOST_FIXTURE_TEST_CASE(lengths_stay_where_length_is_all_that_counts, Fixture)
{
    for (const char* how : {"approx:1", "approx:3.7", "approx:4"})
        for (const char* form : {"plain", "chatml", "llama3"}) {
            options.tokenizer.how = how;
            options.tokenizer.chat_template = form;
            const auto route = test::build_route(options);
            BOOST_TEST(to_json(route.manifest.at("lengths")) ==
                       R"({"prompts":200,"counted":200,"different":0,"largest_difference":0})");
        }
}

BOOST_FIXTURE_TEST_CASE(a_key_gives_the_same_bytes_and_none_others_each_time, Fixture)
{
    const auto one = test::build_route(options);
    BOOST_TEST(test::build_route(options).text == one.text);
    options.key_file.clear();
    const auto other = test::build_route(options);
    BOOST_TEST(other.text != one.text);
    BOOST_TEST(test::build_route(options).text != other.text);
    BOOST_TEST(other.manifest.at("key") == "random, not kept");
    std::set<std::string> ids;
    for (const auto& row : one.rows)
        ids.insert(std::string(row.at("conv_id").as_string()));
    BOOST_TEST(ids.size() == 67u);
}

BOOST_FIXTURE_TEST_CASE(what_is_left_out_is_counted_and_said, Fixture)
{
    const auto route = test::build_route(options);
    BOOST_TEST(to_json(route.manifest.at("dropped")) == R"x({"body.stop":200,"row.(others)":200})x");
    BOOST_TEST(route.notes == "left out of rows: body.stop (200), row.(others) (200)\n");
}

BOOST_FIXTURE_TEST_CASE(texts_as_prompts_and_bad_rows, Fixture)
{
    std::ofstream(source.path()) << R"({"ts":5,"body":{"prompt":"Call Jane tomorrow","max_tokens":3}})"
                                 << '\n';
    const auto route = test::build_route(options);
    BOOST_TEST(route.rows[0].at("body").at("prompt").is_string());
    BOOST_TEST(route.rows[0].at("conv_id") == "");
    std::ofstream(source.path(), std::ios::app) << R"({"ts":6,"body":{"prompt":[{"role":"Jane"}]}})" << '\n';
    BOOST_CHECK_EXCEPTION(test::build_route(options), InputError, [&](const InputError& error) {
        return std::string(error.what()).starts_with(source.path() + ":2: a message's role is not one of");
    });
    std::ofstream(key.path()) << "short";
    BOOST_CHECK_THROW(test::build_route(options), InputError);
    options.block = 0;
    options.key_file.clear();
    BOOST_CHECK_THROW(test::build_route(options), UsageError);
}

BOOST_AUTO_TEST_CASE(the_noted_beginning_of_a_system_message_stays_one)
{
    for (const char* how : {"sim", "approx:3.5"}) {
        workload::AnonymizeOptions options;
        options.files = {"tests/data/verify/boundary.jsonl"};
        options.tokenizer.how = how;
        const auto route = test::build_route(options);
        BOOST_TEST(route.rows.size() == 4u);
        for (const auto& row : route.rows) {
            const auto base = string_at(row.at("assembly").as_object(), "system_base").value();
            const auto message =
                string_at(row.at("body").at("prompt").as_array().front().as_object(), "content").value();
            BOOST_TEST(message.starts_with(base));
            BOOST_TEST(base.size() >= 15u);
            BOOST_TEST(base.size() < message.size());
        }
    }
}

BOOST_AUTO_TEST_CASE(what_is_left_out_of_a_row_is_counted)
{
    test::ScratchFile source;
    std::ofstream(source.path())
        << R"({"ts":1760000000,"conv_id":"a","assembly":{"system_base":"Not that."},"body":{"prompt":"one two",)"
           R"("messages":[{"role":"user","content":"three"}],"response_format":{"type":"json_schema"}}})"
        << '\n';
    workload::AnonymizeOptions options;
    options.files = {source.path()};
    options.tokenizer.how = "sim";
    const auto route = test::build_route(options);
    BOOST_TEST(
        to_json(route.manifest.at("dropped")) ==
        R"({"body.messages beside a prompt":1,"body.response_format":1,"row.assembly.system_base":1})");
    BOOST_TEST(to_json(route.rows.at(0).at("assembly")) == "{}");
}
