// SPDX-License-Identifier: MIT
#include <slo/io/reread.hpp>

#define BOOST_TEST_MODULE io_reread
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace io = slo::io;

namespace {

std::string all_of(io::LineReader lines)
{
    std::string text;
    while (const auto line = lines.next())
        text.append(*line).append(1, '|');
    return text;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_file_is_read_again)
{
    const slo::test::ScratchFile file;
    std::ofstream(file.path()) << "one\ntwo\nthree";
    io::RereadSource source(file.path());
    std::string seen;
    BOOST_TEST(all_of(source.first({{}, [&](std::string_view bytes) { seen += bytes; }})) ==
               "one|two|three|");
    BOOST_TEST(seen == "one\ntwo\nthree");
    BOOST_TEST(all_of(source.again()) == "one|two|three|");
    BOOST_TEST(all_of(source.again()) == "one|two|three|");
    std::string part(3, '\0');
    source.read_at(4, part);
    BOOST_TEST(part == "two");
    std::ofstream(file.path()) << "one";
    BOOST_CHECK_THROW(source.read_at(4, part), slo::InputError);
}

BOOST_AUTO_TEST_CASE(what_a_pipe_gave_is_read_again)
{
    const slo::test::ScratchFile file;
    std::filesystem::remove(file.path());
    BOOST_REQUIRE(::mkfifo(file.path().c_str(), 0600) == 0);
    std::string text;
    for (int i = 0; i < 50'000; ++i)
        text += "line " + std::to_string(i) + "\n";
    std::jthread writer([&] { std::ofstream(file.path()) << text; });
    io::RereadSource source(file.path());
    BOOST_TEST(source.name() == file.path());
    std::size_t seen = 0;
    const auto first = all_of(source.first({{}, [&](std::string_view bytes) { seen += bytes.size(); }}));
    BOOST_TEST(seen == text.size());
    BOOST_TEST((all_of(source.again()) == first));
    std::string part(6, '\0');
    source.read_at(7, part);
    BOOST_TEST(part == "line 1");
}

BOOST_AUTO_TEST_CASE(a_place_for_what_a_pipe_gives_is_needed)
{
    const slo::test::ScratchFile file;
    ::setenv("TMPDIR", (file.path() + ".none").c_str(), 1);
    BOOST_CHECK_THROW(io::RereadSource("/dev/null"), slo::IoError);
    ::unsetenv("TMPDIR");
    BOOST_CHECK_THROW(io::RereadSource(file.path() + ".none"), slo::IoError);
}
