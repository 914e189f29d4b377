// SPDX-License-Identifier: MIT
#include <slo/io/jsonl.hpp>

#define BOOST_TEST_MODULE io_jsonl
#include <boost/test/unit_test.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

std::pair<slo::io::Fd, slo::io::Fd> make_pipe()
{
    int ends[2];
    BOOST_REQUIRE(::pipe(ends) == 0);
    return {slo::io::Fd(ends[0]), slo::io::Fd(ends[1])};
}

std::vector<std::string> lines_of(const std::string& bytes)
{
    auto [out, in] = make_pipe();
    std::thread writer([&, end = std::move(in)] { slo::io::write_all(end, bytes, "pipe"); });
    slo::io::LineReader reader(std::move(out), "f");
    writer.join();
    std::vector<std::string> lines;
    while (const auto line = reader.next())
        lines.emplace_back(*line);
    return lines;
}

} // namespace

BOOST_AUTO_TEST_CASE(d05_only_lf_ends_a_line)
{
    const auto lines = lines_of("\xEF\xBB\xBF"
                                "a\xE2\x80\xA8"
                                "b\xC2\x85"
                                "c\r\n\n\rx\nlast");
    const std::vector<std::string> expected{"a\xE2\x80\xA8"
                                            "b\xC2\x85"
                                            "c",
                                            "", "\rx", "last"};
    BOOST_TEST(lines == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(hands_out_a_line_while_the_writer_still_writes)
{
    auto [out, in] = make_pipe();
    slo::io::LineReader reader(std::move(out), "f");
    slo::io::write_all(in, "one\ntw", "pipe");
    BOOST_TEST(reader.next().value() == "one");
    slo::io::write_all(in, "o\n", "pipe");
    BOOST_TEST(reader.next().value() == "two");
    BOOST_TEST(reader.line() == 2U);
    in = slo::io::Fd();
    BOOST_TEST(!reader.next());
}

BOOST_AUTO_TEST_CASE(says_where_in_the_source_a_line_begins)
{
    std::string bytes = "\xEF\xBB\xBFone\r\n\n";
    for (int i = 0; i < 5000; ++i)
        bytes += std::string(static_cast<std::size_t>(i % 70), 'x') + "<" + std::to_string(i) + "\n";
    auto [out, in] = make_pipe();
    std::thread writer([&, end = std::move(in)] { slo::io::write_all(end, bytes, "pipe"); });
    slo::io::LineReader reader(std::move(out), "f");
    BOOST_TEST(reader.next().value() == "one");
    BOOST_TEST(reader.offset() == 3U);
    while (const auto line = reader.next())
        BOOST_TEST(bytes.compare(reader.offset(), line->size() + 1, std::string(*line) + "\n") == 0);
    BOOST_TEST(reader.line() == 5002U);
    writer.join();
}

BOOST_AUTO_TEST_CASE(takes_long_lines)
{
    char path[] = "long_line_XXXXXX";
    const slo::io::Fd file(::mkstemp(path));
    const std::string longest(5'000'000, 'x');
    slo::io::write_all(file, longest + "\nend\n", path);
    slo::io::LineReader reader{std::string(path)};
    BOOST_TEST((reader.next().value() == longest));
    BOOST_TEST(reader.next().value() == "end");
    ::unlink(path);
}

BOOST_AUTO_TEST_CASE(names_file_and_line_of_what_is_no_object)
{
    auto [out, in] = make_pipe();
    slo::io::write_all(in, "{\"a\":1}\n\n[]\n", "pipe");
    in = slo::io::Fd();
    slo::io::LineReader reader(std::move(out), "rounds.jsonl");
    BOOST_TEST(slo::io::next_object(reader).value().contains("a"));
    BOOST_CHECK_EXCEPTION(slo::io::next_object(reader), slo::InputError, [](const slo::InputError& error) {
        return std::string(error.what()) == "rounds.jsonl:3: not a JSON object";
    });
}

BOOST_AUTO_TEST_CASE(says_what_cannot_be_opened_or_written)
{
    BOOST_CHECK_THROW(slo::io::LineReader("/nonexistent/file"), slo::IoError);
    BOOST_CHECK_THROW(slo::io::read_all("/", 10), slo::IoError);
    BOOST_CHECK_THROW(slo::io::read_all("/proc/self/maps", 10), slo::InputError);
    slo::io::JsonlWriter full("/dev/full");
    BOOST_CHECK_THROW(full.write({{"a", 1}}), slo::IoError);
}

BOOST_AUTO_TEST_CASE(a_reader_that_went_away_is_a_closed_pipe)
{
    ::signal(SIGPIPE, SIG_IGN);
    auto [out, in] = make_pipe();
    out = slo::io::Fd();
    BOOST_CHECK_THROW(slo::io::write_all(in, "x", "pipe"), slo::ClosedPipe);
}

BOOST_AUTO_TEST_CASE(a_stopped_input_ends_after_its_last_whole_line)
{
    auto [out, in] = make_pipe();
    const slo::io::Fd stop(::eventfd(0, EFD_CLOEXEC));
    slo::io::write_all(in, "one\ntw", "pipe");
    slo::io::LineReader reader("/dev/fd/" + std::to_string(out.get()), stop.get());
    BOOST_TEST(reader.next().value() == "one");
    BOOST_REQUIRE_EQUAL(::eventfd_write(stop.get(), 1), 0);
    BOOST_TEST(!reader.next().has_value());
    BOOST_TEST(!reader.next().has_value());
}

BOOST_AUTO_TEST_CASE(a_reader_that_takes_nothing_is_given_up_only_when_told)
{
    auto [out, in] = make_pipe();
    const slo::io::Fd give_up(::eventfd(0, EFD_CLOEXEC));
    slo::io::JsonlWriter writer("/dev/fd/" + std::to_string(in.get()));
    writer.give_up_when_readable(give_up.get());
    const std::string text(300'000, 'x'); // more than a pipe holds
    std::thread taker([&, &from = out] {
        char block[65536];
        for (std::size_t taken = 0; taken < text.size();)
            taken += slo::io::read_some(from, block, sizeof block, "pipe");
    });
    BOOST_CHECK_NO_THROW(writer.write_text(text));
    taker.join();
    BOOST_REQUIRE_EQUAL(::eventfd_write(give_up.get(), 1), 0);
    BOOST_CHECK_NO_THROW(writer.write_text("there is room\n"));
    BOOST_CHECK_THROW(writer.write_text(text), slo::ClosedPipe);
}
