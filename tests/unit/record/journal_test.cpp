// SPDX-License-Identifier: MIT
// Unit test of record/journal.hpp: what survives, what is repaired, what is left alone.

#include <slo/record/journal.hpp>

#define BOOST_TEST_MODULE record_journal
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>
#include <slo/record/probe_output.hpp>
#include <slo/record/search_result.hpp>

#include <sys/wait.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

using namespace slo;
using namespace slo::record;

namespace {

struct Folder {
    std::filesystem::path path;
    Folder()
    {
        auto name = (std::filesystem::temp_directory_path() / "slo-journal-XXXXXX").string();
        BOOST_REQUIRE(::mkdtemp(name.data()));
        path = name;
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string file(const std::string& text = {}) const
    {
        const auto name = (path / "journal").string();
        if (!text.empty())
            std::ofstream(name, std::ios::binary) << text;
        return name;
    }
};

const json::object start = to_record(SearchSettings{8.5, 10.5, 0.1, 6.5, false, 8, 4, 1, {"p"}});
const std::string start_line = to_json(start) + "\n";

json::object probe(double qps)
{
    SearchProbe probe;
    probe.qps = qps;
    return to_record(probe);
}

std::string content(const std::string& path)
{
    return io::read_all(path, 1 << 20);
}

std::string refusal(const std::string& path)
{
    try {
        Journal journal(path, 0.01);
    } catch (const Error& error) {
        return error.what();
    }
    return "opened";
}

} // namespace

BOOST_AUTO_TEST_CASE(what_is_appended_is_there_for_the_next)
{
    const Folder folder;
    const auto path = folder.file();
    {
        Journal journal(path);
        BOOST_TEST(!journal.log().settings);
        journal.append(start);
        journal.append(probe(8.5));
    }
    {
        Journal journal(path);
        BOOST_TEST(journal.log().settings.has_value());
        BOOST_TEST(journal.log().probes.size() == 1u);
        journal.append(probe(10.5));
    }
    BOOST_TEST(Journal(path).log().probes.size() == 2u);
}

// Whatever a probe prints, what it brings into the journal is read back.
BOOST_AUTO_TEST_CASE(everything_that_is_appended_is_read_back)
{
    Random random(7);
    const auto below = [&](std::uint64_t bound) { return random.bits() % bound; };
    const auto text = [&] {
        std::string bytes;
        for (auto left = below(12); left > 0; --left)
            bytes += static_cast<char>(below(256));
        return bytes;
    };
    const auto value = [&](auto& self, std::size_t depth) -> json::value {
        if (depth > 0 && below(8) != 0) {
            if (below(2) == 0)
                return json::array{self(self, depth - 1), self(self, below(depth))};
            return json::object{{text(), self(self, depth - 1)}, {text(), self(self, 0)}};
        }
        switch (below(5)) {
        case 0:
            return json::value(text());
        case 1:
            return json::value(
                std::ldexp(static_cast<double>(below(1000)) - 500, static_cast<int>(below(2200)) - 1100));
        case 2:
            return json::value(random.bits());
        case 3:
            return json::value(std::numeric_limits<double>::quiet_NaN());
        default:
            return json::value(nullptr);
        }
    };
    const Folder folder;
    const auto path = folder.file();
    std::vector<std::string> expected;
    {
        Journal journal(path);
        auto settings = SearchSettings{8.5, 10.5, 0.1, 6.5, false, 8, 4, UINT64_MAX, {"p", text(), text()}};
        journal.append(to_record(settings));
        for (int i = 0; i < 300; ++i) {
            ProbeOutput output;
            for (auto lines = below(6); lines > 0; --lines)
                output.feed(to_json(json::object{{text(), value(value, below(62))}}) + "\n");
            output.feed(std::string(below(70), '[') + text() + "\n");
            output.feed(to_json(json::object{{"status", "FAIL"},
                                             {"notes", json::array{text()}},
                                             {"window", text()},
                                             {"primary_metric", text()}}) +
                        "\n");
            auto probe = output.judge(1, 6.5);
            probe.qps = 8.5;
            probe.phase = text();
            probe.notes.push_back(text());
            const auto record = to_record(probe);
            journal.append(record);
            expected.push_back(to_json(record.at("attachments")));
        }
        SearchResult result;
        result.reason = text();
        journal.append(to_record(result, settings));
    }
    const Journal journal(path);
    BOOST_TEST(journal.torn_bytes() == 0u);
    BOOST_TEST(journal.log().settings->seed == UINT64_MAX);
    BOOST_TEST(journal.log().result.has_value());
    BOOST_REQUIRE(journal.log().probes.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        BOOST_REQUIRE_EQUAL(to_json(journal.log().probes[i].attachments), expected[i]);
}

BOOST_AUTO_TEST_CASE(a_torn_line_is_cut_off_by_the_first_append_only)
{
    const Folder folder;
    const auto torn = start_line + to_json(probe(8.5)) + "\n" + to_json(probe(9.5)).substr(0, 30);
    const auto path = folder.file(torn);
    {
        Journal journal(path);
        BOOST_TEST(journal.torn_bytes() == 30u);
        BOOST_TEST(journal.log().probes.size() == 1u);
        BOOST_TEST(content(path) == torn);
        journal.append(probe(10.5));
    }
    BOOST_TEST(content(path) == start_line + to_json(probe(8.5)) + "\n" + to_json(probe(10.5)) + "\n");
}

BOOST_AUTO_TEST_CASE(a_missing_last_lf_is_put_there)
{
    const Folder folder;
    const auto path = folder.file(start_line + to_json(probe(8.5)));
    {
        Journal journal(path);
        BOOST_TEST(journal.log().probes.size() == 1u);
        journal.append(probe(10.5));
    }
    BOOST_TEST(Journal(path).log().probes.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_start_record_cut_short_is_no_journal_yet)
{
    for (std::size_t cut = 1; cut + 1 < start_line.size(); ++cut) {
        const Folder folder;
        const auto path = folder.file(start_line.substr(0, cut));
        Journal journal(path);
        BOOST_REQUIRE(!journal.log().settings);
        journal.append(start);
        BOOST_REQUIRE_EQUAL(content(path), start_line);
    }
}

BOOST_AUTO_TEST_CASE(a_file_of_another_kind_is_left_alone)
{
    for (const std::string text : {"a text without an end", "{\"ts\":1,\"conv_id\":\"a\"}\n",
                                   "{\"schema\":\"sloutils.round/1\"", "\n", "PASS\n"}) {
        const Folder folder;
        const auto path = folder.file(text);
        BOOST_TEST(refusal(path).starts_with(path));
        BOOST_TEST(content(path) == text);
    }
}

BOOST_AUTO_TEST_CASE(it_belongs_to_one_process)
{
    const Folder folder;
    const auto path = folder.file();
    int ends[2];
    BOOST_REQUIRE(::pipe(ends) == 0);
    const auto other = ::fork();
    if (other == 0) {
        Journal journal(path);
        io::write_all(io::Fd(ends[1]), "x", "pipe");
        ::pause();
    }
    char byte;
    BOOST_REQUIRE(::read(ends[0], &byte, 1) == 1);
    BOOST_TEST(refusal(path) == path + ": in use by another search");
    ::kill(other, SIGKILL);
    ::waitpid(other, nullptr, 0);
    BOOST_TEST(refusal(path) == "opened");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_a_journal_is_named)
{
    const Folder folder;
    BOOST_TEST(refusal(folder.path.string()) == folder.path.string() + ": Is a directory");
    BOOST_TEST(refusal("/dev/null") == "/dev/null: not a regular file");
    const auto missing = folder.path.string() + "/no/journal";
    BOOST_TEST(refusal(missing) == missing + ": No such file or directory");
    const auto fifo = folder.path.string() + "/fifo";
    BOOST_REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    BOOST_TEST(refusal(fifo) == fifo + ": not a regular file");
}
