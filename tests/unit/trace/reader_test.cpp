// SPDX-License-Identifier: MIT
#include <slo/trace/reader.hpp>

#define BOOST_TEST_MODULE trace_reader
#include <boost/test/unit_test.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace {
using namespace slo;

// Each record as its line and how many requests it gave, or what is wrong with it; an error ends it.
std::string read(std::string_view format, std::string_view text)
{
    io::Fd file(::memfd_create("r", MFD_CLOEXEC));
    io::write_all(file, text, "r");
    BOOST_REQUIRE(::lseek(file.get(), 0, SEEK_SET) == 0);
    const auto path = "/proc/self/fd/" + std::to_string(file.get());
    const auto short_of = [&](std::string what) {
        const auto at = what.find(path);
        return at == std::string::npos ? what : what.replace(at, path.size(), "f");
    };
    std::string seen;
    try {
        trace::TraceReader reader(trace::format_named(format), path);
        while (const auto record = reader.next())
            seen +=
                std::to_string(record->line) + ":" +
                (record->bad.empty() ? std::to_string(record->requests.size()) : short_of(record->where)) +
                (record->mended ? " mended" : "") + ";";
    } catch (const InputError& error) {
        seen += short_of(error.what());
    }
    return seen;
}

BOOST_AUTO_TEST_CASE(lines_and_arrays_and_members)
{
    const std::string talk = R"({"conversations":[{"from":"human","value":"q"},{"from":"gpt","value":"r"}]})";
    BOOST_TEST(read("sharegpt", "[" + talk + ",\n" + talk + "]") == "1:1;2:1;");
    BOOST_TEST(read("sharegpt", talk + "\r\n\n" + talk) == "1:1;3:1;");
    BOOST_TEST(read("aiperf", "{\"data\":[{\"payload\":[{\"prompt\":\"x\"}]},\n{\"payloads\":[]}]}") ==
               "1:1;2:0;");
    BOOST_TEST(read("aiperf", "{\"text\":\"x\"}\n{\"text\":\"y\"}\n") == "1:1;2:1;");
}

BOOST_AUTO_TEST_CASE(a_malformed_record_does_not_spoil_the_next)
{
    BOOST_TEST(read("vllm", "{\"prompt\":\"a\"}\n{\"prompt\"\n{\"prompt\":\"b\"}") ==
               "1:1;2:f:2: not JSON (incomplete JSON at byte 10);3:1;");
    BOOST_TEST(read("sharegpt", "[7,\n{\"conversations\":[]}]") ==
               "1:f:1: element 1: not a JSON object;2:0;");
    BOOST_TEST(read("azure", "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00,1\nx\"y\n\n"
                             "2024-05-10 00:00:00,1,2\n") ==
               "2:f:2: not as many fields as the header has;"
               "3:f:3: a quote inside of a field that does not begin with one;5:1;");
}

BOOST_AUTO_TEST_CASE(halves_of_surrogate_pairs_are_mended_and_told)
{
    BOOST_TEST(read("vllm", R"({"prompt":"a \ud83d b"})") == "1:1 mended;");
    BOOST_TEST(read("vllm", R"({"prompt":"a \ud83d\ude00 b"})") == "1:1;");
}

BOOST_AUTO_TEST_CASE(csv_headers)
{
    BOOST_TEST(read("azure", "") == "");
    BOOST_TEST(read("azure", "\n\n") == "");
    BOOST_TEST(read("azure", "\xEF\xBB\xBF\"TIMESTAMP\",GeneratedTokens,ContextTokens\r\n") == "");
    BOOST_TEST(read("azure", "TIMESTAMP,ContextTokens\n") ==
               "f:1: the header has no column 'generatedtokens'");
    BOOST_TEST(read("azure", "TIME\"STAMP\n") ==
               "f:1: a quote inside of a field that does not begin with one");
}

} // namespace
