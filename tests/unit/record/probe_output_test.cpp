// SPDX-License-Identifier: MIT
// Unit test of record/probe_output.hpp: status and verdict, in agreement and not, and hostile output.

#include <slo/record/probe_output.hpp>

#define BOOST_TEST_MODULE record_probe_output
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::record;

namespace {

SearchProbe judge(const std::string& output, int exit_status)
{
    ProbeOutput probe;
    probe.feed(output);
    return probe.judge(exit_status, 6.5);
}

std::string verdict(const std::string& status, const std::string& p50 = "4.5")
{
    return R"({"schema":"sloutils.verdict/1","status":")" + status + R"(","avg_p50_latency_s":)" + p50 +
           R"(,"slo_s":6.5,"primary_metric":"tail","tail_window":4})"
           "\n";
}

std::string refusal(const std::string& output, int exit_status)
{
    try {
        judge(output, exit_status);
    } catch (const Error& error) {
        return error.what();
    }
    return "judged";
}

} // namespace

BOOST_AUTO_TEST_CASE(status_and_verdict_agree)
{
    const auto pass = judge(verdict("PASS"), 0);
    BOOST_TEST((pass.status == ProbeStatus::pass));
    BOOST_TEST(*pass.avg_p50_latency_s == 4.5);
    BOOST_TEST(pass.window == "tail 4");
    BOOST_TEST(pass.notes.empty());
    const auto fail = judge(verdict("FAIL", "7.25"), 1);
    BOOST_TEST((fail.status == ProbeStatus::fail));
    BOOST_TEST(fail.notes.empty());
    const auto few = judge(verdict("NOT_ENOUGH_ROUNDS", "null"), 2);
    BOOST_TEST((few.status == ProbeStatus::not_enough_rounds));
    BOOST_TEST(!few.avg_p50_latency_s);
    BOOST_TEST(few.notes.empty());
    BOOST_TEST((pass.measured && fail.measured && !few.measured));
}

BOOST_AUTO_TEST_CASE(where_they_disagree_the_worse_counts)
{
    const auto failed_verdict = judge(verdict("FAIL"), 0);
    BOOST_TEST((failed_verdict.status == ProbeStatus::fail));
    BOOST_TEST(failed_verdict.notes.at(0) == "verdict FAIL but status 0: counted as a fail");
    const auto failed_status = judge(verdict("PASS"), 1);
    BOOST_TEST((failed_status.status == ProbeStatus::fail));
    BOOST_TEST(failed_status.notes.at(0) == "verdict PASS but status 1: counted as a fail");
    BOOST_TEST((judge(verdict("PASS"), 2).status == ProbeStatus::fail));
    BOOST_TEST(!judge(verdict("PASS"), 2).measured);
    BOOST_TEST(judge(verdict("FAIL"), 2).measured);
    BOOST_TEST(failed_status.measured);
    BOOST_TEST((judge(verdict("NOT_ENOUGH_ROUNDS"), 0).status == ProbeStatus::not_enough_rounds));
}

BOOST_AUTO_TEST_CASE(status_alone_decides_where_nothing_is_said)
{
    const auto pass = judge("", 0);
    BOOST_TEST((pass.status == ProbeStatus::pass));
    BOOST_TEST(pass.notes.at(0) == "no verdict record, status 0 alone decides");
    BOOST_TEST((judge("", 1).status == ProbeStatus::fail));
    const auto undecided = judge("", 2);
    BOOST_TEST((undecided.status == ProbeStatus::fail));
    BOOST_TEST(!undecided.measured);
    BOOST_TEST(judge("", 1).measured);
    BOOST_TEST(undecided.notes.at(1) == "no verdict possible (status 2), counted as a fail");
}

BOOST_AUTO_TEST_CASE(other_statuses_are_no_verdict)
{
    BOOST_TEST(refusal(verdict("PASS"), 3) == "ended with status 3");
    BOOST_TEST(refusal(verdict("PASS"), 127) == "ended with status 127 (a command in it was not found)");
    BOOST_TEST(refusal(verdict("FAIL"), 126) == "ended with status 126 (a command in it cannot be executed)");
    BOOST_TEST(refusal("", 137) == "ended with status 137 (killed by signal 9)");
    BOOST_TEST(refusal(R"({"status":"ERROR","error":"route.jsonl: no rows"})", 1) ==
               "reported ERROR: route.jsonl: no rows");
    BOOST_TEST(refusal(R"({"status":"ERROR"})", 0) == "reported ERROR: no reason given");
}

BOOST_AUTO_TEST_CASE(the_last_verdict_counts_and_the_rest_is_attached)
{
    const std::string diff = R"({"schema":"sloutils.diff/1","status":"OK","hit_rate":0.625})"
                             "\n";
    const auto probe = judge(verdict("FAIL", "9") + diff + verdict("PASS") + R"({"x":1})", 0);
    BOOST_TEST((probe.status == ProbeStatus::pass));
    BOOST_TEST(*probe.hit_rate == 0.625);
    BOOST_REQUIRE(probe.attachments.size() == 3u);
    BOOST_TEST(to_json(probe.attachments[1]) + "\n" == verdict("FAIL", "9"));
    BOOST_TEST(to_json(probe.attachments[0]) + "\n" == diff);
    BOOST_TEST(to_json(probe.attachments[2]) == R"({"x":1})");
}

BOOST_AUTO_TEST_CASE(an_error_of_another_record_is_no_verdict)
{
    const auto probe = judge(verdict("PASS") + R"({"schema":"sloutils.diff/1","status":"ERROR"})" + "\n", 0);
    BOOST_TEST((probe.status == ProbeStatus::pass));
    BOOST_TEST(probe.attachments.size() == 1u);
}

BOOST_AUTO_TEST_CASE(rounds_are_told_while_they_come)
{
    ProbeOutput output;
    output.feed(R"({"measurement_round":1,"Latency":{"p50":1.5}})"
                "\n"
                R"({"measurement_round":2,"Latency":{"p50":2.)");
    BOOST_TEST(output.rounds() == 1u);
    BOOST_TEST(*output.last_p50_s() == 1.5);
    output.feed("5}}\r\n");
    BOOST_TEST(output.rounds() == 2u);
    BOOST_TEST(*output.last_p50_s() == 2.5);
}

BOOST_AUTO_TEST_CASE(every_split_reads_the_same)
{
    const auto text = verdict("FAIL") + "\r\n" + verdict("PASS");
    for (std::size_t split = 0; split <= text.size(); ++split) {
        ProbeOutput output;
        output.feed(std::string_view(text).substr(0, split));
        output.feed(std::string_view(text).substr(split));
        const auto probe = output.judge(0, 6.5);
        BOOST_REQUIRE((probe.status == ProbeStatus::pass));
        BOOST_REQUIRE_EQUAL(probe.attachments.size(), 1u);
    }
}

BOOST_AUTO_TEST_CASE(garbage_is_counted_and_shown_once)
{
    const auto probe = judge("Traceback\x1B[31m\n\xFF\xFE\n[1,2]\n" + verdict("PASS"), 0);
    BOOST_TEST((probe.status == ProbeStatus::pass));
    BOOST_TEST(probe.notes.at(0) == "3 lines of output no JSON object, the first: 'Traceback?[31m'");
}

BOOST_AUTO_TEST_CASE(huge_output_is_bounded)
{
    ProbeOutput output;
    const std::string block(1 << 20, 'x');
    for (int i = 0; i < 70; ++i)
        output.feed(block);
    output.feed("\n");
    for (int i = 0; i < 1000; ++i)
        output.feed("{\"fill\":\"" + std::string(5000, 'y') + "\"}\n");
    output.feed(verdict("PASS"));
    const auto probe = output.judge(0, 6.5);
    BOOST_TEST((probe.status == ProbeStatus::pass));
    BOOST_TEST(to_json(probe.attachments).size() <= ProbeOutput::max_attached_bytes + 1024);
    BOOST_TEST(probe.notes.at(0) == "1 line of output no JSON object, the first: a line longer than 64 MiB");
    BOOST_TEST(probe.notes.at(1).ends_with("JSON objects of output not attached (too many, or too deep)"));
}

BOOST_AUTO_TEST_CASE(what_is_too_deep_for_a_record_is_left_out)
{
    const auto nested = [](std::size_t depth) {
        return "{\"x\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}\n";
    };
    const auto deepest = ProbeOutput::max_attachment_depth;
    const auto probe = judge(nested(deepest) + nested(deepest + 1) + nested(63) + verdict("PASS"), 0);
    BOOST_TEST(probe.attachments.size() == 1u);
    BOOST_TEST(probe.notes.at(0) == "2 JSON objects of output not attached (too many, or too deep)");
}

BOOST_AUTO_TEST_CASE(very_many_lines_are_counted_and_not_kept)
{
    ProbeOutput output;
    std::string block;
    for (int i = 0; i < 1000; ++i)
        block += "a line of text\n{\"i\":1}\n";
    for (int i = 0; i < 100; ++i)
        output.feed(block);
    output.feed(verdict("PASS"));
    const auto probe = output.judge(0, 6.5);
    BOOST_TEST(probe.attachments.size() == ProbeOutput::max_attachments);
    BOOST_TEST(probe.notes.at(0) == "100000 lines of output no JSON object, the first: 'a line of text'");
    BOOST_TEST(probe.notes.at(1) == "99744 JSON objects of output not attached (too many, or too deep)");
}

BOOST_AUTO_TEST_CASE(texts_of_a_verdict_are_bounded)
{
    const std::string huge(100000, 'w');
    const auto probe = judge(R"({"status":"PASS","primary_metric":")" + huge + R"(","window":")" + huge +
                                 R"(","notes":[")" + huge + R"("]})",
                             0);
    BOOST_TEST(to_json(to_record(probe)).size() < 2000u);
}

BOOST_AUTO_TEST_CASE(another_slo_is_noticed)
{
    const auto probe = judge(R"({"status":"PASS","slo_s":2})", 0);
    BOOST_TEST(probe.notes.at(0) == "judged against an SLO of 2.0 s, searched for 6.5 s");
}

BOOST_AUTO_TEST_CASE(a_timeout_is_a_fail_without_a_figure)
{
    ProbeOutput output;
    output.feed(verdict("PASS"));
    const auto probe = output.timed_out(30);
    BOOST_TEST((probe.status == ProbeStatus::fail));
    BOOST_TEST(!probe.avg_p50_latency_s);
    BOOST_TEST(!probe.measured);
    BOOST_TEST(probe.notes.at(0) == "no verdict within 30.0 s, counted as a fail");
}

BOOST_AUTO_TEST_CASE(one_without_a_verdict_keeps_what_it_printed)
{
    ProbeOutput output;
    output.feed("{\"round\":1}\n{\"status\":\"PASS\",\"avg_p50_latency_s\":1}\n{\"rou");
    const auto probe = output.without_verdict("cut short");
    BOOST_TEST((probe.status == ProbeStatus::fail));
    BOOST_TEST(!probe.measured);
    BOOST_TEST(!probe.avg_p50_latency_s);
    BOOST_TEST(probe.notes.at(0) == "cut short");
    BOOST_TEST(probe.attachments.size() == 1u);
}

BOOST_AUTO_TEST_CASE(open_and_invalid_verdicts_are_no_passes_and_measure_nothing)
{
    for (const auto* status : {"INCONCLUSIVE", "INVALID"}) {
        const auto probe = judge(verdict(status), 2);
        BOOST_TEST((probe.status == probe_status_of(status)));
        BOOST_TEST(!probe.measured);
        BOOST_TEST(probe.notes.empty());
        const auto odd = judge(verdict(status), 0);
        BOOST_TEST((odd.status == probe_status_of(status)));
        BOOST_TEST(odd.notes.at(0) == "verdict " + std::string(status) + " but status 0: counted as a fail");
    }
}

BOOST_AUTO_TEST_CASE(a_strategy_that_looks_at_margins_tells_a_fail_from_no_measurement)
{
    const auto told = [](const std::string& output, int exit_status) {
        ProbeOutput probe(false);
        probe.feed(output);
        return probe.judge(exit_status, 6.5);
    };
    const auto nothing = told("", 2);
    BOOST_TEST((nothing.status == ProbeStatus::invalid));
    BOOST_TEST(nothing.notes.at(1) == "no verdict possible (status 2), counted as no measurement");
    BOOST_TEST((told(verdict("PASS"), 2).status == ProbeStatus::invalid));
    BOOST_TEST((told(verdict("PASS"), 1).status == ProbeStatus::fail));
    BOOST_TEST((told(verdict("FAIL"), 2).status == ProbeStatus::fail));
    BOOST_TEST(told(verdict("INCONCLUSIVE"), 0).notes.at(0) ==
               "verdict INCONCLUSIVE but status 0: counted as no measurement");
    ProbeOutput late(false);
    const auto timed_out = late.timed_out(3);
    BOOST_TEST((timed_out.status == ProbeStatus::invalid));
    BOOST_TEST(timed_out.notes.at(0) == "no verdict within 3.0 s, counted as no measurement");
}

BOOST_AUTO_TEST_CASE(a_pass_that_is_not_believed_takes_its_evidence_with_it)
{
    const std::string certain = R"({"status":"PASS","certainty":{"level":0.95},"rounds_seen":9,)"
                                R"("objectives":[{"objective":"a","margin":-1,"margin_error":0.5}]})"
                                "\n";
    BOOST_TEST(judge(certain, 0).evidence.margins.size() == 1u);
    BOOST_TEST(*judge(certain, 0).evidence.confidence == 0.95);
    const auto failed = judge(certain, 1);
    BOOST_TEST((failed.status == ProbeStatus::fail));
    BOOST_TEST(failed.evidence.margins.empty());
    BOOST_TEST(!failed.evidence.confidence);
}

BOOST_AUTO_TEST_CASE(hostile_margins_are_left_out)
{
    const auto margins = [](const std::string& margin, const std::string& error) {
        return judge(R"({"status":"FAIL","objectives":[{"objective":"a","margin":)" + margin +
                         R"(,"margin_error":)" + error + "}]}\n",
                     1)
            .evidence.margins.size();
    };
    BOOST_TEST(margins("1", "1") == 1u);
    BOOST_TEST(margins("NaN", "1") == 0u);
    BOOST_TEST(margins("1e400", "1") == 0u);
    BOOST_TEST(margins("1", "0") == 0u);
    BOOST_TEST(margins("1", "-1") == 0u);
    BOOST_TEST(margins("1", "1e400") == 0u);
    BOOST_TEST(margins("null", "1") == 0u);
    std::string many;
    for (int i = 0; i < 100'000; ++i)
        many += std::string(i == 0 ? "" : ",") + R"({"objective":"a","margin":1,"margin_error":1})";
    const auto probe = judge(R"({"status":"FAIL","objectives":[)" + many + "]}\n", 1);
    BOOST_TEST(probe.evidence.margins.empty());
    BOOST_TEST(probe.notes.at(0) == "a verdict on 100000 objectives: margins are taken of 64 at most");
}
