// SPDX-License-Identifier: MIT
#include <slo/artifact/schema_v1.hpp>

#define BOOST_TEST_MODULE artifact_schema_v1
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

#include <map>
#include <string>

using namespace slo;

namespace {

// Where ours differ from the classic checker on purpose: what ours say, and why (section 9 of the standard).
struct Difference {
    std::string ours; ///< first error as "path keyword"; empty: accepted
    std::string reason;
};

const std::map<std::string, Difference> differences{
    {"schema/video-modality-rejected", {"", "9.23: cards of the standard are of this modality"}},
    {"schema/expert-parallel-int-rejected", {"", "9.23: engines take a number of expert ranks"}},
    {"schema/few-completed",
     {"", "9.17, 9.22: a rule of the validity gate, which fails closed, not of the form"}},
    {"schema/error-rate-over-half", {"", "9.17, 9.22: likewise"}},
    {"schema/strict-no-slo", {"", "9.17, 9.22: likewise"}},
};

std::string first_error(const json::object& artifact)
{
    const auto errors = artifact::check_envelope(artifact);
    return errors.empty() ? "" : errors[0].path + " " + errors[0].keyword;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_shipped_file_is_the_schema)
{
    BOOST_TEST(io::read_all("examples/schema/envelope-1.schema.json", 1 << 20) == artifact::schema_v1_text);
}

BOOST_AUTO_TEST_CASE(vectors_are_judged_as_by_the_classic_checker_or_differ_for_a_reason)
{
    io::LineReader lines("tests/data/benchmark/schema.jsonl");
    std::size_t seen = 0, differing = 0;
    while (const auto vector = io::next_object(lines)) {
        ++seen;
        const std::string id(*string_at(*vector, "id"));
        const auto ours = first_error(*object_at(*object_at(*vector, "input"), "artifact"));
        const auto& expected = *object_at(*vector, "expected");
        std::string classic;
        if (const auto path = string_at(expected, "path"))
            classic = std::string(*path) + " " + std::string(*string_at(expected, "keyword"));
        else if (const auto stage = string_at(expected, "stage"))
            classic = *stage;
        const auto listed = differences.find(id);
        if (listed == differences.end()) {
            BOOST_TEST(ours == classic, id);
            continue;
        }
        ++differing;
        BOOST_TEST(ours == listed->second.ours, id);
        BOOST_TEST(ours != classic, id << " is listed and does not differ");
    }
    BOOST_TEST(seen == 12U);
    BOOST_TEST(differing == differences.size());
}

BOOST_AUTO_TEST_CASE(errors_come_in_one_line)
{
    BOOST_TEST(artifact::to_line({{"a", "type", "is 1"}}) == "a: is 1");
    BOOST_TEST(
        artifact::to_line(artifact::check_envelope({})) ==
        "(root): 'schema_version' is missing; (root): 'artifact_id' is missing; (root): 'created_at' is "
        "missing; and 6 more");
}
