// SPDX-License-Identifier: MIT
#include <slo/io/stoppable_output.hpp>

#define BOOST_TEST_MODULE io_stoppable_output
#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

using namespace slo;

namespace {

// A FIFO whose reader may read or not.
struct Fifo {
    Fifo()
    {
        auto name = (std::filesystem::temp_directory_path() / "slo-output-XXXXXX").string();
        BOOST_REQUIRE(::mkdtemp(name.data()));
        folder = name;
        BOOST_REQUIRE(::mkfifo(path().c_str(), 0600) == 0);
        reader = io::Fd(::open(path().c_str(), O_RDONLY | O_NONBLOCK));
    }
    ~Fifo() { std::filesystem::remove_all(folder); }
    std::string path() const { return folder + "/fifo"; }
    std::string read() const
    {
        std::string text(1 << 20, '\0');
        const auto got = ::read(reader.get(), text.data(), text.size());
        text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        return text;
    }

    std::string folder;
    io::Fd reader;
};

const json::object small{{"a", 1}};
const json::object huge{{"fill", std::string(1 << 20, 'x')}};

} // namespace

BOOST_AUTO_TEST_CASE(a_reader_that_reads_gets_every_record)
{
    const Fifo fifo;
    io::JsonlWriter writer(fifo.path());
    io::StopSignal stop;
    io::StoppableOutput out(writer, stop, 0.01);
    out.write(small);
    ::raise(SIGTERM);
    out.write(small);
    BOOST_TEST(fifo.read() == "{\"a\":1}\n{\"a\":1}\n");
    BOOST_TEST(!out.given_up());
    BOOST_TEST(stop.requested());
}

BOOST_AUTO_TEST_CASE(a_stalled_reader_is_given_up_after_a_signal)
{
    for (const bool seen_before : {false, true}) {
        const Fifo fifo;
        io::JsonlWriter writer(fifo.path());
        io::StopSignal stop;
        io::StoppableOutput out(writer, stop, 0.01);
        ::raise(SIGTERM);
        if (seen_before)
            BOOST_TEST(stop.requested());
        out.write(huge);
        BOOST_TEST(out.given_up());
        // The line is torn, so that nothing may follow it.
        const auto torn = fifo.read();
        BOOST_TEST(to_json(huge).starts_with(torn));
        out.write(small);
        BOOST_TEST(fifo.read().empty());
        BOOST_TEST(stop.requested());
    }
}

BOOST_AUTO_TEST_CASE(a_reader_that_went_away_is_told)
{
    Fifo fifo;
    std::signal(SIGPIPE, SIG_IGN);
    io::JsonlWriter writer(fifo.path());
    fifo.reader = io::Fd();
    io::StopSignal stop;
    io::StoppableOutput out(writer, stop);
    BOOST_CHECK_THROW(out.write(small), ClosedPipe);
}
