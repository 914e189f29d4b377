// SPDX-License-Identifier: MIT
// route-build multi-turn: conversations, each turn with all before it.

#ifndef SLO_WORKLOAD_MULTI_TURN_HPP
#define SLO_WORKLOAD_MULTI_TURN_HPP

#include <slo/base/error.hpp>
#include <slo/base/random.hpp>
#include <slo/workload/build.hpp>
#include <slo/workload/generated_rows.hpp>
#include <slo/workload/length_law.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace slo::workload {

/// What route-build multi-turn is told.
struct MultiTurnOptions {
    static constexpr const char* verb = "multi-turn";
    static constexpr const char* synopsis = "--tokenizer HOW [OPTION]...";
    static constexpr const char* summary =
        "Conversations: each turn's prompt begins with all that was said before.";

    BuildOptions build;
    GeneratedOptions rows{"mt-"};
    std::int64_t conversations = 100;
    std::string turns = "uniform:2:8";
    std::string first_len = "512";
    std::string turn_len = "128";
    std::string output_len = "128";
    std::string think_time = "exponential:10";
    double rate = 1;
    std::string arrivals = "poisson";
    std::int64_t system_len = 0;
    std::int64_t max_model_len = 0;

    template <class Table>
    void describe(Table& table)
    {
        table.section("Workload");
        table.add("conversations", conversations, "COUNT", "conversations");
        table.add("turns", turns, "LAW", "requests of a conversation");
        table.add("system-len", system_len, "COUNT", "tokens of a system prompt that all share; 0: none");
        table.add("first-len", first_len, "LAW", "tokens of a conversation's first message");
        table.add("turn-len", turn_len, "LAW", "tokens of the user's later messages");
        table.add("output-len", output_len, "LAW",
                  "tokens of an answer: max_tokens, and what the next turns have in their history");
        table.add("think-time", think_time, "LAW", "seconds from one request of a conversation to the next");
        table.add("rate", rate, "RATE", "conversations begun each second");
        table.add("arrivals", arrivals, "LAW", "their beginnings: constant or poisson");
        table.add("max-model-len", max_model_len, "TOKENS",
                  "end a conversation before prompt and answer are longer; 0: never");
        rows.describe(table, false);
    }

    /// Throws Error.
    void run(Build& out) const;
};

namespace detail {

// One conversation that goes on.
struct Conversation {
    std::uint64_t number = 0;
    std::int64_t next_ns = 0; // since the route's start
    std::int64_t turns_left = 0;
    std::vector<PromptMessage> history;
    std::int64_t text_tokens = 0;
    Random random{0};
};

struct LaterTurn {
    bool operator()(const Conversation& a, const Conversation& b) const noexcept
    {
        return a.next_ns != b.next_ns ? a.next_ns > b.next_ns : a.number > b.number;
    }
};

class MultiTurnBuild {
public:
    MultiTurnBuild(const MultiTurnOptions& options, Build& out)
        : options_(options), out_(out), open_([&out](const std::string& path) { return out.open(path); }),
          turns_(LengthLaw::parse("--turns", options.turns, open_)),
          first_(LengthLaw::parse("--first-len", options.first_len, open_)),
          later_(LengthLaw::parse("--turn-len", options.turn_len, open_)),
          output_(LengthLaw::parse("--output-len", options.output_len, open_)),
          think_(LengthLaw::parse("--think-time", options.think_time, open_, time_limits)),
          generated_(checked(options), out, true), starts_(static_cast<std::uint64_t>(options.rows.seed))
    {
    }

    void run()
    {
        std::vector<Conversation> live; // a heap, the one whose turn is next in front
        std::int64_t begun = 0;
        auto next_start_ns = start_after(0, begun);
        while (begun < options_.conversations || !live.empty()) {
            if (begun < options_.conversations && (live.empty() || next_start_ns <= live.front().next_ns)) {
                live.push_back(begin(static_cast<std::uint64_t>(++begun), next_start_ns));
                std::push_heap(live.begin(), live.end(), LaterTurn());
                next_start_ns = start_after(next_start_ns, begun);
                continue;
            }
            most_live_ = std::max(most_live_, live.size());
            std::pop_heap(live.begin(), live.end(), LaterTurn());
            if (turn(live.back()))
                std::push_heap(live.begin(), live.end(), LaterTurn());
            else
                live.pop_back();
        }
        generated_.finish();
        if (const auto most = generated_.prompts().largest_difference(); most > 0)
            out_.note(
                "prompts are up to " + std::to_string(most) +
                " tokens off their planned length: this tokenizer counts texts in a template differently");
        out_.facts()["conversations"] = begun;
        out_.facts()["most_conversations_at_once"] = most_live_;
    }

private:
    static const GeneratedOptions& checked(const MultiTurnOptions& options)
    {
        check_count("--conversations", options.conversations);
        if (!(options.rate >= 1e-6 && options.rate <= 1e6))
            throw UsageError("--rate", "must be from 0.000001 to 1000000");
        if (options.arrivals != "constant" && options.arrivals != "poisson")
            throw UsageError("--arrivals",
                             "'" + printable(options.arrivals, 40) + "' is neither constant nor poisson");
        if (options.system_len < 0 || options.system_len > 10'000'000)
            throw UsageError("--system-len", "must be from 0 to 10000000");
        if (options.max_model_len < 0)
            throw UsageError("--max-model-len", "must not be negative");
        if (options.rows.raw_prompt)
            throw UsageError("--raw-prompt", "turns are messages: a text has none");
        return options.rows;
    }

    std::int64_t start_after(std::int64_t before_ns, std::int64_t begun)
    {
        if (options_.arrivals == "constant")
            return ns_of(static_cast<double>(begun) / options_.rate);
        return begun == 0 ? 0 : before_ns + ns_of(starts_.exponential(1 / options_.rate));
    }

    static std::int64_t ns_of(double seconds)
    {
        if (seconds > 2e8)
            throw UsageError("--rate", "makes the route last for more than six years");
        return std::llround(seconds * 1e9);
    }

    Conversation begin(std::uint64_t number, std::int64_t start_ns)
    {
        Conversation conversation;
        conversation.number = number;
        conversation.next_ns = start_ns;
        conversation.random = Random(generated_.stream("conversation", number));
        conversation.turns_left = turns_.draw(conversation.random);
        if (options_.system_len > 0)
            say(conversation, "system", generated_.stream("system", 0), options_.system_len);
        return conversation;
    }

    static void say(Conversation& conversation, const char* role, std::uint64_t stream, std::int64_t tokens)
    {
        conversation.history.push_back({role, {{stream, tokens}}});
        conversation.text_tokens += tokens;
    }

    // Writes the turn that is due; true when another one follows.
    bool turn(Conversation& conversation)
    {
        auto& random = conversation.random;
        const bool first = conversation.history.size() == (options_.system_len > 0 ? 1 : 0);
        const auto asked = (first ? first_ : later_).draw(random);
        const auto answer = output_.draw(random);
        say(conversation, "user", random.bits(), asked);
        if (options_.max_model_len > 0 &&
            prompt_tokens(conversation) + generated_.asked_tokens(answer) > options_.max_model_len) {
            out_.skip("turns beyond --max-model-len", static_cast<std::uint64_t>(conversation.turns_left));
            return false;
        }
        PromptPlan plan;
        plan.messages = conversation.history;
        plan.stays = true; // the next turn's prompt begins with the same texts
        generated_.add_at(std::move(plan), answer, conversation.number, time_of(conversation.next_ns));
        say(conversation, "assistant", random.bits(), answer);
        // A turn never stands at the time of the one before it: their order would be anybody's guess.
        conversation.next_ns += std::max<std::int64_t>(1, ns_of(think_.draw_real(random)));
        return --conversation.turns_left > 0;
    }

    std::int64_t prompt_tokens(const Conversation& conversation)
    {
        std::vector<std::string> roles;
        for (const auto& message : conversation.history)
            roles.push_back(message.role);
        return conversation.text_tokens + generated_.prompts().words().template_overhead(roles);
    }

    std::int64_t time_of(std::int64_t offset_ns) const
    {
        if (offset_ns > 200'000'000'000'000'000)
            throw Error("--think-time", "makes the route last for more than six years");
        return options_.rows.start_ts * 1'000'000'000 + offset_ns;
    }

    const MultiTurnOptions& options_;
    Build& out_;
    OpenLines open_;
    LengthLaw turns_;
    LengthLaw first_;
    LengthLaw later_;
    LengthLaw output_;
    LengthLaw think_;
    GeneratedRows generated_;
    Random starts_;
    std::size_t most_live_ = 0;
};

} // namespace detail

inline void MultiTurnOptions::run(Build& out) const
{
    detail::MultiTurnBuild(*this, out).run();
}

} // namespace slo::workload

#endif
