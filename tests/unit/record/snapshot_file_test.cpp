// SPDX-License-Identifier: MIT
// Files of scrapes: headers of both forms, several scrapes in a file, lengths that do not fit, merging.

#include <slo/record/snapshot_file.hpp>

#define BOOST_TEST_MODULE record_snapshot_file
#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>

using namespace slo::record;

namespace {

const std::string start(snapshot_header_start);

} // namespace

BOOST_AUTO_TEST_CASE(a_bare_page_is_one_scrape)
{
    const auto snapshots = parse_snapshots("# TYPE a gauge\na 1\n", "file");
    BOOST_TEST_REQUIRE(snapshots.size() == 1U);
    BOOST_TEST(snapshots[0].series.size() == 1U);
    BOOST_TEST(!snapshots[0].taken_s.has_value());
    BOOST_TEST(!snapshots[0].truncated());
    BOOST_TEST(parse_snapshots("", "file").size() == 1U);
}

BOOST_AUTO_TEST_CASE(the_classic_header_is_read)
{
    const auto snapshot = read_snapshot("tests/data/classic/prom/fixture_prefix_before.prom");
    BOOST_TEST(snapshot.source == "tests/data/classic/prom/fixture_prefix_before.prom");
    BOOST_TEST(snapshot.taken_s.value() == 1779076800);
    BOOST_TEST(snapshot.url.value() == "http://localhost:8000/metrics");
    BOOST_TEST(snapshot.series.size() == 3U);
    // Only at the top of the file.
    BOOST_TEST(!parse_snapshots("\n\n# snapshot_iso=2026-05-18T04:00:00+00:00\na 1\n", "file")[0]
                    .taken_s.has_value());
}

BOOST_AUTO_TEST_CASE(each_header_begins_a_scrape)
{
    const auto text =
        start + " time=2026-05-18T04:00:00.250Z url=http://a/metrics duration_s=0.012 bytes=4 label=A\n" +
        "m 1\n" + start + " url=http://b/metrics bytes=9\r\n" + "m 2\nbad\nx" + "\n" + start + "\nm 3\n";
    const auto snapshots = parse_snapshots(text, "file");
    BOOST_TEST_REQUIRE(snapshots.size() == 3U);
    BOOST_TEST(snapshots[0].taken_s.value() == 1779076800.25);
    BOOST_TEST(snapshots[0].url.value() == "http://a/metrics");
    BOOST_TEST(snapshots[0].label.value() == "A");
    BOOST_TEST(snapshots[0].duration_s.value() == 0.012);
    BOOST_TEST(snapshots[0].series.at(0).value == 1);
    BOOST_TEST(!snapshots[0].truncated());
    BOOST_TEST(snapshots[1].series.at(0).value == 2);
    BOOST_TEST(snapshots[1].report.malformed_lines == 2U);
    BOOST_TEST(snapshots[1].report.first_malformed_line == 5U); // of the file
    BOOST_TEST(snapshots[1].truncated());
    BOOST_TEST(snapshots[2].series.at(0).value == 3);
}

BOOST_AUTO_TEST_CASE(the_length_protects_a_page_that_holds_a_header_line)
{
    const std::string page = "m 1\n" + start + " label=fake\nm{a=\"b\"} 2\n";
    const auto whole = start + " bytes=" + std::to_string(page.size()) + "\n" + page;
    BOOST_TEST_REQUIRE(parse_snapshots(whole, "file").size() == 1U);
    BOOST_TEST(parse_snapshots(whole, "file")[0].series.size() == 2U);
    BOOST_TEST(parse_snapshots(whole + whole, "file").size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_length_that_does_not_fit)
{
    // Longer than the file, or than the room to the next header: the page is cut.
    BOOST_TEST(parse_snapshots(start + " bytes=9\nm 1\n", "file")[0].truncated());
    const auto two = parse_snapshots(start + " bytes=9\nm 1\n" + start + " bytes=4\nm 2\n", "file");
    BOOST_TEST_REQUIRE(two.size() == 2U);
    BOOST_TEST(two[0].short_body);
    BOOST_TEST(!two[1].short_body);
    BOOST_TEST(two[1].series.at(0).value == 2);
    // Shorter: something was added by hand.
    const auto more = parse_snapshots(start + " bytes=2\nm 1\nn 1\n", "file");
    BOOST_TEST(more[0].series.size() == 2U);
    BOOST_TEST(!more[0].truncated());
    BOOST_TEST(parse_snapshots(start + " bytes=18446744073709551615\nm 1\n", "file")[0].short_body);
}

BOOST_AUTO_TEST_CASE(text_before_the_first_header_is_a_scrape_of_its_own)
{
    const auto snapshots = parse_snapshots("a 1\n" + start + "\na 2\n", "file");
    BOOST_TEST_REQUIRE(snapshots.size() == 2U);
    BOOST_TEST(snapshots[0].series.at(0).value == 1);
    BOOST_TEST(parse_snapshots("\xEF\xBB\xBF" + start + "\na 2\n", "file").size() == 1U);
}

BOOST_AUTO_TEST_CASE(the_head_of_a_response_is_passed_over)
{
    const auto snapshot = read_snapshot("tests/data/captures/60_metrics_after.txt");
    BOOST_TEST(snapshot.series.size() == 15U);
    BOOST_TEST(snapshot.report.malformed_lines == 0U);
    BOOST_TEST((snapshot.type_of("llamacpp:prompt_tokens_total") == PromType::counter));
    BOOST_TEST(
        read_snapshot("tests/data/captures/74_nginx_502_upstream_down_html.txt").report.looks_like_html);
    BOOST_TEST(read_snapshot("tests/data/captures/80e_metrics_no_key.txt").report.looks_like_json);
    BOOST_TEST(
        parse_snapshots("HTTP/1.1 200 OK\r\nA: b\r\n\r\nm 1\nbad\n", "file")[0].report.first_malformed_line ==
        5U);
    BOOST_TEST(parse_snapshots("HTTP/1.1 200 OK\nm 1", "file")[0].series.size() == 1U);
}

BOOST_AUTO_TEST_CASE(scrapes_of_several_endpoints_merge_with_a_label)
{
    const auto text = start + " time=2026-05-18T04:00:00Z label=b\n# TYPE m counter\nm{z=\"1\"} 1\n" + start +
                      " url=http://a/metrics\nm{z=\"1\"} 2\nm{instance=\"own\"} 3\nbad\n";
    const auto merged = merge_snapshots(parse_snapshots(text, "file"));
    BOOST_TEST_REQUIRE(merged.series.size() == 3U);
    BOOST_TEST(*merged.series[0].label("instance") == "b");
    BOOST_TEST(*merged.series[1].label("instance") == "http://a/metrics");
    BOOST_TEST(*merged.series[2].label("instance") == "own");
    BOOST_TEST(merged.series[1].value == 2);
    BOOST_TEST(merged.series[0].labels.front().first == "instance"); // still sorted
    BOOST_TEST(merged.report.malformed_lines == 1U);
    BOOST_TEST(merged.taken_s.value() == 1779076800);
    BOOST_TEST(!merged.url.has_value());
    BOOST_TEST((merged.type_of("m") == PromType::counter));
}

BOOST_AUTO_TEST_CASE(of_two_scrapes_of_one_endpoint_the_later_counts)
{
    const auto block = [](int value) { return start + " label=a\nm " + std::to_string(value) + "\n"; };
    const auto merged = merge_snapshots(parse_snapshots(block(1) + block(2), "file"));
    BOOST_TEST_REQUIRE(merged.series.size() == 1U);
    BOOST_TEST(merged.series[0].value == 2);
    BOOST_TEST(merged.duplicates == 1U);
}

BOOST_AUTO_TEST_CASE(a_single_scrape_stays_as_it_is)
{
    const auto merged = merge_snapshots(parse_snapshots(start + " label=a\nm 1\n", "file"));
    BOOST_TEST(!merged.series.at(0).label("instance"));
    BOOST_TEST(merged.label.value() == "a");
}

BOOST_AUTO_TEST_CASE(limits_and_missing_files)
{
    std::string many;
    for (std::size_t i = 0; i <= max_scrapes; ++i)
        many += start + "\n";
    BOOST_CHECK_THROW(parse_snapshots(many, "file"), slo::InputError);
    many.resize(many.size() - start.size() - 1);
    BOOST_TEST(parse_snapshots(many, "file").size() == max_scrapes);

    // The series of all scrapes together are bounded too.
    std::string full = start + "\n";
    for (std::size_t i = 0; i < max_series / 2 + 1; ++i)
        full += "m" + std::to_string(i) + " 1\n";
    BOOST_TEST(parse_snapshots(full, "file").size() == 1U);
    BOOST_CHECK_THROW(parse_snapshots(full + full, "file"), slo::InputError);
    BOOST_CHECK_THROW(read_snapshot("tests/data/no-such.prom"), slo::IoError);
}
