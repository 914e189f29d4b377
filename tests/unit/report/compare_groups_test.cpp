// SPDX-License-Identifier: MIT
// Unit test of report/compare_groups.hpp.

#include <slo/report/compare_groups.hpp>

#define BOOST_TEST_MODULE report_compare_groups
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace slo;

namespace {

// A folder of its own, gone at the end of the test.
struct Folder {
    Folder() : path(std::filesystem::temp_directory_path() / "compare_groups_test")
    {
        std::filesystem::remove_all(path);
        std::filesystem::create_directories(path / "cfg_0");
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string put(const std::string& name, const std::string& text) const
    {
        std::ofstream(path / name) << text;
        return (path / name).string();
    }
    std::filesystem::path path;
};

std::vector<std::string> notes;

artifact::ResultGroup group(const std::string& word)
{
    notes.clear();
    return report::read_group(word, [](const std::string& note) { notes.push_back(note); });
}

std::string refusal(const std::string& word)
{
    try {
        group(word);
        return "none";
    } catch (const Error& error) {
        const std::string what = error.what();
        const auto at = what.find("compare_groups_test/");
        return at == std::string::npos ? what : what.substr(at + 20);
    }
}

} // namespace

BOOST_FIXTURE_TEST_CASE(a_word_is_a_file_a_folder_or_a_list, Folder)
{
    const auto a = put("a.json", "{\n\"schema_version\": \"1.0.0\"\n}\n");
    const auto b = put("b.jsonl", "{\"schema_version\":\"1.0.0\"}\n{\"schema_version\":\"1.0.0\"}\n");
    BOOST_TEST(group(a).label == "a");
    BOOST_TEST(group(b).runs.size() == 2u);
    const auto list = group("tp 8=" + a + "," + b);
    BOOST_TEST(list.label == "tp 8");
    BOOST_TEST(list.runs.size() == 3u);
    put("cfg_0/2.json", R"({"schema_version":"1.0.0"})");
    put("cfg_0/1.json", R"({"schema_version":"1.0.0"})");
    put("cfg_0/log.txt", "x");
    const auto folder = group((path / "cfg_0/").string());
    BOOST_TEST(folder.label == "cfg_0");
    BOOST_TEST(folder.runs.size() == 2u);
    BOOST_TEST(folder.runs[0].name().ends_with("1.json"));
    BOOST_REQUIRE(notes.size() == 1u);
    BOOST_TEST(notes[0].ends_with("files left out that are no .json: 1"));
    const auto odd = put("x=y.json", R"({"schema_version":"1.0.0"})");
    BOOST_TEST(group(odd).label == "x=y");
}

BOOST_FIXTURE_TEST_CASE(what_is_no_configuration_is_refused, Folder)
{
    BOOST_TEST(refusal((path / "cfg_0").string()) == "cfg_0: holds no .json file");
    BOOST_TEST(refusal((path / "none.json").string()) == "none.json: No such file or directory");
    BOOST_TEST(refusal(put("empty.json", "")) == "empty.json: holds no artifact");
    BOOST_TEST(refusal(put("round.json", R"({"schema":"sloutils.round/1"})")) ==
               "round.json:1: is a record of kind sloutils.round/1, not an artifact");
    BOOST_TEST(refusal(put("other.json", "{}")) ==
               "other.json:1: is a record of kind other, not an artifact");
    BOOST_TEST(refusal(put("two.json", "{\"schema_version\":\"1.0.0\",\"artifact_id\":\"x\"}\n{\"schema_"
                                       "version\":\"1.0.0\",\"artifact_id\":\"x\"}\n")) ==
               "two.json: artifact x is there twice: one run is no repetition of itself");
    BOOST_TEST(refusal(put("new.json", R"({"schema_version":"2.0.0"})"))
                   .starts_with("new.json: is an envelope of version 2.0.0"));
    const auto a = put("a.json", R"({"engine":{"name":"vllm"},"metrics":{}})"),
               b = put("b.json", R"({"engine":{"name":"sglang"},"metrics":{}})");
    BOOST_TEST(refusal("x=" + a + "," + b) ==
               "x: its runs are no repetitions: they differ in engine.name (vllm, sglang)");
}

BOOST_AUTO_TEST_CASE(labels_become_distinct)
{
    std::vector<artifact::ResultGroup> groups{{"a", {}}, {"a", {}}, {"b", {}}, {"a", {}}};
    report::make_labels_distinct(groups);
    BOOST_TEST(groups[1].label == "a#2");
    BOOST_TEST(groups[2].label == "b");
    BOOST_TEST(groups[3].label == "a#3");
}
