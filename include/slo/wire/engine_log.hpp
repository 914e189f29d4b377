// SPDX-License-Identifier: MIT
// What the logs of inference engines say about their prefix caches.

#ifndef SLO_WIRE_ENGINE_LOG_HPP
#define SLO_WIRE_ENGINE_LOG_HPP

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <unordered_map>

namespace slo::wire {

/// The wordings that EngineLogReader knows, by the names it gives them.
inline constexpr std::string_view vllm_log_pattern = "vLLM: Prefix cache hit rate: N%";
inline constexpr std::string_view vllm_v0_log_pattern = "vLLM 0: Prefix cache hit rate: GPU: N%, CPU: N%";
inline constexpr std::string_view sglang_log_pattern = "SGLang: #new-token: N, #cached-token: N";
inline constexpr std::string_view llamacpp_log_pattern = "llama.cpp: new prompt, task.n_tokens = N … cached";

/// Reads logs line by line; lines of other kinds are passed over. The sink has
///   rate(pattern, layer, engine, hit_rate)  a rate of 0 to 1 that the engine itself took over a window of
///                                           its own; layer is local, external, multimodal or cpu
///   tokens(pattern, cached, prompt)         prompt tokens, and those of them found in the cache
class EngineLogReader {
public:
    /// No more of a line than this is looked at.
    static constexpr std::size_t max_scanned_bytes = 65536;

    /// Takes in the next line, without its end.
    template <class Sink>
    void take(std::string_view line, Sink& sink)
    {
        line = line.substr(0, max_scanned_bytes);
        if (line.find("refix cache hit rate: ") != std::string_view::npos)
            take_vllm(line, sink);
        else if (line.find("#cached-token:") != std::string_view::npos)
            take_sglang(line, sink);
        else if (line.find("slot ") != std::string_view::npos ||
                 line.find("prompt eval time") != std::string_view::npos)
            take_llamacpp(line, sink);
    }

private:
    using Count = std::uint64_t;

    // What follows `key`: blanks, then a number; as far as it is one.
    template <class Number>
    static std::optional<Number> number_after(std::string_view line, std::string_view key)
    {
        auto at = line.find(key);
        if (at == std::string_view::npos)
            return std::nullopt;
        at = std::min(line.find_first_not_of(" =", at + key.size()), line.size());
        Number number{};
        const auto result = std::from_chars(line.data() + at, line.data() + line.size(), number);
        return result.ec == std::errc{} ? std::optional(number) : std::nullopt;
    }

    static std::optional<Count> count_after(std::string_view line, std::string_view key)
    {
        constexpr Count most = 1'000'000'000'000; // no prompt has more tokens; sums of these cannot overflow
        const auto count = number_after<Count>(line, key);
        return count && *count <= most ? count : std::nullopt;
    }

    static std::optional<double> share_after(std::string_view line, std::string_view key)
    {
        const auto percent = number_after<double>(line, key);
        return percent && *percent >= 0 && *percent <= 100 ? std::optional(*percent / 100) : std::nullopt;
    }

    template <class Sink>
    static void take_vllm(std::string_view line, Sink& sink)
    {
        if (const auto gpu = share_after(line, "Prefix cache hit rate: GPU:")) {
            sink.rate(vllm_v0_log_pattern, "local", "", *gpu);
            if (const auto cpu = share_after(line, "%, CPU:"))
                sink.rate(vllm_v0_log_pattern, "cpu", "", *cpu);
            return;
        }
        std::string_view engine;
        if (const auto at = line.find("Engine "); at != std::string_view::npos) {
            engine = line.substr(at + 7);
            engine = engine.substr(0, std::min(engine.find(':'), engine.size()));
            if (engine.size() > 8 || engine.find_first_not_of("0123456789") != std::string_view::npos)
                engine = {};
        }
        if (const auto local = share_after(line, "Prefix cache hit rate:"))
            sink.rate(vllm_log_pattern, "local", engine, *local);
        if (const auto external = share_after(line, "External prefix cache hit rate:"))
            sink.rate(vllm_log_pattern, "external", engine, *external);
        if (const auto multimodal = share_after(line, "MM cache hit rate:"))
            sink.rate(vllm_log_pattern, "multimodal", engine, *multimodal);
    }

    template <class Sink>
    static void take_sglang(std::string_view line, Sink& sink)
    {
        const auto fresh = count_after(line, "#new-token:");
        const auto cached = count_after(line, "#cached-token:");
        if (fresh && cached)
            sink.tokens(sglang_log_pattern, *cached, *cached + *fresh);
    }

    // A prompt is told by one line, what was cached of it by one of two: where the cache is cut before the
    // first batch (the batches that follow say the same of themselves), or, where that is not logged, the
    // tokens that had to be evaluated.
    template <class Sink>
    void take_llamacpp(std::string_view line, Sink& sink)
    {
        auto task = count_after(line, "| task ");
        if (line.find("print_timing") != std::string_view::npos)
            timed_task_ = task;
        if (line.find("prompt eval time") != std::string_view::npos) {
            const auto evaluated = count_after(line, "ms /");
            const auto prompt = find_prompt(task ? task : timed_task_);
            if (evaluated && prompt != prompts_.end())
                close(prompt, prompt->second - std::min(prompt->second, *evaluated), sink);
            return;
        }
        if (!task)
            return;
        if (line.find("new prompt") != std::string_view::npos) {
            auto tokens = count_after(line, "task.n_tokens");
            if (!tokens)
                tokens = count_after(line, "n_prompt_tokens");
            if (tokens && (prompts_.size() < max_open_prompts || prompts_.contains(*task)))
                prompts_[*task] = *tokens;
            return;
        }
        auto cached = count_after(line, "memory_seq_rm [");
        if (!cached)
            cached = count_after(line, "kv cache rm [");
        if (const auto prompt = find_prompt(task); cached && prompt != prompts_.end())
            close(prompt, std::min(prompt->second, *cached), sink);
    }

    using Prompts = std::unordered_map<Count, Count>; // by task: tokens of its prompt

    Prompts::iterator find_prompt(std::optional<Count> task)
    {
        return task ? prompts_.find(*task) : prompts_.end();
    }

    template <class Sink>
    void close(Prompts::iterator prompt, Count cached, Sink& sink)
    {
        sink.tokens(llamacpp_log_pattern, cached, prompt->second);
        prompts_.erase(prompt);
    }

    static constexpr std::size_t max_open_prompts = 65536;

    Prompts prompts_;
    std::optional<Count> timed_task_;
};

} // namespace slo::wire

#endif
