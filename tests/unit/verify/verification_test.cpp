// SPDX-License-Identifier: MIT
// A whole check, with and without a tokenizer.

#include <slo/verify/verification.hpp>

#define BOOST_TEST_MODULE verify_verification
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <fstream>
#include <string>
#include <vector>

using namespace slo;
using namespace slo::verify;

namespace {

json::object verified(const VerifyOptions& options, const std::string& path, std::vector<std::string>& failed)
{
    Verification verification(make_plan(options));
    verification.read(io::LineReader(path));
    return verification.record(failed);
}

const json::object& rule(const json::object& record, std::string_view name)
{
    for (const auto& each : record.at("rules").as_array()) {
        if (each.as_object().at("rule").as_string() == name)
            return each.as_object();
    }
    throw Error("no such rule");
}

} // namespace

BOOST_AUTO_TEST_CASE(a_good_route)
{
    VerifyOptions options;
    options.spec = "tests/data/verify/good.yaml";
    options.tokenizer.how = "sim";
    std::vector<std::string> failed;
    const auto record = verified(options, "tests/data/verify/good.jsonl", failed);
    BOOST_TEST(failed.empty());
    BOOST_TEST(record.at("status").as_string() == "PASS");
    BOOST_TEST(record.at("rows").as_uint64() == 8U);
    BOOST_TEST(record.at("tokenizer").as_object().at("kind").as_string() == "sim");
    BOOST_TEST(rule(record, "tokens").at("figures").as_object().at("compared").as_uint64() == 8U);
}

BOOST_AUTO_TEST_CASE(lines_for_people)
{
    VerifyOptions options;
    std::vector<std::string> failed;
    const auto record = verified(options, "tests/data/routes/D01-timestamp-units/bad.jsonl", failed);
    BOOST_TEST(record.at("status").as_string() == "FAIL");
    BOOST_TEST(record.at("rows").as_uint64() == 3U);
    BOOST_TEST(to_json(rule(record, "schema").at("lines")) == "[2,3,4,7]");
    BOOST_TEST(to_json(rule(record, "order").at("lines")) == "[6]");
    const std::string file = "tests/data/routes/D01-timestamp-units/bad.jsonl";
    BOOST_REQUIRE(failed.size() == 3U);
    BOOST_TEST(failed[0] == file + ":2: schema: ts is negative (and 3 more)");
    BOOST_TEST(failed[1].starts_with(file + ": unit: unit_must_be_declared"));
    BOOST_TEST(failed[2] == file + ":6: order: ts 900 is out of order after 1500");
}

BOOST_AUTO_TEST_CASE(batches_of_token_counts_give_each_row_its_own)
{
    // More rows than one batch holds; of every row the stored count is right but for the last.
    std::string text;
    constexpr int rows = 1500;
    for (int i = 0; i < rows; ++i) {
        const int tokens = i % 7 + 1 + (i == rows - 1);
        std::string words;
        for (int word = 0; word < i % 7 + 1; ++word)
            words += " word";
        text += "{\"ts\":1,\"model\":{\"prompt_tokens_chat_template\":" + std::to_string(tokens) +
                "},\"body\":{\"prompt\":\"" + words + "\"}}\n";
    }
    const test::ScratchFile file;
    std::ofstream(file.path()) << text;
    VerifyOptions options;
    options.only = {"tokens"};
    options.tokenizer.how = "sim";
    std::vector<std::string> failed;
    const auto record = verified(options, file.path(), failed);
    BOOST_TEST(to_json(rule(record, "tokens").at("lines")) == "[1500]");
}

BOOST_AUTO_TEST_CASE(a_prompt_that_no_tokenizer_takes_is_named)
{
    const test::ScratchFile file;
    std::ofstream(file.path())
        << "{\"ts\":1,\"body\":{\"prompt\":\"a\"}}\n"
           "{\"ts\":1,\"body\":{\"prompt\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\"}]}]}}\n";
    VerifyOptions options;
    options.tokenizer.how = "sim";
    std::vector<std::string> failed;
    BOOST_CHECK_EXCEPTION(verified(options, file.path(), failed), InputError, [&](const InputError& error) {
        return std::string(error.what()).find(":2: ") != std::string::npos;
    });
}
