// SPDX-License-Identifier: MIT
// Unit test of report/csv.hpp.

#include <slo/report/csv.hpp>

#define BOOST_TEST_MODULE report_csv
#include <boost/test/unit_test.hpp>

#include <slo/wire/csv.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace slo;
using namespace slo::report;

namespace {

std::vector<std::string> notes;

// What the verb writes of a file that holds `text`, without the path of the file.
std::string written(const std::string& text, const std::optional<std::string>& kind = {}, bool lf = true)
{
    const auto folder = std::filesystem::temp_directory_path();
    const auto in = (folder / "csv_test.jsonl").string(), out = (folder / "csv_test.csv").string();
    std::ofstream(in) << text;
    CsvOptions options;
    options.files = {in};
    options.kind = kind;
    options.lf = lf;
    notes.clear();
    {
        io::JsonlWriter writer(out);
        options.run({writer, [](const std::string& note) { notes.push_back(note); }});
    }
    std::stringstream all;
    all << std::ifstream(out, std::ios::binary).rdbuf();
    auto csv = all.str();
    for (auto at = csv.find(in); at != std::string::npos; at = csv.find(in))
        csv.replace(at, in.size(), "FILE");
    return csv;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_field_is_quoted_where_it_has_to_be)
{
    BOOST_TEST(csv_field("plain text") == "plain text");
    BOOST_TEST(csv_field("a,b") == "\"a,b\"");
    BOOST_TEST(csv_field("say \"x\"") == "\"say \"\"x\"\"\"");
    BOOST_TEST(csv_field("two\nlines") == "\"two\nlines\"");
    wire::CsvRecord read;
    BOOST_TEST((read.take("x," + csv_field("a \"quoted\", one")) == wire::CsvRecord::State::complete));
    BOOST_TEST(read[1] == "a \"quoted\", one");
}

BOOST_AUTO_TEST_CASE(probes_are_rows_and_what_is_unknown_is_empty)
{
    const std::string search =
        R"({"schema":"sloutils.search/1","event":"start","low_qps":1})"
        "\n"
        R"({"schema":"sloutils.search/1","event":"probe","step":1,"phase":"low","qps":8.5,"status":"PASS",)"
        R"("measured":true,"avg_p50_latency_s":0.1,"hit_rate":null,"margins":[{"m":1},{"m":2}],"notes":["a, b","c"]})"
        "\n";
    BOOST_TEST(
        written(search) ==
        "file,step,phase,qps,status,measured,avg_p50_latency_s,primary_metric,window,tail_avg_p50_latency_s,"
        "warmup_dominated,hit_rate,confidence,rounds,margins,elapsed_s,notes\n"
        "FILE,1,low,8.5,PASS,true,0.1,,,,,,,,\"{\"\"m\"\":1}; {\"\"m\"\":2}\",,\"a, b; c\"\n");
    BOOST_TEST(written(search, {}, false).ends_with("c\"\r\n"));
}

BOOST_AUTO_TEST_CASE(one_kind_is_written_and_the_others_are_counted)
{
    const std::string mixed =
        "{\"schema\":\"sloutils.run/1\"}\n"
        "{\"schema\":\"sloutils.verdict/1\",\"status\":\"PASS\"}\n"
        "{\"schema\":\"sloutils.round/1\",\"measurement_round\":1,\"Latency\":{\"p50\":1.5}}\n";
    BOOST_TEST(written(mixed).find("\nFILE,,PASS,") != std::string::npos);
    BOOST_TEST(notes == (std::vector<std::string>{"left out: 1 round record", "left out: 1 run record"}),
               boost::test_tools::per_element());
    BOOST_TEST(written(mixed, "round").find("\nFILE,1,") != std::string::npos);
    BOOST_TEST(written(mixed, "round").find(",1.5,") != std::string::npos);
    BOOST_CHECK_THROW(written(mixed, "request"), InputError);
    BOOST_CHECK_THROW(written(mixed, "diff"), UsageError);
    BOOST_CHECK_THROW(written(mixed, "x"), UsageError);
}

BOOST_AUTO_TEST_CASE(each_kind_has_distinct_columns)
{
    for (const auto kind : {Kind::search, Kind::round, Kind::request, Kind::verdict, Kind::envelope}) {
        std::set<std::string_view> names, paths;
        for (const auto& column : csv_columns(kind)) {
            BOOST_TEST(names.insert(column.name).second);
            BOOST_TEST(paths.insert(column.path).second);
        }
        BOOST_TEST(!names.empty());
    }
}
