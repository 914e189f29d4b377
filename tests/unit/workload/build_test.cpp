#include <slo/workload/build.hpp>

#define BOOST_TEST_MODULE workload_build
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <slo/io/fd.hpp>

#include <fstream>
#include <string>

using namespace slo;

BOOST_AUTO_TEST_CASE(a_manifest_says_how_the_route_came_about)
{
    const test::ScratchFile source;
    const test::ScratchFile output;
    const test::ScratchFile manifest;
    std::ofstream(source.path()) << "one\ntwo\n";
    workload::BuildOptions options;
    options.output = output.path();
    options.manifest = manifest.path();
    std::string notes;
    workload::Build build("sample", options, [&](const std::string& text) { notes += text; });
    auto lines = build.open(source.path());
    while (const auto line = lines.next())
        build.write(*line);
    build.skip("empty");
    build.skip("empty", 2);
    build.facts()["kept"] = 2;
    build.note("done");
    build.finish({{"seed", 7}});
    BOOST_TEST(notes == "donewrote 2 rows; left out: empty (3)");
    BOOST_TEST(io::read_all(output.path(), 100) == "one\ntwo\n");
    const auto record = parse_json(io::read_all(manifest.path(), 10000)).as_object();
    const auto digest = sha256("one\ntwo\n");
    BOOST_TEST(record.at("verb") == "sample");
    BOOST_TEST(record.at("rows") == 2);
    BOOST_TEST(record.at("bytes") == 8);
    BOOST_TEST(record.at("sha256").as_string() == digest);
    BOOST_TEST(record.at("kept") == 2);
    BOOST_TEST(to_json(record.at("skipped")) == R"({"empty":3})");
    BOOST_TEST(to_json(record.at("options")) == R"({"seed":7})");
    BOOST_TEST(record.at("sources").at(0).at("sha256").as_string() == digest);
    BOOST_TEST(record.at("sources").at(0).at("bytes") == 8);
}

BOOST_AUTO_TEST_CASE(nothing_stands_where_a_build_did_not_end)
{
    const test::ScratchFile folder;
    workload::BuildOptions options;
    options.output = folder.path() + ".route";
    {
        workload::Build build("sample", options, [](const std::string&) {});
        build.write("{}");
    }
    BOOST_CHECK_THROW(io::LineReader(options.output), IoError);
}

BOOST_AUTO_TEST_CASE(a_manifest_is_no_line_of_a_route)
{
    const auto refusal = [](const std::string& output, const std::string& manifest,
                            const std::string& source) {
        workload::BuildOptions options;
        options.output = output;
        options.manifest = manifest;
        try {
            workload::Build build("sample", options, [](const std::string&) {});
            build.open(source);
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const test::ScratchFile file;
    const test::ScratchFile other;
    BOOST_TEST(refusal("-", "-", file.path()) == "--manifest: cannot be where the route goes");
    BOOST_TEST(refusal("there-is-none", "./there-is-none", file.path()) ==
               "--manifest: cannot be where the route goes");
    BOOST_TEST(refusal("/dev/null", file.path(), file.path()).starts_with("--manifest: cannot be a source"));
    BOOST_TEST(refusal("/dev/null", "/dev/null", file.path()).empty());
    BOOST_TEST(refusal("/dev/null", other.path(), file.path()).empty());
    BOOST_TEST(refusal(file.path(), "-", file.path()).empty());
}

BOOST_AUTO_TEST_CASE(what_was_left_out_is_said_in_the_end)
{
    const auto last_note = [](auto&& work, bool quiet = false) {
        const test::ScratchFile output;
        workload::BuildOptions options;
        options.output = output.path();
        options.quiet = quiet;
        std::string notes;
        workload::Build build("sample", options, [&](const std::string& text) { notes += text; });
        work(build);
        build.finish({});
        return notes;
    };
    BOOST_TEST(last_note([](workload::Build& build) { build.write("{}"); }).empty());
    BOOST_TEST(last_note([](workload::Build&) {}) == "no row was written");
    const auto skip = [](workload::Build& build) {
        build.skip("no answer");
        build.skip("empty", 2);
    };
    BOOST_TEST(last_note(skip) == "no row was written; left out: empty (2), no answer (1)");
    BOOST_TEST(last_note(skip, true).empty());
    BOOST_TEST(last_note([](workload::Build& build) { build.close_with("imported 0 rows"); }) ==
               "imported 0 rows");
}
