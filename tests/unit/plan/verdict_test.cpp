// SPDX-License-Identifier: MIT
#include <slo/plan/verdict.hpp>

#define BOOST_TEST_MODULE plan_verdict
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

#include <map>

using namespace slo;
using record::Verdict;
using record::VerdictStatus;

namespace {

struct Argv {
    std::vector<std::string> files;
    plan::VerdictOptions options;
};

// The subset of the command line that the vectors use; nothing where the classic parser refused it, or where
// only the classic parser takes it.
std::optional<Argv> parse_argv(const json::array& words)
{
    Argv argv;
    bool total = false;
    bool tail = false;
    std::string key;
    const auto number = [](const std::string& text) {
        return text == "nan" ? std::optional(std::nan("")) : parse_double(text);
    };
    for (const auto& word : words) {
        std::string text(word.as_string());
        if (text.starts_with("--")) {
            const auto equals = text.find('=');
            key = text.substr(0, equals);
            if (key == "--auto-steady")
                argv.options.auto_steady = true;
            if (key == "--bogus")
                return std::nullopt;
            if (equals == std::string::npos)
                continue;
            text = text.substr(equals + 1);
        }
        if (key == "--json") {
            argv.files.push_back("tests/data/classic/" + text);
        } else if (key == "--total-rounds" || key == "--tail-window") {
            const auto count = parse_integer<std::int64_t>(text);
            if (!count)
                return std::nullopt;
            (key == "--total-rounds" ? argv.options.total_rounds : argv.options.tail_window) = *count;
            (key == "--total-rounds" ? total : tail) = true;
        } else if (key == "--slo") {
            if (!number(text))
                return std::nullopt;
            argv.options.slo_s = *number(text);
        } else if (key == "--steady-tolerance") {
            argv.options.steady_tolerance = number(text).value();
        } else if (key == "--steady-min-window") {
            argv.options.steady_min_window = parse_integer<std::int64_t>(text).value();
        } else {
            return std::nullopt;
        }
    }
    if (!total || !tail || argv.files.empty())
        return std::nullopt;
    return argv;
}

Verdict judge_files(const std::vector<std::string>& paths, const plan::VerdictOptions& options)
{
    return plan::judge(record::read_round_files(paths, [](int) {}), options);
}

// Why `ours` is not `theirs`; empty where they are equal: numbers to 1e-9.
std::string difference(const json::value& theirs, const json::value* ours)
{
    if (!ours)
        return "missing";
    const auto a = as_number(&theirs);
    const auto b = as_number(ours);
    if (a || b)
        return a && b && std::abs(*a - *b) <= 1e-9 * std::max(1.0, std::abs(*a)) ? "" : "another number";
    const auto* series = theirs.if_array();
    const auto* other = ours->if_array();
    if (!series || !other)
        return theirs == *ours ? "" : "another value";
    if (series->size() != other->size())
        return "another length";
    for (std::size_t i = 0; i < series->size(); ++i)
        if (const auto why = difference((*series)[i], &(*other)[i]); !why.empty())
            return why + " at " + std::to_string(i);
    return "";
}

} // namespace

// Where the classic analyzer is not followed, by file, and why.
const std::map<std::string, std::string, std::less<>> differs_on_purpose{
    {"made_nan_last.jsonl", "lets NaN through as a p50"},
    {"made_nan_mid.jsonl", "lets NaN through as a p50"},
    {"made_p50_strnan.jsonl", "takes the text nan as a p50"},
    {"made_p50_strws.jsonl", "takes text as a p50"},
};

std::string differences(const json::object& theirs, const Verdict& verdict)
{
    const auto ours = parse_json(to_json(record::to_record(verdict))).as_object();
    std::string text;
    for (const auto& [key, value] : theirs) {
        if (key == "notes") {
            const std::size_t extra = verdict.malformed_lines > 0 ? 1 : 0;
            if (static_cast<std::size_t>(value.as_int64()) + extra != verdict.notes.size())
                text += " notes";
        } else if (const auto why = difference(value, find(ours, std::string_view(key.data(), key.size())));
                   !why.empty())
            text += " " + std::string(key) + " (" + why + ")";
    }
    return text;
}

BOOST_AUTO_TEST_CASE(classic_vectors)
{
    io::LineReader reader("tests/data/classic/analyze_vectors.jsonl");
    std::map<std::string, int> seen;
    while (const auto line = reader.next()) {
        const auto cleaned = record::without_nan_tokens(*line);
        const auto vector = parse_json(cleaned ? *cleaned : std::string(*line)).as_object();
        auto argv = parse_argv(vector.at("argv").as_array());
        if (!argv) {
            // Usage errors there; here the counts have defaults, and stdin stands for no file. Two lines are
            // none there: "--total-r" for --total-rounds, and "1_0" for 10, neither of which is taken here.
            ++seen[vector.at("exit").as_int64() == 2 ? "usage" : "spelling"];
            continue;
        }
        argv->options.min_success_pct = 0;
        argv->options.ignore_client = true;
        Verdict verdict;
        try {
            verdict = judge_files(argv->files, argv->options);
        } catch (const IoError& error) {
            verdict = record::error_verdict(error.what());
        }
        if (vector.at("crash").as_bool()) {
            BOOST_TEST((vector.at("exit").as_int64() == 1 && !to_json(record::to_record(verdict)).empty()));
            ++seen["crash"];
            continue;
        }
        const auto exit = static_cast<std::int64_t>(record::exit_of(verdict.status));
        auto different = differences(vector.at("stdout").as_object(), verdict);
        if (exit != vector.at("exit").as_int64())
            different += " exit";
        const auto name = argv->files[0].substr(argv->files[0].rfind('/') + 1);
        if (differs_on_purpose.contains(name)) {
            const auto theirs = vector.at("stdout").as_object().at("rounds_seen").as_int64();
            BOOST_TEST(verdict.rounds_seen == theirs - 1, to_json(vector.at("argv")));
            ++seen["on purpose"];
            continue;
        }
        BOOST_TEST(different.empty(), to_json(vector.at("argv")) << different);
        ++seen["equal"];
    }
    BOOST_TEST(seen["equal"] == 1132);
    BOOST_TEST(seen["on purpose"] == 60);
    BOOST_TEST(seen["crash"] == 128);
    BOOST_TEST(seen["usage"] == 8);
    BOOST_TEST(seen["spelling"] == 2);
}

namespace {

const std::string cases = "tests/data/cases/";

plan::VerdictOptions options_of(std::int64_t total, std::int64_t tail, double slo_s)
{
    plan::VerdictOptions options;
    options.total_rounds = total;
    options.tail_window = tail;
    options.slo_s = slo_s;
    return options;
}

record::RoundFile rounds_of(const std::vector<double>& p50s, double success_rate = 100)
{
    record::RoundFile file;
    file.name = "rounds.jsonl";
    for (const double p50 : p50s) {
        record::Round round;
        round.p50_latency_s = p50;
        round.success_rate = success_rate;
        round.measurement_round = static_cast<std::int64_t>(file.rounds.size()) + 1;
        round.due = 100;
        file.rounds.push_back(round);
    }
    return file;
}

void check_notes(const Verdict& verdict, const std::vector<std::string>& wanted)
{
    BOOST_TEST(verdict.notes.size() == wanted.size());
    for (std::size_t i = 0; i < std::min(wanted.size(), verdict.notes.size()); ++i)
        BOOST_TEST(verdict.notes[i].find(wanted[i]) != std::string::npos, verdict.notes[i]);
}

} // namespace

BOOST_AUTO_TEST_CASE(A01_a_round_without_success_fails_the_run)
{
    const auto options = options_of(8, 4, 2.3);
    const auto verdict = judge_files({cases + "A01-empty-round-nan/rounds.jsonl"}, options);
    BOOST_TEST((verdict.status == VerdictStatus::fail));
    BOOST_TEST(verdict.rounds_seen == 7);
    BOOST_TEST(verdict.avg_p50_latency_s.value() == 2.4, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(verdict.success_rate_min.value() == 0);
    check_notes(verdict, {"success rate"});

    auto classic = options;
    classic.min_success_pct = 0;
    classic.ignore_client = true;
    const auto unguarded = judge_files({cases + "A01-empty-round-nan/rounds.jsonl"}, classic);
    BOOST_TEST((unguarded.status == VerdictStatus::not_enough_rounds));
}

BOOST_AUTO_TEST_CASE(A01_a_p50_that_is_no_number_is_absent)
{
    const auto verdict = judge_files({cases + "A01-empty-round-nan/rounds_nan.jsonl"}, options_of(8, 4, 2.3));
    BOOST_TEST((verdict.status == VerdictStatus::not_enough_rounds));
    BOOST_TEST(verdict.rounds_seen == 6);
    BOOST_TEST(verdict.malformed_lines == 3);
    check_notes(verdict, {"6 rounds with a success of the 8",
                          "rounds_nan.jsonl:4, tests/data/cases/A01-empty-round-nan/rounds_nan.jsonl:8"});
}

BOOST_AUTO_TEST_CASE(A02_survivors_do_not_pass)
{
    auto options = options_of(8, 4, 2.0);
    const std::vector<std::string> files{cases + "A02-survivors-and-timeouts/rounds.jsonl"};
    const auto verdict = judge_files(files, options);
    BOOST_TEST((verdict.status == VerdictStatus::fail));
    BOOST_TEST(verdict.success_rate_min.value() == 10);
    BOOST_TEST(verdict.avg_p50_latency_s.value() == 0.8, boost::test_tools::tolerance(1e-12));
    check_notes(verdict, {"success rate down to 10.00 %"});
    options.min_success_pct = 0;
    BOOST_TEST((judge_files(files, options).status == VerdictStatus::pass));
    options.min_success_pct = 10;
    BOOST_TEST((judge_files(files, options).status == VerdictStatus::pass));
}

BOOST_AUTO_TEST_CASE(A04_cold_start)
{
    auto options = options_of(8, 4, 3.0);
    const std::vector<std::string> files{cases + "A04-cold-start-window/rounds.jsonl"};
    const auto tail = judge_files(files, options);
    BOOST_TEST((tail.status == VerdictStatus::fail));
    BOOST_TEST(tail.avg_p50_latency_s.value() == 3.2, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(tail.warmup_dominated);
    BOOST_TEST(tail.warmup_ratio_tail_over_tail3.value() == 1.6, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(tail.tail_spread.value() == 6.8 / 1.9, boost::test_tools::tolerance(1e-12));
    check_notes(tail, {"warm-up", "spreads"});
    options.auto_steady = true;
    const auto steady = judge_files(files, options);
    BOOST_TEST((steady.status == VerdictStatus::pass));
    BOOST_TEST(steady.primary_metric == "steady");
    BOOST_TEST(steady.steady_window_start_idx.value() == 5);
    BOOST_TEST(steady.steady_window_size == 3);
    BOOST_TEST(steady.steady_avg_p50_latency_s.value() == 2.0, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(A05_the_slo_itself_does_not_pass)
{
    const std::string folder = cases + "A05-slo-boundary/";
    BOOST_TEST((judge_files({folder + "equal.jsonl"}, options_of(4, 4, 2.0)).status == VerdictStatus::fail));
    BOOST_TEST(
        (judge_files({folder + "float_sum.jsonl"}, options_of(3, 3, 2.2)).status == VerdictStatus::fail));
    BOOST_TEST(
        (judge_files({folder + "just_under.jsonl"}, options_of(4, 4, 2.0)).status == VerdictStatus::pass));
}

BOOST_AUTO_TEST_CASE(A06_fewer_rounds_than_the_window)
{
    const std::string folder = cases + "A06-fewer-rounds-than-window/";
    const auto options = options_of(8, 6, 2.0);
    for (const auto& [name, rounds] : {std::pair{"two.jsonl", 2}, {"empty.jsonl", 0}, {"cut.jsonl", 7}}) {
        const auto verdict = judge_files({folder + name}, options);
        BOOST_TEST((verdict.status == VerdictStatus::not_enough_rounds));
        BOOST_TEST(verdict.rounds_seen == rounds);
        BOOST_TEST(!verdict.avg_p50_latency_s);
    }
    const auto cut = judge_files({folder + "cut.jsonl"}, options);
    BOOST_TEST(cut.malformed_lines == 1);
    check_notes(cut, {"7 rounds with a success of the 8", "cut.jsonl:8"});
}

BOOST_AUTO_TEST_CASE(no_round_is_needed_and_none_is_there)
{
    const auto verdict = plan::judge({record::RoundFile{}}, options_of(0, 0, 2.0));
    BOOST_TEST((verdict.status == VerdictStatus::not_enough_rounds));
    const auto nothing_left = plan::judge({rounds_of({1, 1})}, options_of(2, -2, 2.0));
    BOOST_TEST((nothing_left.status == VerdictStatus::not_enough_rounds));
    check_notes(nothing_left, {"tail window"});
}

BOOST_AUTO_TEST_CASE(R05_a_saturated_client_gives_no_verdict)
{
    auto file = rounds_of({1, 1, 1, 1});
    auto options = options_of(4, 2, 2.0);
    file.rounds[1].client_saturated = true;
    BOOST_TEST((plan::judge({file}, options).status == VerdictStatus::pass)); // before the deciding window
    file.rounds[3].client_saturated = true;
    const auto verdict = plan::judge({file}, options);
    BOOST_TEST((verdict.status == VerdictStatus::not_enough_rounds));
    BOOST_TEST(verdict.avg_p50_latency_s.value() == 1);
    check_notes(verdict, {"client was saturated"});
    options.slo_s = 0.5; // neither is slowness that the client itself made
    BOOST_TEST((plan::judge({file}, options).status == VerdictStatus::not_enough_rounds));
    options.ignore_client = true;
    BOOST_TEST((plan::judge({file}, options).status == VerdictStatus::fail));
}

BOOST_AUTO_TEST_CASE(the_burst_after_a_stall_of_the_client_fails_no_service)
{
    auto file = rounds_of({1, 1, 3, 3});
    file.rounds[1].client_saturated = true;
    const auto options = options_of(4, 2, 2.0);
    BOOST_TEST((plan::judge({file}, options).status == VerdictStatus::not_enough_rounds));
    file.rounds[1].client_saturated = false;
    file.rounds[0].client_saturated = true;
    BOOST_TEST((plan::judge({file}, options).status == VerdictStatus::fail));
}

BOOST_AUTO_TEST_CASE(the_commonest_failure_is_named)
{
    auto file = rounds_of({1, 1, 1, 1});
    for (auto& round : file.rounds)
        round.success_rate = 50;
    file.rounds[2].exceptions = {{"HTTP 404: no such model", 7}, {"timeout", 8}};
    file.rounds[3].exceptions = {{"HTTP 404: no such model", 9}};
    check_notes(plan::judge({file}, options_of(4, 2, 2.0)), {"; 16 times: HTTP 404: no such model"});
}

BOOST_AUTO_TEST_CASE(flags_of_the_replay)
{
    auto file = rounds_of({1, 1, 1, 1});
    auto options = options_of(4, 2, 2.0);
    file.rounds[3].flags = {"interrupted"};
    const auto interrupted = plan::judge({file}, options);
    BOOST_TEST((interrupted.status == VerdictStatus::not_enough_rounds));
    BOOST_TEST(interrupted.rounds_seen == 3);
    check_notes(interrupted, {"interrupted", "3 rounds with a success of the 4"});
    options.ignore_client = true;
    BOOST_TEST((plan::judge({file}, options).status == VerdictStatus::pass));
    options.ignore_client = false;

    file.rounds[3].flags = {"route_exhausted"};
    BOOST_TEST((plan::judge({file}, options).status == VerdictStatus::not_enough_rounds));
    options.slo_s = 1; // what is too slow with less load is too slow
    BOOST_TEST((plan::judge({file}, options).status == VerdictStatus::fail));
    options.slo_s = 2;

    file.rounds[3].flags = {"server_restarted"};
    BOOST_TEST((plan::judge({file}, options).status == VerdictStatus::not_enough_rounds));

    file.rounds[3].flags = {"runaway"};
    const auto runaway = plan::judge({file}, options);
    BOOST_TEST((runaway.status == VerdictStatus::fail));
    BOOST_TEST(runaway.avg_p50_latency_s.value() == 1);
    check_notes(runaway, {"ran away"});
    options.total_rounds = 8; // too few rounds are too few, whatever ended them
    const auto cut_short = plan::judge({file}, options);
    BOOST_TEST((cut_short.status == VerdictStatus::not_enough_rounds));
    check_notes(cut_short, {"ran away", "4 rounds with a success of the 8"});
}

BOOST_AUTO_TEST_CASE(an_early_dead_window_lacks_a_round_but_does_not_fail)
{
    auto file = rounds_of({1, 1, 1, 1});
    file.rounds[0].p50_latency_s.reset();
    file.rounds[0].success_rate = 0;
    BOOST_TEST((plan::judge({file}, options_of(4, 2, 2.0)).status == VerdictStatus::not_enough_rounds));
    BOOST_TEST((plan::judge({file}, options_of(3, 2, 2.0)).status == VerdictStatus::pass));
}

BOOST_AUTO_TEST_CASE(a_dead_service_fails_without_a_figure)
{
    auto file = rounds_of({1, 1});
    for (auto& round : file.rounds) {
        round.p50_latency_s.reset();
        round.success_rate = 0;
    }
    const auto verdict = plan::judge({file}, options_of(2, 1, 2.0));
    BOOST_TEST((verdict.status == VerdictStatus::fail));
    BOOST_TEST(!verdict.avg_p50_latency_s);
    BOOST_TEST(verdict.primary_metric.empty());
}

BOOST_AUTO_TEST_CASE(confidence_of_the_deciding_mean)
{
    const auto verdict = plan::judge({rounds_of({1.0, 1.4, 0.9, 1.3})}, options_of(4, 4, 2.0));
    // mean 1.15, s = 0.238048, t(3; 0.975) = 3.182446: half-width 0.378788
    BOOST_TEST(verdict.confidence.value().low_s == 0.771212, boost::test_tools::tolerance(1e-5));
    BOOST_TEST(verdict.confidence.value().high_s == 1.528788, boost::test_tools::tolerance(1e-5));
    BOOST_TEST(verdict.confidence.value().effective_rounds == 4);
}

BOOST_AUTO_TEST_CASE(less_load_than_asked_for_is_said)
{
    auto file = rounds_of({1, 1});
    for (auto& round : file.rounds) {
        round.target_qps = 10;
        round.actual_qps = 9.6;
    }
    check_notes(plan::judge({file}, options_of(2, 2, 2.0)), {});
    file.rounds[1].actual_qps = 6.4;
    check_notes(plan::judge({file}, options_of(2, 2, 2.0)), {"80.0 % of the target rate"});
}

BOOST_AUTO_TEST_CASE(a_deciding_round_that_a_shard_lacks_is_no_pass)
{
    const auto whole = rounds_of({1, 1, 1});
    auto torn = whole;
    for (std::int64_t i = 0; i < 3; ++i)
        torn.rounds[static_cast<std::size_t>(i)].measurement_round = i + 1;
    auto other = torn;
    torn.name = "torn.jsonl";
    torn.rounds.pop_back();
    auto verdict = plan::judge({other, torn}, options_of(2, 2, 2.0));
    BOOST_TEST((verdict.status == record::VerdictStatus::not_enough_rounds));
    check_notes(verdict, {"torn.jsonl lacks 1 round", "a deciding round is not there"});
    verdict = plan::judge({other, torn}, options_of(2, 2, 0.5));
    BOOST_TEST((verdict.status == record::VerdictStatus::fail));
    torn.rounds.erase(torn.rounds.begin());
    torn.rounds.push_back(other.rounds.back()); // what is missing is not among the deciding ones
    verdict = plan::judge({other, torn}, options_of(2, 2, 2.0));
    BOOST_TEST((verdict.status == record::VerdictStatus::pass));
    check_notes(verdict, {"torn.jsonl lacks 1 round that another shard has, the first: 1"});
}

BOOST_AUTO_TEST_CASE(a_spared_service_does_not_pass)
{
    auto file = rounds_of({1, 1, 1});
    for (auto& round : file.rounds) {
        round.target_qps = 40;
        round.actual_qps = 40;
        round.wire_dispatch_qps = 20;
    }
    BOOST_TEST((plan::judge({file}, options_of(3, 3, 2.0)).status == record::VerdictStatus::pass));
    for (auto& round : file.rounds)
        round.from_send = true; // what waited in the client is in no latency
    auto verdict = plan::judge({file}, options_of(3, 3, 2.0));
    BOOST_TEST((verdict.status == record::VerdictStatus::not_enough_rounds));
    check_notes(verdict, {"only 50.0 %", "count from sending", "less load than asked for"});
    for (auto& round : file.rounds)
        round.from_send = false;
    file.rounds[2].target_qps = 50;
    file.rounds[2].actual_qps = 50;
    verdict = plan::judge({file}, options_of(3, 3, 2.0));
    BOOST_TEST((verdict.status == record::VerdictStatus::not_enough_rounds));
    check_notes(verdict, {"at different rates"});
    auto options = options_of(3, 3, 2.0);
    options.ignore_client = true;
    BOOST_TEST((plan::judge({file}, options).status == record::VerdictStatus::pass));
}

BOOST_AUTO_TEST_CASE(a_run_without_one_of_its_shards_does_not_pass)
{
    auto first = rounds_of({1, 1, 1});
    auto second = first;
    for (std::int64_t i = 0; i < 3; ++i)
        for (auto* file : {&first, &second}) {
            auto& round = file->rounds[static_cast<std::size_t>(i)];
            round.measurement_round = i + 1;
            round.shard = file == &first ? "0/2" : "1/2";
        }
    BOOST_TEST((plan::judge({first, second}, options_of(2, 2, 2.0)).status == record::VerdictStatus::pass));
    const auto verdict = plan::judge({first}, options_of(2, 2, 2.0));
    BOOST_TEST((verdict.status == record::VerdictStatus::not_enough_rounds));
    check_notes(verdict, {"1 of 2 shards are missing", "not the rounds of one run"});
    BOOST_TEST((plan::judge({first}, options_of(2, 2, 0.5)).status == record::VerdictStatus::fail));
}

BOOST_AUTO_TEST_CASE(sentences)
{
    auto verdict = plan::judge({rounds_of({1, 1})}, options_of(2, 2, 2.0));
    BOOST_TEST(plan::sentence(verdict) == "PASS: mean p50 1.000 s over the tail, SLO 2.0 s; 2 of 2 rounds");
    plan::withhold(verdict, "because");
    BOOST_TEST(plan::sentence(verdict) ==
               "NOT_ENOUGH_ROUNDS: mean p50 1.000 s over the tail, SLO 2.0 s; 2 of 2 rounds; because");
}
