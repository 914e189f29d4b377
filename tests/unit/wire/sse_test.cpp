// SPDX-License-Identifier: MIT
// Splitting event streams: line ends, cut reads, comments, limits.

#include <slo/wire/sse.hpp>

#define BOOST_TEST_MODULE wire_sse
#include <boost/test/unit_test.hpp>

#include <slo/io/fd.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using Events = std::vector<std::pair<std::string, std::string>>;

// The events of a stream that arrives in reads of `size` bytes, each in memory of its own.
Events split(std::string_view stream, std::size_t size)
{
    slo::wire::SseSplitter splitter;
    Events events;
    for (std::size_t from = 0; from < stream.size(); from += size) {
        const std::string read(stream.substr(from, size));
        BOOST_TEST(splitter.feed(
            read, [&](const slo::wire::SseEvent& event) { events.emplace_back(event.name, event.data); }));
    }
    return events;
}

void check_all_cuts(std::string_view stream, const Events& expected)
{
    for (std::size_t size = 1; size <= stream.size(); ++size)
        BOOST_TEST((split(stream, size) == expected), "reads of " << size << " bytes");
    // And every single cut in two, among them all those inside CRLF and inside a UTF-8 sequence.
    for (std::size_t cut = 1; cut < stream.size(); ++cut) {
        slo::wire::SseSplitter splitter;
        Events events;
        const auto take = [&](const slo::wire::SseEvent& event) {
            events.emplace_back(event.name, event.data);
        };
        splitter.feed(std::string(stream.substr(0, cut)), take);
        splitter.feed(std::string(stream.substr(cut)), take);
        BOOST_TEST((events == expected), "cut at " << cut);
    }
}

} // namespace

BOOST_AUTO_TEST_CASE(line_ends_are_lf_crlf_or_cr)
{
    for (const std::string end : {"\n", "\r\n", "\r"}) {
        const auto stream =
            "data: a" + end + end + "data: b" + end + "data: c" + end + end + ": x" + end + end;
        check_all_cuts(stream, {{"", "a"}, {"", "b\nc"}});
    }
    check_all_cuts("data: a\r\n\ndata: b\n\r\ndata: c\r\rdata: d\n\r",
                   {{"", "a"}, {"", "b"}, {"", "c"}, {"", "d"}});
}

BOOST_AUTO_TEST_CASE(one_space_after_the_colon_is_dropped)
{
    check_all_cuts("data:a\n\ndata: b\n\ndata:  c\n\ndata\n\ndata:\n\n",
                   {{"", "a"}, {"", "b"}, {"", " c"}, {"", ""}, {"", ""}});
}

BOOST_AUTO_TEST_CASE(data_lines_are_joined_by_lf)
{
    check_all_cuts("data: {\ndata:  \"a\": 1\ndata: }\n\ndata:\ndata:\n\ndata: x\ndata:\n\n",
                   {{"", "{\n \"a\": 1\n}"}, {"", "\n"}, {"", "x\n"}});
}

BOOST_AUTO_TEST_CASE(names_belong_to_one_event)
{
    check_all_cuts(
        "event: error\ndata: x\n\ndata: y\n\nevent: lost\n\ndata: z\n\nevent: one\nevent: two\ndata: w\n\n",
        {{"error", "x"}, {"", "y"}, {"", "z"}, {"two", "w"}});
}

BOOST_AUTO_TEST_CASE(other_fields_and_comments_are_passed_over)
{
    check_all_cuts("id: 7\nretry: 100\n: beat\ndata: a\n:\n\nfoo: bar\n\n:::\ndatax: 1\n Data: 2\n\n",
                   {{"", "a"}});
}

BOOST_AUTO_TEST_CASE(an_event_cut_off_by_the_end_is_none)
{
    check_all_cuts("data: a\n\ndata: b\n", {{"", "a"}});
    check_all_cuts("data: a\n\ndata: b", {{"", "a"}});
}

BOOST_AUTO_TEST_CASE(a_byte_order_mark_counts_only_at_the_start)
{
    check_all_cuts("\xEF\xBB\xBF"
                   "data: a\n\n",
                   {{"", "a"}});
    check_all_cuts("data: a\n\n\xEF\xBB\xBF"
                   "data: b\n\n",
                   {{"", "a"}});
    // The beginning of a mark that is none belongs to the line.
    check_all_cuts("\xEF\xBB"
                   "data: a\n\ndata: b\n\n",
                   {{"", "b"}});
}

BOOST_AUTO_TEST_CASE(nul_bytes_and_non_ascii_pass_through)
{
    const std::string stream("data: \0\xF0\x9F\x99\x82\xFF\n\n", 14);
    check_all_cuts(stream, {{"", std::string("\0\xF0\x9F\x99\x82\xFF", 6)}});
}

BOOST_AUTO_TEST_CASE(a_whole_event_is_not_copied)
{
    const std::string read = "data: hello\n\nevent: e\ndata: there\n\n";
    slo::wire::SseSplitter splitter;
    int events = 0;
    splitter.feed(read, [&](const slo::wire::SseEvent& event) {
        ++events;
        BOOST_TEST((event.data.data() > read.data() && event.data.data() < read.data() + read.size()));
    });
    BOOST_TEST(events == 2);
}

BOOST_AUTO_TEST_CASE(lines_of_megabytes)
{
    const std::string large(std::size_t{3} << 19, 'x');
    const auto stream = "data: " + large + "\n\ndata: " + large + "\ndata: " + large + "\n\n";
    const Events expected{{"", large}, {"", large + "\n" + large}};
    BOOST_TEST((split(stream, 16384) == expected));
    BOOST_TEST((split(stream, stream.size()) == expected));
}

BOOST_AUTO_TEST_CASE(an_event_above_the_limit_ends_the_stream)
{
    const auto events_before_failure = [](std::string_view stream, std::size_t size) {
        slo::wire::SseSplitter splitter(100);
        int events = 0;
        for (std::size_t from = 0; from < stream.size(); from += size)
            splitter.feed(std::string(stream.substr(from, size)),
                          [&](const slo::wire::SseEvent&) { ++events; });
        return splitter.overflowed() ? events : -1;
    };
    const std::string good = "data: ok\n\n";
    const auto long_line = good + "data: " + std::string(200, 'x') + "\n\n" + good;
    const auto never_ending = good + std::string(1000, 'x');
    std::string many_lines = good;
    for (int i = 0; i < 60; ++i)
        many_lines += "data: 1\n";
    for (const std::size_t size : {1u, 7u, 64u, 100000u}) {
        BOOST_TEST(events_before_failure(long_line, size) == 1);
        BOOST_TEST(events_before_failure(never_ending, size) == 1);
        BOOST_TEST(events_before_failure(many_lines + "\n", size) == 1);
        BOOST_TEST(events_before_failure(good + good, size) == -1);
    }
}

BOOST_AUTO_TEST_CASE(text_that_is_no_event_stream_is_shown)
{
    const auto stray = [](std::string_view stream) {
        slo::wire::SseSplitter splitter;
        splitter.feed(stream, [](const slo::wire::SseEvent&) {});
        return std::string(splitter.stray_text());
    };
    BOOST_TEST(stray("{\"error\":\"x\"}\n") == "{\"error\":\"x\"}");
    BOOST_TEST(stray("{\"error\":\"x\"}") == "{\"error\":\"x\"}");
    BOOST_TEST(stray("data: a\n\n<html>\n<body>\n") == "<html>");
    BOOST_TEST(stray("data: a\n\n: c\nid: 1\nevent: x\nretry: 3\n\ndata: b") == "");
    BOOST_TEST(stray(std::string(2000, 'x')).size() == 512u);
}

BOOST_AUTO_TEST_CASE(comments_are_counted_S04)
{
    const auto stream = slo::io::read_all("tests/data/sse/S04-comment-keepalive/response.sse", 1 << 20);
    for (const std::size_t size : {1u, 3u, 1000u}) {
        slo::wire::SseSplitter splitter;
        int events = 0;
        for (std::size_t from = 0; from < stream.size(); from += size)
            splitter.feed(std::string(stream.substr(from, size)),
                          [&](const slo::wire::SseEvent&) { ++events; });
        BOOST_TEST(splitter.comment_lines() == 5u);
        BOOST_TEST(events == 5);
    }
}

BOOST_AUTO_TEST_CASE(joined_lines_parse_S06)
{
    const auto stream = slo::io::read_all("tests/data/sse/S06-multi-data-lines/response.sse", 1 << 20);
    const auto events = split(stream, 10);
    BOOST_REQUIRE(events.size() == 5u); // four of JSON and [DONE]
    BOOST_TEST(events[1].first == "chunk");
    BOOST_TEST(events[1].second.starts_with("{\n \"id\": \"r1\",\n"));
    BOOST_TEST(events[4].second == "[DONE]");
}
