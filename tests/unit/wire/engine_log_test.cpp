// SPDX-License-Identifier: MIT
#include <slo/wire/engine_log.hpp>

#define BOOST_TEST_MODULE wire_engine_log
#include <boost/test/unit_test.hpp>

#include <sstream>
#include <string>

namespace {
using namespace slo;

// What the sink got, as text; each call of a pattern by its first word.
struct Sink {
    std::ostringstream seen;
    void rate(std::string_view pattern, std::string_view layer, std::string_view engine, double rate)
    {
        seen << pattern.substr(0, pattern.find(':')) << ' ' << layer << " [" << engine << "] " << rate
             << '\n';
    }
    void tokens(std::string_view pattern, std::uint64_t cached, std::uint64_t prompt)
    {
        seen << pattern.substr(0, pattern.find(':')) << ' ' << cached << '/' << prompt << '\n';
    }
};

std::string read(std::initializer_list<std::string_view> lines)
{
    Sink sink;
    wire::EngineLogReader reader;
    for (const auto line : lines)
        reader.take(line, sink);
    return sink.seen.str();
}

BOOST_AUTO_TEST_CASE(vllm_tells_rates_by_engine_and_cache)
{
    BOOST_TEST(
        read({"(APIServer pid=1) INFO 05-01 10:00:00 [loggers.py:310] Engine 000: Avg prompt throughput: "
              "891.8 tokens/s, Avg generation throughput: 107.7 tokens/s, Running: 2 reqs, Waiting: 0 "
              "reqs, GPU KV cache usage: 0.1%, Prefix cache hit rate: 66.4%, External prefix cache hit "
              "rate: 1.5%, MM cache hit rate: 92.0%"}) ==
        "vLLM local [000] 0.664\nvLLM external [000] 0.015\nvLLM multimodal [000] 0.92\n");
    BOOST_TEST(read({"GPU KV cache usage: 0.1%, Prefix cache hit rate: 0.0%"}) == "vLLM local [] 0\n");
    BOOST_TEST(read({"Engine 001: External prefix cache hit rate: 98.5%"}) == "vLLM external [001] 0.985\n");
    BOOST_TEST(read({"INFO metrics.py:477] Prefix cache hit rate: GPU: 71.92%, CPU: 0.50%"}) ==
               "vLLM 0 local [] 0.7192\nvLLM 0 cpu [] 0.005\n");
}

BOOST_AUTO_TEST_CASE(sglang_tells_tokens)
{
    BOOST_TEST(
        read({"[2025-06-06 10:23:32 TP0] Prefill batch. #new-seq: 2, #new-token: 8191, #cached-token: 9, "
              "token usage: 0.01, #running-req: 1, #queue-req: 7"}) == "SGLang 9/8200\n");
    BOOST_TEST(
        read({"Prefill batch, #new-seq: 1, #new-token: 6, #cached-token: 0, full token usage: 0.00"}) ==
        "SGLang 0/6\n");
    BOOST_TEST(read({"Decode batch. #running-req: 1, #token: 40, gen throughput (token/s): 8.2"}) == "");
}

BOOST_AUTO_TEST_CASE(llamacpp_counts_each_prompt_once)
{
    // A prompt in two batches, cut in the cache before each of them.
    BOOST_TEST(read({"slot update_slots: id  3 | task 7 | new prompt, n_ctx_slot = 4096, n_keep = 0, "
                     "task.n_tokens = 1179",
                     "slot update_slots: id  3 | task 7 | n_tokens = 5, memory_seq_rm [5, end)",
                     "slot update_slots: id  3 | task 7 | n_tokens = 517, memory_seq_rm [517, end)",
                     "slot print_timing: id  3 | task 7 | prompt eval time =    2190.39 ms /   1174 tokens ( "
                     " 2.41 ms"}) == "llama.cpp 5/1179\n");
    // The older wording.
    BOOST_TEST(read({"slot update_slots: id  0 | task 0 | new prompt, n_ctx_slot = 2048, n_keep = 0, "
                     "n_prompt_tokens = 31",
                     "slot update_slots: id  0 | task 0 | kv cache rm [20, end)"}) == "llama.cpp 20/31\n");
    // Only timings are logged, on the line of the task or on the one after.
    BOOST_TEST(read({"slot   operator(): id  0 | task 10 | new prompt, n_ctx_slot = 16384, n_keep = 4, "
                     "task.n_tokens = 910",
                     "slot print_timing: id  0 | task 10 | prompt eval time =    1.00 ms /   300 tokens (  "
                     "2.41 ms"}) == "llama.cpp 610/910\n");
    BOOST_TEST(read({"slot update_slots: id  0 | task 4 | new prompt, n_ctx_slot = 16384, n_keep = 4, "
                     "task.n_tokens = 40",
                     "slot print_timing: id  0 | task 4 | ",
                     "prompt eval time =      44.60 ms /    40 tokens (    1.11 ms per token)"}) ==
               "llama.cpp 0/40\n");
    // Without the prompt's line nothing is known.
    BOOST_TEST(read({"prompt eval time =      44.60 ms /    40 tokens",
                     "slot update_slots: id  3 | task 7 | n_tokens = 5, memory_seq_rm [5, end)"}) == "");
}

BOOST_AUTO_TEST_CASE(what_is_odd_is_passed_over)
{
    BOOST_TEST(
        read({"", "Prefix cache hit rate: ", "Prefix cache hit rate: nan%", "Prefix cache hit rate: 101%",
              "Prefix cache hit rate: -1%", "#new-token: x, #cached-token: 1", "#cached-token: 1",
              "#new-token: 99999999999999999999, #cached-token: 1", "slot | task 1 | new prompt",
              "slot | task -1 | new prompt, task.n_tokens = 4", "slot \xFF\x00"}) == "");
    BOOST_TEST(read({std::string(70000, ' ') + "Prefix cache hit rate: 10%"}) == "");
    BOOST_TEST(read({"Engine weird name: Prefix cache hit rate: 10.0%"}) == "vLLM local [] 0.1\n");
}
} // namespace
