// SPDX-License-Identifier: MIT
#include <slo/artifact/envelope_sources.hpp>

#define BOOST_TEST_MODULE artifact_envelope_sources
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_folder.hpp"

#include <fstream>

using namespace slo;

namespace {

struct Fixture {
    test::ScratchFolder scratch;
    artifact::Sources sources;
    std::size_t taken = 0;

    std::string file(std::string_view text) const
    {
        const auto path = scratch.path() + "/f";
        std::ofstream(path) << text;
        return path;
    }

    std::string read(std::string_view text)
    {
        try {
            sources.read_records("r", file(text), [&](const json::object& record) {
                if (find(record, "bad"))
                    throw InputError("bad", "is there");
                ++taken;
            });
        } catch (const InputError& error) {
            const std::string what = error.what();
            return what.substr(what.rfind('/') + 1);
        }
        return "";
    }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(records_are_counted_and_digested, Fixture)
{
    const std::string text = "{\"a\":1}\n\n{\"a\":2}\n";
    BOOST_TEST(read(text).empty());
    BOOST_TEST(taken == 2U);
    sources.absent("gpu", "no --gpu given");
    const auto& list = sources.to_json_array();
    BOOST_TEST(*string_at(list[0].get_object(), "sha256") == sha256(text));
    BOOST_TEST(integer_at(list[0].get_object(), "records").value() == 2);
    BOOST_TEST(to_json(list[1]) == R"({"name":"gpu","absent":"no --gpu given"})");
    sources.list("other", {file(text)});
    BOOST_TEST(*string_at(sources.to_json_array()[2].get_object(), "sha256") == sha256(text));
    sources.list("device", {"/dev/null"});
    BOOST_TEST(find(sources.to_json_array()[3].get_object(), "sha256")->is_null());
}

BOOST_FIXTURE_TEST_CASE(a_bad_line_is_named_and_a_cut_last_one_noted, Fixture)
{
    BOOST_TEST(read("{}\n{\"bad\":1}\n") == "f:2: bad: is there");
    BOOST_TEST(read("{}\n[1]\n") == "f:2: not a JSON object");
    BOOST_TEST(read("{}\n{\"a\"\n{}\n").starts_with("f:2: not JSON ("));
    BOOST_TEST(sources.notes().empty());
    BOOST_TEST(read("{}\n{\"a\"").empty());
    BOOST_TEST(sources.notes().size() == 1U);
    BOOST_CHECK_THROW(sources.read_object("o", file("{} {}")), InputError);
    BOOST_TEST(sources.read_object("o", file("{\n \"a\": 1\n}\n")).size() == 1U);
    BOOST_CHECK_THROW(sources.read_text("o", "/no/such"), IoError);
}
