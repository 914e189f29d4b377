// SPDX-License-Identifier: MIT
#include <slo/io/json_elements.hpp>

#define BOOST_TEST_MODULE io_json_elements
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <unistd.h>

#include <fstream>
#include <string>
#include <string_view>
#include <thread>

namespace {
using slo::io::Fd;
using slo::io::JsonElements;

struct Pipe {
    Pipe()
    {
        int ends[2];
        BOOST_REQUIRE(::pipe(ends) == 0);
        read = Fd(ends[0]);
        write = Fd(ends[1]);
    }
    Fd read, write;
};

// Each element as "line:text;", an error at the end.
std::string read(std::string_view text, const std::string& member = {})
{
    Pipe pipe;
    slo::io::write_all(pipe.write, text, "pipe");
    pipe.write = Fd();
    JsonElements elements(std::move(pipe.read), "f", member);
    std::string seen;
    try {
        while (const auto element = elements.next())
            seen += std::to_string(elements.line()) + ":" + std::string(*element) + ";";
        BOOST_TEST(!elements.next());
    } catch (const slo::InputError& error) {
        seen += error.what();
    }
    return seen;
}

BOOST_AUTO_TEST_CASE(an_array_gives_its_elements)
{
    BOOST_TEST(read("[]") == "");
    BOOST_TEST(read(" [\n] \n") == "");
    BOOST_TEST(read("\xEF\xBB\xBF[1,\n {\"a\": [1, 2]},\r\n\"x,]\\\"}\"\n,null ]\n") ==
               "1:1;2:{\"a\": [1, 2]};3:\"x,]\\\"}\";4:null;");
    BOOST_TEST(read("[[1],[[2]]]") == "1:[1];1:[[2]];");
    BOOST_TEST(read("") == "");
    BOOST_TEST(read(" \n \n") == "");
}

BOOST_AUTO_TEST_CASE(what_is_missing_is_an_element_for_its_reader_to_refuse)
{
    BOOST_TEST(read("[1,,2,]") == "1:1;1:;1:2;1:;");
    BOOST_TEST(read("[1 2]") == "1:1 2;");
}

BOOST_AUTO_TEST_CASE(lines_are_taken_too)
{
    BOOST_TEST(read("{\"a\":1}\r\n\n  {\"a\":2}\n[3") == "1:{\"a\":1};3:{\"a\":2};4:[3;");
    BOOST_TEST(read("{\"a\":1}\n[2]\n", "data") == "1:{\"a\":1};2:[2];");
    BOOST_TEST(read("log line\n", "data") == "1:log line;");
}

BOOST_AUTO_TEST_CASE(the_array_may_be_a_member)
{
    BOOST_TEST(read("{ \"data\" :\n[1,\n2] , \"x\": {\"]\": \"}\\\"\"}, \"y\": [1]}\n", "data") ==
               "2:1;3:2;");
    BOOST_TEST(read("{\"data\":[]}", "data") == "");
    BOOST_TEST(read("{\"data\":{}}", "data") == "1:{\"data\":{}};");
    BOOST_TEST(read("{\"dat\":[1]}", "data") == "1:{\"dat\":[1]};");
    BOOST_TEST(read("{\"data\":[1]}", "") == "1:{\"data\":[1]};");
    BOOST_TEST(read("{\"data\":[1]", "data") == "1:1;f:1: the file ends inside of an object");
}

BOOST_AUTO_TEST_CASE(a_broken_array_is_told_with_its_line)
{
    BOOST_TEST(read("[1,\n{\"a\":\n") == "1:1;f:2: the file ends inside of the array");
    BOOST_TEST(read("[1,\n\"a") == "1:1;f:2: the file ends inside of the array");
    BOOST_TEST(read("[1}]") == "f:1: a brace closes what none opened");
    BOOST_TEST(read("[1]\n x") == "1:1;f:2: text after the end of the array");
    BOOST_TEST(read("[1][2]") == "1:1;f:1: text after the end of the array");
}

BOOST_AUTO_TEST_CASE(what_follows_the_array_is_read_alike_wherever_a_block_ends)
{
    const std::string head = R"({"data":[1],"x":")";
    const slo::test::ScratchFile file;
    for (std::size_t before = 65530; before < 65540; ++before) {
        std::ofstream(file.path()) << head << std::string(before - head.size(), 'a') << R"(\"}b"})";
        JsonElements elements(file.path(), "data");
        BOOST_TEST(elements.next().value() == "1");
        BOOST_CHECK_NO_THROW(BOOST_TEST(!elements.next()));
    }
}

BOOST_AUTO_TEST_CASE(errors_name_the_element_of_an_array)
{
    Pipe pipe;
    slo::io::write_all(pipe.write, "[1,\n2]", "pipe");
    pipe.write = Fd();
    JsonElements elements(std::move(pipe.read), "dump.json");
    elements.next();
    elements.next();
    BOOST_TEST(elements.error("is two").what() == "dump.json:2: element 2: is two");
    Pipe lines;
    slo::io::write_all(lines.write, "1\n2\n", "pipe");
    lines.write = Fd();
    JsonElements each(std::move(lines.read), "dump.jsonl");
    each.next();
    BOOST_TEST(each.error("is one").what() == "dump.jsonl:1: is one");
}

BOOST_AUTO_TEST_CASE(an_element_is_there_before_the_array_ends)
{
    Pipe pipe;
    JsonElements elements(std::move(pipe.read), "f");
    slo::io::write_all(pipe.write, "[{\"a\":1},", "pipe");
    BOOST_TEST(elements.next().value() == "{\"a\":1}");
    slo::io::write_all(pipe.write, "2]", "pipe");
    BOOST_TEST(elements.next().value() == "2");
    pipe.write = Fd();
    BOOST_TEST(!elements.next());
}

BOOST_AUTO_TEST_CASE(large_elements_come_whole_and_the_observer_sees_all_bytes)
{
    std::string text = "[";
    for (int i = 0; i < 40; ++i)
        text += (i > 0 ? ",\"" : "\"") + std::string(static_cast<std::size_t>(i) * 10'000, 'x') + "\"";
    text += "]";
    Pipe pipe;
    std::thread writer([&] {
        slo::io::write_all(pipe.write, text, "pipe");
        pipe.write = Fd();
    });
    JsonElements elements(std::move(pipe.read), "f");
    std::string bytes;
    elements.observe({nullptr, [&](std::string_view piece) { bytes += piece; }});
    std::size_t count = 0;
    while (const auto element = elements.next()) {
        BOOST_TEST(element->size() == count * 10'000 + 2);
        ++count;
    }
    writer.join();
    BOOST_TEST(count == 40u);
    BOOST_TEST((bytes == text));
}

} // namespace
