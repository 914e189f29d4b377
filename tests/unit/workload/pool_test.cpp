// SPDX-License-Identifier: MIT
#include <slo/workload/pool.hpp>

#define BOOST_TEST_MODULE workload_pool
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"
#include "../../support/small_quota.hpp"

#include <fstream>
#include <string>

using namespace slo;

namespace {

const workload::QuotaSpec& spec()
{
    static const auto made = test::quota_spec(test::small_quota_text());
    return made;
}

workload::Conversation read(const std::string& line)
{
    return workload::detail::ConversationReader(spec().prompt).read(line);
}

std::string refused(const std::string& line)
{
    try {
        read(line);
    } catch (const Error& error) {
        return error.what();
    }
    return "taken";
}

} // namespace

BOOST_AUTO_TEST_CASE(a_whole_conversation)
{
    const auto talk = read(
        R"({"id":"a","personality":"p","scenario":null,"history":[{"role":"user","content":null},)"
        R"({"role":"narrator","content":"n"},{"role":"assistant"}],"suggestions":[null,"","go"],"language":"ja","more":1})");
    BOOST_TEST(talk.id == "a");
    BOOST_TEST(talk.blocks == (std::vector<std::string>{"p", ""}));
    BOOST_TEST(talk.history.size() == 3);
    BOOST_TEST(!talk.history[0].has_content);
    BOOST_TEST(!talk.history[1].is_of_talk());
    BOOST_TEST(talk.appended == (std::vector<std::string>{"", "go"}));
    BOOST_TEST(talk.language == "ja");
}

BOOST_AUTO_TEST_CASE(what_may_lack_lacks)
{
    const auto talk = read(R"({"conversation_id":17,"personality":"p","history":null})");
    BOOST_TEST(talk.id == "17");
    BOOST_TEST(talk.history.empty());
    BOOST_TEST(talk.appended[1] == "none");
    BOOST_TEST(talk.language == "");
}

BOOST_AUTO_TEST_CASE(what_must_not_lack_is_named)
{
    BOOST_TEST(refused("[]") == "not a JSON object");
    BOOST_TEST(refused("{\"personality\":\"p\",\"history\":[]}") ==
               "id: is missing (and conversation_id, too)");
    BOOST_TEST(refused(R"({"id":"","personality":"p","history":[]})") ==
               "id: is missing (and conversation_id, too)");
    BOOST_TEST(refused(R"({"id":"a","history":[]})") == "personality: is missing");
    BOOST_TEST(refused(R"({"id":"a","personality":3,"history":[]})") == "personality: is no text");
    BOOST_TEST(refused(R"({"id":"a","personality":"p"})") == "history: is missing");
    BOOST_TEST(refused(R"({"id":"a","personality":"p","history":{}})") == "history: is no list");
    BOOST_TEST(refused(R"({"id":"a","personality":"p","history":[{"role":"user","content":"x"},"y"]})") ==
               "history[1]: is no object with a role");
    BOOST_TEST(refused(R"({"id":"a","personality":"p","history":[{"role":"user","content":[]}]})") ==
               "history[0]: has a content that is no text");
    BOOST_TEST(refused(R"({"id":"a","personality":"p","history":[],"suggestions":"x"})") ==
               "suggestions: is no list");
    BOOST_TEST(refused("{").starts_with("not JSON"));
}

BOOST_AUTO_TEST_CASE(which_lines_are_kept)
{
    const test::ScratchFile file;
    {
        std::ofstream out(file.path());
        for (const auto& line : test::small_pool_lines(10))
            out << line << "\n\n";
    }
    const auto ids = [&](const workload::PoolLimits& limits) {
        io::LineReader lines(file.path());
        std::string text;
        for (const auto& talk : workload::read_pool(lines, spec().prompt, limits))
            text += talk.id.substr(5);
        return text;
    };
    BOOST_TEST(ids({}) == "0123456789");
    BOOST_TEST(ids({3, 100}) == "0369");
    BOOST_TEST(ids({4, 2}) == "04");
}

BOOST_AUTO_TEST_CASE(an_error_names_its_line)
{
    const test::ScratchFile file;
    std::ofstream(file.path()) << test::small_pool_lines(1)[0] << "\n{\"id\":\"b\"}\n";
    io::LineReader lines(file.path());
    BOOST_CHECK_EXCEPTION(
        workload::read_pool(lines, spec().prompt, {}), InputError,
        [&](const InputError& error) { return error.what() == file.path() + ":2: personality: is missing"; });
}
