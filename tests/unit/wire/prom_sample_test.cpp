// SPDX-License-Identifier: MIT
// One line of metrics: labels and their escapes, loose syntax, exemplars, and why a line is no sample.

#include <slo/wire/prom_sample.hpp>

#define BOOST_TEST_MODULE wire_prom_sample
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using slo::wire::PromSampleReader;

struct Copy {
    std::string name;
    std::vector<std::pair<std::string, std::string>> labels;
    double value = 0;
    std::optional<double> timestamp;
    bool exemplar = false;
};

// The sample that a line is, its text in memory of its own that ends where the line ends.
Copy read(std::string_view line)
{
    const std::vector<char> bytes(line.begin(), line.end());
    PromSampleReader reader;
    const char* reason = reader.read({bytes.data(), bytes.size()});
    BOOST_TEST_REQUIRE(reason == nullptr, line << ": " << (reason ? reason : ""));
    const auto& sample = reader.sample();
    Copy copy{std::string(sample.name), {}, sample.value, sample.timestamp_s, reader.has_exemplar()};
    for (const auto& label : sample.labels)
        copy.labels.emplace_back(label.name, label.value);
    return copy;
}

std::string reason(std::string_view line)
{
    const std::vector<char> bytes(line.begin(), line.end());
    PromSampleReader reader;
    const char* why = reader.read({bytes.data(), bytes.size()});
    return why ? why : "";
}

using Labels = std::vector<std::pair<std::string, std::string>>;

} // namespace

BOOST_AUTO_TEST_CASE(name_labels_value)
{
    const auto sample = read(R"(vllm:prefix_cache_hits_total{engine="0",model_name="m"} 2.5e+06)");
    BOOST_TEST(sample.name == "vllm:prefix_cache_hits_total");
    BOOST_TEST((sample.labels == Labels{{"engine", "0"}, {"model_name", "m"}}));
    BOOST_TEST(sample.value == 2500000);
    BOOST_TEST(!sample.timestamp.has_value());
    BOOST_TEST(!sample.exemplar);
    BOOST_TEST(read("_x:9 1").name == "_x:9");
    BOOST_TEST(read(R"(x{a=""} 1)").labels[0].second.empty());
}

BOOST_AUTO_TEST_CASE(P04_escapes_in_label_values)
{
    const auto sample = read(R"(m{disk="F:\\",model_name="q\"8\" \\ new\nline",last="\\\\"} 400)");
    BOOST_TEST(
        (sample.labels == Labels{{"disk", "F:\\"}, {"model_name", "q\"8\" \\ new\nline"}, {"last", "\\\\"}}));
    // A backslash before anything else stands for itself.
    BOOST_TEST(read(R"(m{a="\t\d{}"} 1)").labels[0].second == R"(\t\d{})");
}

BOOST_AUTO_TEST_CASE(braces_commas_and_hashes_inside_quotes_are_text)
{
    const auto sample = read(R"(m{a="} 7 {",b=",c=\"x\",",d="# {e} 5"} 9)");
    BOOST_TEST((sample.labels == Labels{{"a", "} 7 {"}, {"b", ",c=\"x\","}, {"d", "# {e} 5"}}));
    BOOST_TEST(sample.value == 9);
}

BOOST_AUTO_TEST_CASE(P05_a_timestamp_is_not_the_value)
{
    const auto sample = read("m{engine=\"0\"}\t1000\t1760000060000");
    BOOST_TEST(sample.value == 1000);
    BOOST_TEST(sample.timestamp.value() == 1760000060000.0);
    BOOST_TEST(read("m 1 -5").timestamp.value() == -5);
    BOOST_TEST(read("m 1 1760000060.25 \t").timestamp.value() == 1760000060.25);
}

BOOST_AUTO_TEST_CASE(P06_loose_syntax)
{
    BOOST_TEST(read(R"(m{engine="0",}1.1E3)").value == 1100);
    const auto sample = read("  m { engine = \"0\" , } \t9.5E2 ");
    BOOST_TEST(sample.name == "m");
    BOOST_TEST((sample.labels == Labels{{"engine", "0"}}));
    BOOST_TEST(sample.value == 950);
    BOOST_TEST(std::isinf(read("no_labels_braces{} +Inf").value));
    BOOST_TEST(std::signbit(read("neg -0").value));
    BOOST_TEST(std::isnan(read("nan_one NaN").value));
    BOOST_TEST(read("m 1_000").value == 1000);
}

BOOST_AUTO_TEST_CASE(P07_exemplars_are_passed_over_by_a_scan_that_knows_quotes)
{
    const auto sample = read(R"(b{le="0.5"} 6 # {trace_id="cd}34 # {x} 7"} 0.31)");
    BOOST_TEST(sample.value == 6);
    BOOST_TEST((sample.labels == Labels{{"le", "0.5"}}));
    BOOST_TEST(sample.exemplar);
    const auto both = read(R"(t 110 1760000001 # {trace_id="ab12"} 3.0 1760000000.5)");
    BOOST_TEST(both.value == 110);
    BOOST_TEST(both.timestamp.value() == 1760000001);
    BOOST_TEST(read("t 1 # {} 2").exemplar);
}

BOOST_AUTO_TEST_CASE(names_in_quotes)
{
    const auto sample = read(R"({"my.metric\"1\"","service.name"="a",b="c"} 5)");
    BOOST_TEST(sample.name == "my.metric\"1\"");
    BOOST_TEST((sample.labels == Labels{{"service.name", "a"}, {"b", "c"}}));
    BOOST_TEST(read(R"({b="c", "late.name"} 5)").name == "late.name");
    BOOST_TEST(read(R"(m{"métrique"="a"} 5)").labels[0].first == "métrique");
    BOOST_TEST(reason(R"(m{"second"} 5)") == "a second metric name among the labels");
    BOOST_TEST(reason(R"({"a","b"} 5)") == "a second metric name among the labels");
    BOOST_TEST(reason(R"({""} 5)") == "a label has no name");
}

BOOST_AUTO_TEST_CASE(says_why_a_line_is_no_sample)
{
    const std::vector<std::pair<std::string_view, std::string_view>> lines{
        {"{x=\"1\"} 3", "no metric name"},
        {"9bad 3", "no metric name"},
        {"<html>", "no metric name"},
        {"Content-Length: 12", "bad character in the metric name"},
        {"naïve 1", "bad character in the metric name"},
        {"m", "no value"},
        {"m{a=\"b\"} ", "no value"},
        {"m abc", "the value is not a number"},
        {"m 1x", "the value is not a number"},
        {"m 1#{} 2", "the value is not a number"},
        {"m 1\r 2", "the value is not a number"},
        {"m{", "the labels have no closing brace"},
        {"m{a=\"b\"", "the labels have no closing brace"},
        {"m{a=\"b", "a quoted text does not end"},
        {"m{a=\"b\\", "a quoted text does not end"},
        {"m{a=\"b\\\"} 1", "a quoted text does not end"},
        {"m{a=b} 1", "a label value is not in quotes"},
        {"m{a=", "a label value is not in quotes"},
        {"m{a} 1", "a label has no value"},
        {"m{a", "a label has no value"},
        {"m{,} 1", "a label has no name"},
        {"m{=\"b\"} 1", "a label has no name"},
        {"m{\"a", "a quoted text does not end"},
        {"m{a=\"b\" c=\"d\"} 1", "no comma between two labels"},
        {"m{a=\"1\",a=\"2\"} 1", "a label stands twice"},
        {"m 1 2 3", "text after the value"},
        {"m 1 x", "the timestamp is not a number"},
        {"m 1 # comment", "text after the value"},
        {"m 1 #", "text after the value"},
        {"m 1 # {a=\"b\"}", "the value of the exemplar is not a number"},
        {"m 1 # {a=\"b\"} 1 x", "the timestamp of the exemplar is not a number"},
        {"m 1 # {a=\"b\"} 1 2 3", "text after the exemplar"},
        {"m 1 # {a=\"b", "a quoted text does not end"},
        {"m 1 # {\"b\"} 1", "a second metric name among the labels"},
    };
    for (const auto& [line, why] : lines)
        BOOST_TEST(reason(line) == why, line << ": " << reason(line));
}

BOOST_AUTO_TEST_CASE(labels_are_limited)
{
    const auto line = [](std::size_t count) {
        std::string text = "m{";
        for (std::size_t i = 0; i < count; ++i)
            text += "l" + std::to_string(i) + "=\"\\\\\",";
        return text + "} 1";
    };
    const auto most = read(line(PromSampleReader::max_labels));
    BOOST_TEST(most.labels.size() == PromSampleReader::max_labels);
    BOOST_TEST(most.labels.front().second == "\\");
    BOOST_TEST(most.labels.back().second == "\\");
    for (const std::size_t count : {3U, 12U, 13U, 250U}) {
        auto twice = line(count);
        twice.insert(twice.size() - 3, "l" + std::to_string(count / 2) + "=\"x\"");
        BOOST_TEST(reason(twice) == "a label stands twice", count);
    }
    BOOST_TEST(reason(line(PromSampleReader::max_labels + 1)) == "more than 256 labels");
}

BOOST_AUTO_TEST_CASE(every_cut_of_a_line_is_a_sample_or_says_why)
{
    const std::string_view line = R"(m:x{a="q\"\\\n",b="é",} 1.5e+1 1760000000000 # {t="}"} -Inf 5.5)";
    for (std::size_t length = 0; length <= line.size(); ++length) {
        const auto why = reason(line.substr(0, length));
        if (length < line.find("} 1.5") + 3)
            BOOST_TEST(!why.empty(), line.substr(0, length));
    }
    BOOST_TEST(read(line).value == 15);
}
