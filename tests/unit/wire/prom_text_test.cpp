// SPDX-License-Identifier: MIT
// Whole texts of metrics: the cases, types, units of time, what is counted as malformed, what is no metrics
// at all.

#include <slo/wire/prom_text.hpp>

#define BOOST_TEST_MODULE wire_prom_text
#include <boost/test/unit_test.hpp>

#include <slo/io/fd.hpp>

#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace slo::wire;

// The samples of a text as "name{label=value,…}" → values, and its types.
struct Sink {
    std::map<std::string, std::vector<double>> values;
    std::map<std::string, double> times_s;
    std::vector<std::pair<std::string, PromType>> types;

    void sample(const PromSample& sample)
    {
        std::string key(sample.name);
        for (const auto& label : sample.labels)
            key.append(key.find('{') == std::string::npos ? "{" : ",")
                .append(label.name)
                .append("=")
                .append(label.value);
        values[key].push_back(sample.value);
        if (sample.timestamp_s)
            times_s[key] = *sample.timestamp_s;
    }
    void type(std::string_view name, PromType type) { types.emplace_back(name, type); }
};

std::string file(const std::string& name)
{
    return slo::io::read_all("tests/data/" + name, 1 << 20);
}

PromReport report_of(std::string_view text)
{
    Sink sink;
    return parse_prom(text, sink);
}

double only(const Sink& sink, const std::string& key)
{
    const auto found = sink.values.find(key);
    BOOST_TEST_REQUIRE((found != sink.values.end()), key);
    BOOST_TEST_REQUIRE(found->second.size() == 1U, key);
    return found->second[0];
}

} // namespace

BOOST_AUTO_TEST_CASE(P01_P02_P09_P10_P13_every_line_is_read)
{
    const std::vector<std::pair<std::string, std::size_t>> files{
        {"P01-rename-and-window/after.prom", 2},      {"P01-rename-and-window/before_unsuffixed.prom", 2},
        {"P02-deprecated-and-created/after.prom", 8}, {"P09-many-engines/after.prom", 6},
        {"P10-sglang-gauge/after.prom", 4},           {"P13-spec-decode/after.prom", 14}};
    for (const auto& [name, samples] : files) {
        const auto report = report_of(file("cases/" + name));
        BOOST_TEST(report.samples == samples, name);
        BOOST_TEST(report.malformed_lines == 0U, name);
        BOOST_TEST(!report.truncated(), name);
    }
}

BOOST_AUTO_TEST_CASE(P05_times_are_milliseconds_in_the_classic_format)
{
    Sink sink;
    parse_prom(file("cases/P05-sample-timestamps/after.prom"), sink);
    BOOST_TEST(only(sink, "vllm:prefix_cache_hits_total{engine=0") == 1000);
    BOOST_TEST(sink.times_s["vllm:prefix_cache_hits_total{engine=0"] == 1760000060);
    BOOST_TEST(only(sink, "plain_gauge") == 2.5);
}

BOOST_AUTO_TEST_CASE(times_are_seconds_in_openmetrics)
{
    const auto time_of = [](std::string_view text) {
        Sink sink;
        parse_prom(text, sink);
        return sink.times_s.at("m");
    };
    BOOST_TEST(time_of("m 1 1760000060.5\n# EOF\n") == 1760000060.5);
    BOOST_TEST(time_of("m 1 1e12\n# EOF") == 1e12);
    BOOST_TEST(time_of("m 1 1760000060\n") == 1760000060); // cut before its mark
    BOOST_TEST(time_of("m 1 1760000060500\n") == 1760000060.5);
}

BOOST_AUTO_TEST_CASE(P06_loose_syntax_with_any_line_ends)
{
    for (const auto* name : {"after.prom", "after_crlf.prom", "after_no_final_newline.prom"}) {
        Sink sink;
        const auto report = parse_prom(file(std::string("cases/P06-loose-syntax/") + name), sink);
        BOOST_TEST(report.samples == 5U, name);
        BOOST_TEST(report.malformed_lines == 0U, name);
        BOOST_TEST(only(sink, "vllm:prefix_cache_queries_total{engine=0") == 1100);
        BOOST_TEST(only(sink, "vllm:prefix_cache_hits_total{engine=0") == 950);
        BOOST_TEST(std::isinf(only(sink, "no_labels_braces")));
        BOOST_TEST(std::isnan(only(sink, "nan_one")));
    }
}

BOOST_AUTO_TEST_CASE(P07_openmetrics_with_exemplars)
{
    for (const auto* name : {"after.prom", "after_hash.prom"}) {
        Sink sink;
        const auto report = parse_prom(file(std::string("cases/P07-openmetrics-exemplars/") + name), sink);
        BOOST_TEST(report.samples == 8U, name);
        BOOST_TEST(report.exemplars == 2U, name);
        BOOST_TEST((report.saw_eof && report.openmetrics && !report.truncated()), name);
        BOOST_TEST(only(sink, "vllm:prefix_cache_queries_total{engine=0") == 110);
        BOOST_TEST(only(sink, "vllm:time_to_first_token_seconds_bucket{le=0.5") == 6);
        BOOST_TEST(only(sink, "vllm:time_to_first_token_seconds_count") == 9);
        BOOST_TEST((sink.types[2] == std::pair<std::string, PromType>("vllm:time_to_first_token_seconds",
                                                                      PromType::histogram)));
    }
}

BOOST_AUTO_TEST_CASE(the_odd_files_of_the_classic_tool)
{
    const auto parse = [](const std::string& name, Sink& sink) {
        return parse_prom(file("classic/prom/" + name + ".prom"), sink);
    };
    {
        Sink sink;
        const auto report = parse("26_bad_lines.before", sink);
        BOOST_TEST(report.samples == 3U);
        BOOST_TEST(report.malformed_lines == 4U);
        BOOST_TEST(report.first_malformed_line == 1U);
        BOOST_TEST(report.first_reason == "the value is not a number");
        BOOST_TEST(!report.cut_last_line);
        BOOST_TEST(only(sink, "v_prefix_hits") == 1);
        BOOST_TEST(only(sink, "v_prefix_queries") == 2);
        BOOST_TEST(only(sink, "v_prefix_hits{a=b") == 3);
    }
    {
        Sink sink;
        const auto report = parse("26_bad_lines.after", sink);
        BOOST_TEST(report.malformed_lines == 1U);
        BOOST_TEST(report.first_malformed_line == 3U);
        BOOST_TEST(report.first_reason == "no value");
    }
    Sink sink;
    parse("13_nan_value.before", sink);
    BOOST_TEST(std::isnan(only(sink, "p_prefix_hits")));
    parse("15_label_brace_in_quotes.after", sink);
    BOOST_TEST(only(sink, "v_prefix_hits{model=a}b") == 100);
    parse("16_label_brace_space.after", sink);
    BOOST_TEST(only(sink, "v_prefix_hits{model=a} 9 b") == 100);
    parse("25_case_match.after", sink);
    BOOST_TEST(only(sink, "PREFIX_LOOKUPS") == 8);
    parse("27_tabs_crlf.after", sink);
    BOOST_TEST(only(sink, "v_prefix_queries{a=b") == 6);
    parse("31_escaped_quotes.after", sink);
    BOOST_TEST(only(sink, "v_prefix_hits{m=a\"b,n=c\\d") == 3);

    Sink underscores;
    parse("29_underscore_number.after", underscores);
    BOOST_TEST(only(underscores, "v_prefix_queries") == 4000);
    Sink nothing;
    BOOST_TEST(parse("30_empty_files.after", nothing).samples == 0U);
    BOOST_TEST(nothing.values.empty());
}

BOOST_AUTO_TEST_CASE(types_are_handed_out)
{
    Sink sink;
    const auto report =
        parse_prom("# TYPE a counter\n#  TYPE\tb\tgauge \n# TYPE \"c.d\" untyped\r\n#TYPE e gauge\n"
                   "# HELP a TYPE f gauge\n# TYPE g gaugehistogram\n# TYPE h unknown\n",
                   sink);
    const std::vector<std::pair<std::string, PromType>> expected{{"a", PromType::counter},
                                                                 {"b", PromType::gauge},
                                                                 {"c.d", PromType::untyped},
                                                                 {"g", PromType::gauge_histogram},
                                                                 {"h", PromType::untyped}};
    BOOST_TEST((sink.types == expected));
    BOOST_TEST(report.malformed_lines == 0U);
    for (const auto* text : {"# TYPE a", "# TYPE a Counter", "# TYPE a counter b", "# TYPE",
                             "# TYPE \"a counter", "# TYPE \"\" gauge"})
        BOOST_TEST(report_of(text).malformed_lines == 1U, text);
}

BOOST_AUTO_TEST_CASE(a_sink_need_not_take_types)
{
    struct Counter {
        std::size_t samples = 0;
        void sample(const PromSample&) { ++samples; }
    } counter;
    BOOST_TEST(parse_prom("# TYPE a counter\na 1\na 2", counter).samples == 2U);
    BOOST_TEST(counter.samples == 2U);
}

BOOST_AUTO_TEST_CASE(a_missing_end_is_seen_where_it_can_be)
{
    BOOST_TEST(!report_of("a 1\nb 2").truncated());
    BOOST_TEST(report_of("a 1\nb{c=\"").cut_last_line);
    BOOST_TEST(report_of("a 1\nb").truncated());
    BOOST_TEST(!report_of("a 1\nb\n").truncated());
    // Exporters of the classic format write these too.
    BOOST_TEST(!report_of("# UNIT a seconds\n# TYPE a info\n# TYPE b unknown\na 1\n").truncated());
    BOOST_TEST(report_of("a 1 # {} 1\n").truncated());
    BOOST_TEST(!report_of("a 1 # {} 1\n# EOF").truncated());
    BOOST_TEST(report_of("# EOFX\na 1 # {} 1\n").truncated());
}

BOOST_AUTO_TEST_CASE(nothing_follows_the_end)
{
    const auto report = report_of("a 1\n# EOF\n\na 2\n# x\n");
    BOOST_TEST(report.samples == 1U);
    BOOST_TEST(report.malformed_lines == 2U);
    BOOST_TEST(report.first_malformed_line == 4U);
    BOOST_TEST(report.first_reason == "text after # EOF");
}

BOOST_AUTO_TEST_CASE(what_is_no_metrics_is_recognised)
{
    for (const auto* text :
         {"<!DOCTYPE html>\n", "\n  <html><body>502</body>", "<?xml version=\"1.0\"?>", "<H1>no"})
        BOOST_TEST(report_of(text).looks_like_html, text);
    BOOST_TEST(report_of("\xEF\xBB\xBF<html>").looks_like_html);
    for (const auto* text :
         {"[]", "[{\"gpuMemUsage\":1}]", "{}", " {\n \"error\" : {}}", "{\"detail\":\"Not Found\"}\n"})
        BOOST_TEST(report_of(text).looks_like_json, text);
    for (const std::string_view text : {std::string_view("\x1F\x8B\x08\0", 4),
                                        std::string_view("\xFF\xFEm\0", 4), std::string_view("m 1\n\0", 5)})
        BOOST_TEST(report_of(text).looks_like_binary);
    for (const auto* text :
         {"", "\n", "m 1\n", "{\"m\"} 1", "{\"m\",a=\"b\"} 1", "# <html>\n", "m{a=\"<html>\"} 1", "<", "{"}) {
        const auto report = report_of(text);
        BOOST_TEST(!(report.looks_like_html || report.looks_like_json || report.looks_like_binary), text);
    }
    BOOST_TEST(report_of(file("captures/74_nginx_502_upstream_down_html.txt")).samples == 0U);
}

BOOST_AUTO_TEST_CASE(text_that_is_not_utf8_is_malformed_line_by_line)
{
    Sink sink;
    const auto report = parse_prom("m{a=\"\xE9t\xE9\"} 1\nm{a=\"été\"} 2\n# caf\xE9\n", sink);
    BOOST_TEST(report.malformed_lines == 2U);
    BOOST_TEST(report.first_reason == "not UTF-8");
    BOOST_TEST(only(sink, "m{a=été") == 2);
}

BOOST_AUTO_TEST_CASE(a_byte_order_mark_is_passed_over)
{
    Sink sink;
    BOOST_TEST(parse_prom("\xEF\xBB\xBFm 1\n", sink).malformed_lines == 0U);
    BOOST_TEST(only(sink, "m") == 1);
}

BOOST_AUTO_TEST_CASE(long_lines_are_malformed_and_the_rest_is_read)
{
    const std::string most = "m{a=\"" + std::string(max_prom_line_bytes - 9, 'x') + "\"} 1";
    BOOST_TEST_REQUIRE(most.size() == max_prom_line_bytes);
    const auto report = report_of(most + "\n" + most + "2\nm 1\n");
    BOOST_TEST(report.samples == 2U);
    BOOST_TEST(report.malformed_lines == 1U);
    BOOST_TEST(report.first_malformed_line == 2U);
    BOOST_TEST(report.first_reason == "a line longer than 1 MiB");
}

BOOST_AUTO_TEST_CASE(a_sample_that_stands_twice_is_handed_out_twice)
{
    Sink sink;
    parse_prom("m 1\nm 2\n", sink);
    BOOST_TEST((sink.values["m"] == std::vector<double>{1, 2}));
}
