// SPDX-License-Identifier: MIT
// Every format there and back: what a route has of lengths, times, ids and shared prefixes is what the trace
// has.

#include <slo/workload/import.hpp>

#define BOOST_TEST_MODULE workload_import
#include <boost/test/unit_test.hpp>

#include <slo/record/route_load.hpp>
#include <slo/tokens/sim_tokenizer.hpp>
#include <slo/workload/import_chains.hpp>
#include <slo/workload/import_clock.hpp>
#include <slo/workload/import_options.hpp>
#include <slo/workload/import_prompts.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {
using namespace slo;
using workload::ImportOptions;

constexpr std::int64_t start = workload::default_start_ns;

struct Folder {
    Folder()
    {
        char name[] = "/tmp/import-test-XXXXXX";
        BOOST_REQUIRE(::mkdtemp(name));
        path = name;
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string path;
};

struct Imported {
    std::vector<record::RouteRow> rows; // as the file has them
    record::Route loaded;               // as replay reads them, without --ts-unit
    std::vector<std::string> notes;
    std::map<std::string, std::uint64_t> skipped;
    json::object facts;
};

Imported import(ImportOptions options)
{
    Folder folder;
    options.build.output = folder.path + "/route.jsonl";
    Imported imported;
    workload::Build build("import", options.build,
                          [&](const std::string& note) { imported.notes.push_back(note); });
    options.run(build);
    build.finish({});
    imported.skipped = build.skipped();
    imported.facts = build.facts();
    record::RouteReader reader(options.build.output);
    while (auto row = reader.next())
        imported.rows.push_back(std::move(*row));
    record::RouteReader again(options.build.output);
    imported.loaded = record::load_route(again, std::nullopt, [](record::RouteRow& row) {
        return std::optional(to_json(record::prompt_of(row.body)));
    });
    return imported;
}

ImportOptions from(std::string_view format, const std::string& file)
{
    ImportOptions options;
    options.format = std::string(format);
    options.files = {"tests/data/traces/" + file};
    options.tokenizer.how = "sim";
    return options;
}

// Writes a trace into a folder.
std::string trace(const Folder& folder, std::string_view text)
{
    const auto path = folder.path + "/trace";
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

std::string fault(ImportOptions options, std::string_view text)
{
    Folder folder;
    options.files = {trace(folder, text)};
    try {
        import(options);
    } catch (const Error& error) {
        std::string what = error.what();
        const auto at = what.find(folder.path);
        return at == std::string::npos ? what : what.replace(at, folder.path.size() + 1, "");
    }
    return "none";
}

std::vector<std::int64_t> times(const Imported& imported)
{
    BOOST_TEST((imported.loaded.unit_source == record::UnitSource::magnitude));
    BOOST_TEST((imported.loaded.unit == record::TsUnit::ns));
    std::vector<std::int64_t> all;
    for (const auto& row : imported.rows)
        all.push_back(row.ts.whole());
    return all;
}

tokens::TokenList tokens_of(const record::RouteRow& row)
{
    tokens::SimTokenizer tokenizer;
    auto body = row.body;
    const auto prompt = record::prompt_of(body);
    const auto* one = &prompt;
    return tokenizer.encode_prompts({&one, 1}).front();
}

// Prompt tokens and max_tokens of each row.
std::vector<std::string> lengths(const Imported& imported)
{
    std::vector<std::string> all;
    for (const auto& row : imported.rows)
        all.push_back(std::to_string(tokens_of(row).size()) + ">" +
                      std::to_string(integer_at(row.body, "max_tokens").value_or(-1)));
    return all;
}

std::vector<std::string> conversations(const Imported& imported)
{
    std::vector<std::string> all;
    for (const auto& row : imported.rows)
        all.push_back(row.conv_id);
    return all;
}

std::size_t shared(const record::RouteRow& a, const record::RouteRow& b)
{
    const auto left = tokens_of(a);
    const auto right = tokens_of(b);
    return static_cast<std::size_t>(
        std::mismatch(left.begin(), left.end(), right.begin(), right.end()).first - left.begin());
}

using Texts = std::vector<std::string>;
using Times = std::vector<std::int64_t>;

BOOST_AUTO_TEST_CASE(mooncake_there_and_back)
{
    const auto imported = import(from("mooncake", "mooncake.jsonl"));
    BOOST_TEST(times(imported) ==
               (Times{start, start + 27'000'000'000, start + 27'000'250'000, start + 30'500'000'000}));
    BOOST_TEST(lengths(imported) == (Texts{"700>40", "1500>12", "1100>7", "512>3"}));
    // One block of 512 tokens in common, with the marker before it; ids that differ in the last of 64 bits
    // differ.
    BOOST_TEST(shared(imported.rows[0], imported.rows[1]) == 513u);
    BOOST_TEST(shared(imported.rows[1], imported.rows[2]) == 1025u);
    BOOST_TEST(shared(imported.rows[0], imported.rows[3]) < 8u);
    BOOST_TEST(to_json(imported.rows[3].other) == R"({"source":{"note":"kept"}})");
    BOOST_TEST(to_json(imported.facts.at("lengths")) ==
               R"({"prompts":4,"counted":4,"corrected":0,"largest_difference":0})");
}

BOOST_AUTO_TEST_CASE(raw_prompts_have_the_length_without_a_template)
{
    auto options = from("mooncake", "mooncake.jsonl");
    options.raw_prompt = true;
    options.fixed_output = true;
    const auto imported = import(options);
    BOOST_TEST(lengths(imported) == (Texts{"700>40", "1500>12", "1100>7", "512>3"}));
    BOOST_TEST(imported.rows[0].body.at("prompt").is_string());
    BOOST_TEST(shared(imported.rows[1], imported.rows[2]) == 1024u);
    BOOST_TEST(imported.rows[0].body.at("min_tokens").as_int64() == 40);
    BOOST_TEST(imported.rows[0].body.at("ignore_eos").as_bool());
}

BOOST_AUTO_TEST_CASE(bailian_there_and_back)
{
    const auto imported = import(from("bailian", "bailian.jsonl"));
    BOOST_TEST(times(imported) ==
               (Times{start + 61'114'000'000, start + 61'200'000'000, start + 72'500'000'000,
                      start + 80'000'000'001, start + 81'000'000'000}));
    BOOST_TEST(lengths(imported) == (Texts{"33>9", "16>2", "50>11", "64>5", "20>5"}));
    BOOST_TEST(conversations(imported) == (Texts{"3", "7", "3", "3", "12"}));
    // What the template takes is missing at the end of a prompt: of 33 tokens 30 are text.
    BOOST_TEST(shared(imported.rows[0], imported.rows[2]) == 31u);
    BOOST_TEST(shared(imported.rows[2], imported.rows[3]) == 48u);
    BOOST_TEST(imported.facts.at("missing_parents").as_uint64() == 1u);
    auto options = from("bailian", "bailian.jsonl");
    options.raw_prompt = true;
    const auto raw = import(options);
    BOOST_TEST(shared(raw.rows[0], raw.rows[2]) == 32u);
    BOOST_TEST(shared(raw.rows[2], raw.rows[3]) == 48u);
}

BOOST_AUTO_TEST_CASE(burstgpt_there_and_back)
{
    const auto imported = import(from("burstgpt", "burstgpt.csv"));
    BOOST_TEST(times(imported) ==
               (Times{start + 5'000'000'000, start + 45'000'000'000, start + 120'000'000'000}));
    BOOST_TEST(lengths(imported) == (Texts{"472>18", "1087>230", "30>6"}));
    BOOST_TEST(imported.skipped.at("failed request (no response tokens)") == 1u);
    BOOST_TEST(shared(imported.rows[0], imported.rows[1]) < 16u);

    auto options = from("burstgpt", "burstgpt.csv");
    options.only_model = "GPT-4";
    BOOST_TEST(lengths(import(options)) == (Texts{"472>18", "30>6"}));

    const auto newer = import(from("burstgpt", "burstgpt-sessions.csv"));
    BOOST_TEST(times(newer) == (Times{start + 9'000'000'250, start + 9'500'000'000}));
    BOOST_TEST(lengths(newer) == (Texts{"472>18", "40>4"}));
    BOOST_TEST(conversations(newer) == (Texts{"7", "8"}));
}

BOOST_AUTO_TEST_CASE(azure_there_and_back)
{
    const auto of_2023 = import(from("azure", "azure2023.csv"));
    BOOST_TEST(times(of_2023) ==
               (Times{1'700'158'546'680'590'000, 1'700'158'550'995'169'000, 1'700'158'551'222'567'000}));
    BOOST_TEST(lengths(of_2023) == (Texts{"374>44", "396>109", "879>55"}));
    auto options = from("azure", "azure2024.csv");
    const auto of_2024 = import(options);
    BOOST_TEST(times(of_2024) == (Times{1'715'299'200'009'930'000, 1'715'299'200'017'335'000,
                                        1'715'299'201'000'000'000, 1'715'299'202'500'000'000}));
    BOOST_TEST(lengths(of_2024) == (Texts{"2162>5", "2399>6", "76>15", "20>1"}));
    options.start_ts = "1800000000.5";
    BOOST_TEST(times(import(options)).at(1) == 1'800'000'000'507'405'000);
}

BOOST_AUTO_TEST_CASE(d07_sharegpt_there_and_back)
{
    auto options = from("sharegpt", "sharegpt-d07.json");
    auto imported = import(options);
    BOOST_TEST(conversations(imported) == (Texts{"a", "b", "f", "f", "i"}));
    BOOST_TEST(times(imported) == (Times{start, start + 1'000'000'000, start + 2'000'000'000,
                                         start + 3'000'000'000, start + 4'000'000'000}));
    BOOST_TEST(imported.skipped == (std::map<std::string, std::uint64_t>{{"empty", 1},
                                                                         {"missing conversations", 1},
                                                                         {"no answer", 1},
                                                                         {"missing value", 1},
                                                                         {"empty prompt", 1}}));
    options.turns = "first";
    imported = import(options);
    BOOST_TEST(conversations(imported) == (Texts{"a", "b", "f", "i"}));
    BOOST_TEST(imported.skipped.at("turn past the first") == 1u);
}

BOOST_AUTO_TEST_CASE(data_sets_of_prompts_there_and_back)
{
    BOOST_TEST(lengths(import(from("vllm", "vllm.jsonl"))) == (Texts{"4>12", "11>-1"}));
    const auto sglang = import(from("sglang", "sglang.jsonl"));
    tokens::SimTokenizer tokenizer;
    BOOST_TEST(sglang.rows[0].body.at("max_tokens").as_int64() ==
               tokenizer.count_text("Salt water, mostly."));
    BOOST_TEST(conversations(sglang) == (Texts{"", "sglang-2", "sglang-2"}));
    BOOST_TEST(sglang.skipped.at("fewer than two turns") == 1u);
    const auto batch = import(from("openai-batch", "openai-batch.jsonl"));
    BOOST_TEST(conversations(batch) == (Texts{"r-1", "r-2/1", "r-2/2", "r-3"}));
    BOOST_TEST(to_json(batch.rows[2].body) == R"({"prompt":"text two","max_tokens":6,"model":"m"})");
    const auto log = import(from("legacy", "legacy.log"));
    BOOST_TEST(times(log).back() == 1'777'629'603'123'456'789);
    BOOST_TEST(conversations(log) == (Texts{"c0", "c1", "12"}));
}

BOOST_AUTO_TEST_CASE(aiperf_there_and_back)
{
    const auto imported = import(from("aiperf", "aiperf-trace.jsonl"));
    BOOST_TEST(times(imported) == (Times{start, start + 100'500'000, start + 800'000'000, start + 102'500'001,
                                         start + 2'000'000'000, start + 3'000'000'000, start + 3'500'000'000,
                                         start + 4'000'000'000}));
    BOOST_TEST(conversations(imported) == (Texts{"a", "b", "a", "b", "", "", "", ""}));
    BOOST_TEST(imported.facts.at("out_of_order").as_uint64() == 1u);
    BOOST_TEST(tokens_of(imported.rows[5]).size() == 655u);
    BOOST_TEST(to_json(imported.rows[7].body) == R"({"prompt":"Hello","max_tokens":50,"temperature":0})");
    // A later turn begins with exactly what was said before, a made-up answer of the recorded length in it.
    const auto& history = imported.rows[2].body.at("prompt").as_array();
    BOOST_TEST(history.size() == 4u);
    tokens::SimTokenizer tokenizer;
    const auto& answer = history.at(2).at("content").as_string();
    BOOST_TEST(tokenizer.count_text({answer.data(), answer.size()}) == 64);
    BOOST_TEST(shared(imported.rows[0], imported.rows[2]) == tokens_of(imported.rows[0]).size());
    const auto& grown = imported.rows[3].body.at("prompt").as_array();
    const auto& first = grown.at(0).at("content").as_string();
    const auto& second = grown.at(2).at("content").as_string();
    BOOST_TEST(tokenizer.count_text({first.data(), first.size()}) == 300);
    BOOST_TEST(tokenizer.count_text({second.data(), second.size()}) == 150);
    BOOST_TEST(imported.rows[3].body.at("temperature").as_double() == 0.1);

    const auto turns = import(from("aiperf", "aiperf-turns.jsonl"));
    BOOST_TEST(times(turns) == (Times{start, start + 1'000'000'000, start + 1'500'000'000,
                                      start + 1'750'500'000, start + 2'750'500'000}));
    BOOST_TEST(turns.rows[3].body.at("prompt").as_array().size() == 5u);
    BOOST_TEST(turns.skipped.at("not text alone") == 1u);
    const auto inputs = import(from("aiperf", "aiperf-inputs.json"));
    BOOST_TEST(conversations(inputs) == (Texts{"u1", "u1", "u2"}));
    BOOST_TEST(to_json(inputs.rows[0].body) ==
               R"({"messages":[{"role":"user","content":"one"}],"max_tokens":7,"model":"m","stream":true})");
    BOOST_TEST(times(import(from("aiperf", "perf-analyzer-inputs.json"))) ==
               (Times{start + 120'000'000, start + 121'500'000}));
}

BOOST_AUTO_TEST_CASE(delays_count_from_the_request_before_in_the_conversation)
{
    Folder folder;
    auto options = from("aiperf", "");
    options.files = {trace(folder,
                           R"({"session_id":"s","messages":[{"role":"user","content":"a"}]})"
                           "\n"
                           R"({"session_id":"t","messages":[{"role":"user","content":"b"}]})"
                           "\n"
                           R"({"session_id":"s","messages":[{"role":"user","content":"c"}],"delay":250})"
                           "\n")};
    BOOST_TEST(times(import(options)) == (std::vector{start, start + 1'000'000'000, start + 250'000'000}));
    // Without a conversation the row before is what a request comes after.
    options.files = {trace(folder, "{\"text\":\"a\",\"delay\":9}\n{\"text\":\"b\"}\n{\"text\":\"c\"}\n"
                                   "{\"text\":\"d\",\"delay\":500}\n")};
    BOOST_TEST(times(import(options)) ==
               (std::vector{start, start + 1'000'000'000, start + 2'000'000'000, start + 2'500'000'000}));
}

BOOST_AUTO_TEST_CASE(sorted_rows_rise)
{
    auto options = from("aiperf", "aiperf-trace.jsonl");
    options.sort = true;
    const auto sorted = times(import(options));
    BOOST_TEST(std::is_sorted(sorted.begin(), sorted.end()));
    BOOST_TEST(sorted.size() == 8u);
}

BOOST_AUTO_TEST_CASE(same_options_same_bytes_another_seed_other_text)
{
    auto options = from("mooncake", "mooncake.jsonl");
    const auto text = [&] { return to_json(import(options).rows[0].body); };
    const auto once = text();
    BOOST_TEST(once == text());
    options.seed = 2;
    BOOST_TEST(once != text());
}

BOOST_AUTO_TEST_CASE(bad_records_are_fatal_unless_allowed)
{
    const std::string good = R"({"timestamp":1,"input_length":9,"output_length":1})";
    const std::string text = good + "\n{\n" + good + "\n[]\n" + good + "\n";
    ImportOptions options;
    options.format = "mooncake";
    options.tokenizer.how = "sim";
    BOOST_TEST(fault(options, text).starts_with("trace:2: not JSON"));
    options.max_bad = "1";
    BOOST_TEST(fault(options, text) == "trace:4: not a JSON object (malformed record 2)");
    options.max_bad = "2";
    BOOST_TEST(fault(options, text) == "none");
    options.max_bad = "39%";
    BOOST_TEST(
        fault(options, text).starts_with("2 of 5 records are malformed, more than --max-bad; the first: "));
    options.max_bad = "40%";
    BOOST_TEST(fault(options, text) == "none");
    for (const char* bad : {"-1", "x", "101%", "%", "1.5"}) {
        options.max_bad = bad;
        BOOST_TEST(fault(options, text).starts_with("--max-bad: "));
    }
}

BOOST_AUTO_TEST_CASE(what_gives_no_row_is_an_error)
{
    ImportOptions options;
    options.format = "vllm";
    BOOST_TEST(fault(options, "") == "trace: gives no row (imported 0 rows from 0 of 0 records)");
    BOOST_TEST(fault(options, "\n{\"prompt\":\"\"}\n") ==
               "trace: gives no row (imported 0 rows from 0 of 1 records; left out: 1 empty prompt (first at "
               "line 2))");
    options.format = "azure";
    BOOST_TEST(fault(options, "TIMESTAMP,ContextTokens\n") ==
               "trace:1: the header has no column 'generatedtokens'");
    BOOST_TEST(fault(options, "2024-05-10 00:00:00,1,2\n") ==
               "trace:1: the header has no column 'timestamp'");
    const std::string header = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
    BOOST_TEST(fault(options, header + "\n2024-05-10 00:00:00,1\n") ==
               "trace:3: not as many fields as the header has");
    BOOST_TEST(fault(options, header + "\"2024\n,1,2\n") ==
               "trace:2: the file ends inside of a field in quotes");
    options.format = "sharegpt";
    BOOST_TEST(fault(options, "[{\"id\":\n") == "trace:1: the file ends inside of the array");
    BOOST_TEST(fault(options, "[\n7]").starts_with("trace:2: element 1: not a JSON object"));
}

BOOST_AUTO_TEST_CASE(ids_that_come_again_are_malformed)
{
    ImportOptions options;
    options.format = "bailian";
    const std::string row = R"({"chat_id":3,"timestamp":1,"input_length":9,"output_length":1})";
    BOOST_TEST(fault(options, row + "\n" + row) == "trace:2: a chat_id that was there before (3)");
    options.format = "openai-batch";
    const std::string call =
        R"({"custom_id":"r","method":"POST","url":"/v1/completions","body":{"prompt":"x"}})";
    BOOST_TEST(fault(options, call + "\n" + call) == "trace:2: a custom_id that was there before");
}

BOOST_AUTO_TEST_CASE(a_time_beyond_2262_is_malformed)
{
    ImportOptions options;
    options.format = "mooncake";
    BOOST_TEST(fault(options, R"({"timestamp":9000000000000,"input_length":9,"output_length":1})") ==
               "trace:1: a time out of range");
}

BOOST_AUTO_TEST_CASE(lengths_that_cannot_be_made_are_left_out_and_counted)
{
    auto options = from("azure", "");
    Folder folder;
    options.files = {trace(folder, "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                                   "2024-05-10 00:00:00,0,5\n2024-05-10 00:00:00,3,5\n"
                                   "2024-05-10 00:00:00,4,0\n2024-05-10 00:00:00,4,5\n")};
    auto imported = import(options);
    BOOST_TEST(lengths(imported) == (Texts{"4>5"}));
    BOOST_TEST(imported.skipped ==
               (std::map<std::string, std::uint64_t>{
                   {"no input tokens", 1}, {"input shorter than the template", 1}, {"no output tokens", 1}}));
    options.raw_prompt = true;
    imported = import(options);
    BOOST_TEST(lengths(imported) == (Texts{"3>5", "4>5"}));
}

BOOST_AUTO_TEST_CASE(bounds_leave_out_and_count)
{
    auto options = from("azure", "azure2024.csv");
    options.max_prompt_tokens = 2162;
    options.max_total_tokens = 2100;
    options.min_output_tokens = 2;
    options.min_prompt_tokens = 21;
    const auto imported = import(options);
    BOOST_TEST(lengths(imported) == (Texts{"76>15"}));
    BOOST_TEST(imported.skipped ==
               (std::map<std::string, std::uint64_t>{{"prompt above --max-prompt-tokens", 1},
                                                     {"prompt and answer above --max-total-tokens", 1},
                                                     {"prompt below --min-prompt-tokens", 1}}));
    // Of texts the tokens are counted, without the template.
    options = from("vllm", "vllm.jsonl");
    options.min_prompt_tokens = 5;
    BOOST_TEST(lengths(import(options)) == (Texts{"11>-1"}));
    options.min_prompt_tokens = 4;
    BOOST_TEST(lengths(import(options)).size() == 2u);
}

BOOST_AUTO_TEST_CASE(histories_are_bounded_and_count_as_memory)
{
    const std::string text(1 << 20, 'x');
    const auto turn = R"({"session_id":"s","messages":[{"role":"user","content":")" + text +
                      R"("}],"message_mode":"delta","output_length":1})" + "\n";
    std::string session;
    for (int i = 0; i < 10; ++i)
        session += turn;
    Folder folder;
    auto options = from("aiperf", "");
    options.files = {trace(folder, session)};
    const auto imported = import(options);
    BOOST_TEST(imported.rows.size() == 7u);
    BOOST_TEST(imported.skipped.at("turn after a history of more than 8 MiB") == 3u);

    workload::ImportPrompts prompts(options, 512);
    const auto request = trace::parse_aiperf(turn, {}).requests.front();
    const auto alone = prompts.prompt_bytes(request);
    BOOST_TEST(alone > text.size());
    std::vector<workload::ImportRow> rows(1);
    rows[0].request = request;
    prompts.complete(rows);
    BOOST_TEST(prompts.prompt_bytes(request) > alone + text.size());
}

BOOST_AUTO_TEST_CASE(raw_prompts_take_one_text_only)
{
    auto options = from("sharegpt", "sharegpt-d07.json");
    options.raw_prompt = true;
    const auto imported = import(options);
    BOOST_TEST(conversations(imported) == (Texts{"a", "b", "i"}));
    BOOST_TEST(imported.rows[0].body.at("prompt").as_string() == "q");
    BOOST_TEST(imported.skipped.at("prompt that is more than one text of the user") == 2u);
}

BOOST_AUTO_TEST_CASE(timestamps_in_each_unit_are_exact)
{
    using record::TsUnit;
    BOOST_TEST(workload::ts_text(1'760'000'000'250'000'001, TsUnit::ns) == "1760000000250000001");
    BOOST_TEST(workload::ts_text(1'760'000'000'250'000'001, TsUnit::us) == "1760000000250000.001");
    BOOST_TEST(workload::ts_text(1'760'000'000'250'000'001, TsUnit::s) == "1760000000.250000001");
    BOOST_TEST(workload::ts_text(1'760'000'000'250'000'000, TsUnit::s) == "1760000000.25");
    BOOST_TEST(workload::ts_text(1'000'000, TsUnit::ms) == "1");
    auto options = from("mooncake", "mooncake.jsonl");
    for (const std::string unit : {"s", "ms", "us"}) {
        options.ts_unit = unit;
        const auto imported = import(options);
        BOOST_TEST((imported.loaded.unit_source == record::UnitSource::magnitude));
        BOOST_TEST(record::name_of(imported.loaded.unit) == unit);
        BOOST_TEST(imported.loaded.rows.at(2).ts_ns == start + 27'000'250'000);
    }
}

BOOST_AUTO_TEST_CASE(options_that_make_no_sense)
{
    const auto refused = [](auto change) {
        auto options = from("mooncake", "mooncake.jsonl");
        change(options);
        try {
            import(options);
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    BOOST_TEST(refused([](ImportOptions& o) { o.turns = "second"; }) == "--turns: must be first or all");
    BOOST_TEST(refused([](ImportOptions& o) { o.ts_unit = "h"; }) == "--ts-unit: must be s, ms, us or ns");
    BOOST_TEST(refused([](ImportOptions& o) { o.start_ts = "x"; }) ==
               "--start-ts: must be seconds since 1970");
    BOOST_TEST(refused([](ImportOptions& o) { o.spacing_s = 0; }).starts_with("--spacing: "));
    BOOST_TEST(refused([](ImportOptions& o) { o.block_tokens = -1; }).starts_with("--block-tokens: "));
    BOOST_TEST(refused([](ImportOptions& o) { o.answer_tokens = 0; }).starts_with("--answer-tokens: "));
    BOOST_TEST(refused([](ImportOptions& o) { o.max_total_tokens = -1; }).starts_with("bounds of tokens: "));
    BOOST_TEST(refused([](ImportOptions& o) { o.only_model = "x"; }).starts_with("--only-model: "));
    BOOST_TEST(refused([](ImportOptions& o) {
                   o.format = "vllm";
                   o.block_tokens = 16;
               }).starts_with("--block-tokens: is for formats with hash ids"));
    BOOST_TEST(refused([](ImportOptions& o) { o.files.push_back("x"); }) == "import: takes one FILE");
    BOOST_TEST(refused([](ImportOptions& o) { o.format = ""; }).starts_with("--format: must be one of "));
}

} // namespace

BOOST_AUTO_TEST_CASE(text_is_made_only_where_somebody_counts_it)
{
    for (const auto& [format, file] :
         {std::pair{"mooncake", "mooncake.jsonl"}, std::pair{"bailian", "bailian.jsonl"},
          std::pair{"burstgpt", "burstgpt.csv"}, std::pair{"azure", "azure2023.csv"},
          std::pair{"aiperf", "aiperf-trace.jsonl"}}) {
        auto options = from(format, file);
        options.tokenizer = ImportOptions().tokenizer;
        BOOST_CHECK_EXCEPTION(import(options), UsageError, [](const UsageError& error) {
            return std::string(error.what()) == "--tokenizer: must be given: the lengths must be exact";
        });
    }
    auto options = from("sharegpt", "sharegpt-d07.json");
    options.tokenizer = ImportOptions().tokenizer;
    const auto imported = import(options);
    BOOST_TEST(imported.notes.at(1) ==
               "answers and bounds are counted by approx:4: --tokenizer says who else");
    BOOST_TEST(imported.facts.at("tokenizer").at("kind") == "approx");
    options = from("openai-batch", "openai-batch.jsonl");
    options.tokenizer = ImportOptions().tokenizer;
    BOOST_TEST(!import(options).facts.contains("tokenizer")); // nothing to be counted
}

BOOST_AUTO_TEST_CASE(records_and_rows_add_up)
{
    const auto imported = import(from("openai-batch", "openai-batch.jsonl"));
    BOOST_TEST(imported.notes.back() == "imported 4 rows from 3 of 4 records; left out: 1 request that "
                                        "generates no text (first at line 4)");
    BOOST_TEST(imported.facts.at("records") == 4);
    BOOST_TEST(imported.facts.at("records_with_rows") == 3);
}
