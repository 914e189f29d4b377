// SPDX-License-Identifier: MIT
// Unit test of record/search_log.hpp: the state of a search from its records, whole or torn.

#include <slo/record/search_log.hpp>

#define BOOST_TEST_MODULE record_search_log
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::record;

namespace {

const std::string start =
    to_json(to_record(SearchSettings{8.5, 10.5, 0.1, 6.5, false, 8, 4, 1, {"p"}})) + "\n";
const std::string probe =
    R"({"schema":"sloutils.search/1","event":"probe","step":9,"qps":8.5,"status":"PASS","elapsed_s":30})"
    "\n";
const std::string verdict = R"({"schema":"sloutils.verdict/1","qps":10.5,"status":"FAIL"})"
                            "\n";

std::string refusal(const std::string& text)
{
    try {
        read_search_log(text, "journal");
    } catch (const InputError& error) {
        return error.what();
    }
    return "read";
}

} // namespace

BOOST_AUTO_TEST_CASE(probes_from_both_kinds_of_record)
{
    const auto read = read_search_log(start + probe + verdict, "journal");
    BOOST_TEST(read.log.settings->low_qps == 8.5);
    BOOST_REQUIRE(read.log.probes.size() == 2u);
    BOOST_TEST(read.log.probes[0].step == 1u);
    BOOST_TEST(read.log.probes[1].step == 2u);
    BOOST_TEST(read.log.probes[1].qps == 10.5);
    BOOST_TEST(read.log.elapsed_s == 30);
    BOOST_TEST(read.log.skipped == 0u);
    BOOST_TEST(read.ends_in_lf);
    BOOST_TEST(read.torn_bytes == 0u);
}

BOOST_AUTO_TEST_CASE(the_form_of_lines_is_lenient)
{
    const auto read = read_search_log("\xEF\xBB\xBF" + start.substr(0, start.size() - 1) + "\r\n\n  \n" +
                                          probe.substr(0, probe.size() - 1),
                                      "journal");
    BOOST_TEST(read.log.settings.has_value());
    BOOST_TEST(read.log.probes.size() == 1u);
    BOOST_TEST(!read.ends_in_lf);
    BOOST_TEST(read_search_log("", "journal").log.probes.empty());
}

BOOST_AUTO_TEST_CASE(a_result_holds_until_the_next_probe)
{
    const std::string result =
        R"({"schema":"sloutils.search/1","event":"result","reason":"interrupted","elapsed_s":99})"
        "\n";
    const auto ended = read_search_log(start + probe + result, "journal");
    BOOST_TEST(ended.log.result.has_value());
    BOOST_TEST(ended.log.elapsed_s == 99);
    BOOST_TEST(!read_search_log(start + result + probe, "journal").log.result);
}

BOOST_AUTO_TEST_CASE(progress_records_carry_the_time)
{
    const std::string progress = R"({"schema":"sloutils.search/1","event":"progress","elapsed_s":900})"
                                 "\n";
    const auto read = read_search_log(start + progress, "journal");
    BOOST_TEST(read.log.elapsed_s == 900);
    BOOST_TEST(read.log.skipped == 0u);
}

// A loop in bash keeps what a probe prints beside its verdict in the same file.
BOOST_AUTO_TEST_CASE(a_diff_belongs_to_the_verdict_that_follows)
{
    const auto read =
        read_search_log(R"({"schema":"sloutils.diff/1","hit_rate":0.66,"reconciliation":{"reconciled":true}})"
                        "\n"
                        R"({"qps":8,"status":"PASS"})"
                        "\n"
                        R"({"qps":9,"status":"FAIL"})"
                        "\n",
                        "journal");
    BOOST_TEST(read.log.skipped == 0u);
    BOOST_TEST(read.log.probes.at(0).hit_rate.value() == 0.66);
    BOOST_TEST(read.log.probes[0].reconciled.value());
    BOOST_TEST(!read.log.probes.at(1).hit_rate);
}

BOOST_AUTO_TEST_CASE(what_belongs_to_no_search_is_counted)
{
    const auto read = read_search_log(R"({"schema":"sloutils.snapshot/1","status":"ERROR"})"
                                      "\n"
                                      R"({"hit_rate":0.5,"status":"OK"})"
                                      "\n{}\n",
                                      "journal");
    BOOST_TEST(read.log.skipped == 3u);
    BOOST_TEST(read.log.probes.empty());
}

BOOST_AUTO_TEST_CASE(a_record_cut_anywhere_loses_itself_alone)
{
    const auto whole = start + probe;
    for (std::size_t cut = 1; cut + 1 < verdict.size(); ++cut) {
        const auto read = read_search_log(whole + verdict.substr(0, cut), "journal");
        BOOST_REQUIRE_EQUAL(read.log.probes.size(), 1u);
        BOOST_REQUIRE_EQUAL(read.whole_bytes, whole.size());
        BOOST_REQUIRE_EQUAL(read.torn_bytes, cut);
    }
    const auto zeros = read_search_log(whole + std::string(64, '\0'), "journal");
    BOOST_TEST(zeros.torn_bytes == 64u);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_named_by_line)
{
    BOOST_TEST(refusal(start + "{\"event\":\n" + probe).starts_with("journal:2: not JSON ("));
    BOOST_TEST(refusal(start + "[]\n") == "journal:2: not a JSON object");
    BOOST_TEST(refusal("\n{\"status\":\"PASS\"}\n") ==
               "journal:2: a verdict without qps: which rate was probed is not known");
    BOOST_TEST(refusal(R"({"status":"ERROR","qps":8})"
                       "\n") == "journal:1: ERROR at 8.0 qps is no verdict");
    BOOST_TEST(refusal(R"({"schema":"sloutils.search/2","event":"start"})"
                       "\n") == "journal:1: schema sloutils.search/2 is not known here");
    auto other = start;
    other.replace(other.find("8.5"), 3, "7.5");
    BOOST_TEST(refusal(start + other) ==
               "journal:2: the start of another search: low is 8.5 there, 7.5 here");
    BOOST_TEST(refusal(start + start) == "read");
}

BOOST_AUTO_TEST_CASE(what_happened_to_the_service_is_counted)
{
    const auto event = [](const std::string& what) {
        return R"({"schema":"sloutils.search/1","event":"service","what":")" + what + "\"}\n";
    };
    const auto before = start + event("died") + event("relaunched") + event("died") + event("frozen");
    const auto log = read_search_log(before, "journal").log;
    BOOST_TEST(log.deaths == 2u);
    BOOST_TEST(log.relaunches == 1u);
    BOOST_TEST(log.skipped == 0u);
    const auto after = read_search_log(before + probe + event("relaunched"), "journal").log;
    BOOST_TEST(after.deaths == 0u);
    BOOST_TEST(after.relaunches == 2u);
    BOOST_TEST(read_search_log(start + R"({"event":"result","confirm":3})", "journal").log.confirm == 3u);
    BOOST_TEST(read_search_log(start + R"({"event":"result","confirm":-3})", "journal").log.confirm == 0u);
}

BOOST_AUTO_TEST_CASE(open_and_invalid_verdicts_with_a_rate_are_probes_that_measured_nothing)
{
    SearchLog log;
    for (const auto* status : {"INCONCLUSIVE", "INVALID"})
        log.take({{"qps", 9}, {"status", status}, {"rounds_seen", 8}, {"certainty", {{"level", 0.95}}}});
    BOOST_REQUIRE(log.probes.size() == 2u);
    BOOST_TEST((log.probes[0].status == ProbeStatus::inconclusive));
    BOOST_TEST((log.probes[1].status == ProbeStatus::invalid));
    BOOST_TEST(!log.probes[0].measured);
    BOOST_TEST(*log.probes[0].evidence.rounds == 8);
    BOOST_TEST(*log.probes[0].evidence.confidence == 0.95);
    BOOST_TEST(log.skipped == 0u);
}
