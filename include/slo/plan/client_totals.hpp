// SPDX-License-Identifier: MIT
// What the client of a run counted, added up from its round records or its request records.

#ifndef SLO_PLAN_CLIENT_TOTALS_HPP
#define SLO_PLAN_CLIENT_TOTALS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace slo::plan {

/// Sums over the requests of a run. Tokens are those of the requests that succeeded.
class ClientTotals {
public:
    /// Finish reasons beyond these are counted as "(other)".
    static constexpr std::size_t max_reasons = 64;

    double ok = 0;        ///< requests that succeeded
    double sent = 0;      ///< requests that reached the wire, whatever became of them
    double choices = 0;   ///< answers to the requests that succeeded, n of them each
    double warmed_up = 0; ///< requests that succeeded and asked for more than one answer
    double prompt_tokens = 0;
    double prompt_tokens_by_choice = 0; ///< the prompt counted again for each answer
    double prompt_tokens_warmed_up = 0; ///< prompt tokens of the requests in `warmed_up`
    double generation_tokens = 0;
    bool knows_prompt_tokens = true;     ///< false: a request that succeeded did not say
    bool knows_generation_tokens = true; ///< false: as above, or tokens were estimated from events
    bool has_counts = true; ///< false: rounds of an older producer, which do not count their requests
    std::map<std::string, double> finish_reasons; ///< of choices
    std::size_t records = 0;

    /// Adds a sloutils.round/1 or sloutils.request/1 record, or a round record without a schema; false for a
    /// record of another kind. Throws InputError where rounds and requests are mixed, which would count
    /// twice.
    bool add(const json::object& record)
    {
        const auto schema = string_at(record, "schema").value_or("");
        if (schema.starts_with("sloutils.request/")) {
            note_kind(Kind::request);
            add_request(record);
            return true;
        }
        if (schema.starts_with("sloutils.round/") ||
            (schema.empty() && (object_at(record, "Latency") || find(record, "success_rate")))) {
            note_kind(Kind::round);
            add_round(record);
            return true;
        }
        return false;
    }

    /// Mean number of answers a request got; 1 where nothing is known of it.
    double choices_per_request() const noexcept { return ok > 0 && choices > 0 ? choices / ok : 1; }

private:
    enum class Kind { none, round, request };

    void note_kind(Kind kind)
    {
        if (kind_ != Kind::none && kind_ != kind)
            throw InputError("records", "of rounds and of requests are mixed; give one kind");
        kind_ = kind;
        ++records;
    }

    void count_reason(std::string_view reason, double times)
    {
        const auto name = printable(reason, 64);
        const bool known = finish_reasons.contains(name) || finish_reasons.size() < max_reasons;
        finish_reasons[known ? name : "(other)"] += times;
    }

    void add_request(const json::object& record)
    {
        sent += number_at(record, "sent_s").has_value();
        if (string_at(record, "status") != "ok")
            return;
        ++ok;
        const auto* list = array_at(record, "choices");
        const auto n = list && !list->empty() ? static_cast<double>(list->size()) : 1.0;
        choices += n;
        if (list)
            for (const auto& choice : *list)
                if (const auto* object = choice.if_object())
                    if (const auto reason = string_at(*object, "finish_reason"))
                        count_reason(*reason, 1);
        const auto input = number_at(record, "input_tokens");
        const auto output = number_at(record, "output_tokens");
        const auto* estimated = find(record, "output_tokens_estimated");
        knows_prompt_tokens &= input.has_value();
        knows_generation_tokens &= output && !(estimated && estimated->is_bool() && estimated->get_bool());
        add_tokens(1, n, input.value_or(0), output.value_or(0));
    }

    // A round gives whole means and exact tokens per minute; its length is what was due over the rate due.
    void add_round(const json::object& record)
    {
        const auto* counts = object_at(record, "counts");
        has_counts &= counts != nullptr;
        const auto count = [&](const char* name) {
            const auto number = counts ? number_at(*counts, name) : std::nullopt;
            return number && *number > 0 ? *number : 0.0;
        };
        const double round_ok = count("ok");
        ok += round_ok;
        sent += count("sent");
        double round_choices = 0;
        if (const auto* reasons = object_at(record, "finish_reasons")) {
            for (const auto& member : *reasons) {
                const auto times = as_number(&member.value()).value_or(0);
                count_reason({member.key().data(), member.key().size()}, times);
                round_choices += times;
            }
        }
        const double n = round_ok > 0 && round_choices > round_ok ? round_choices / round_ok : 1;
        choices += n * round_ok;
        if (round_ok == 0)
            return;
        const auto rate = number_at(record, "actual_qps");
        const auto minutes = rate && *rate > 0 ? count("due") / *rate / 60 : 0.0;
        const auto total = [&](const char* per_minute, const char* mean, bool& known) {
            if (const auto tokens = number_at(record, per_minute); tokens && minutes > 0)
                return *tokens * minutes;
            const auto tokens = number_at(record, mean);
            known &= tokens.has_value();
            return tokens.value_or(0) * round_ok;
        };
        const double input = total("input_tokens_per_minute", "input_tokens", knows_prompt_tokens);
        const double output = total("output_tokens_per_minute", "output_tokens", knows_generation_tokens);
        add_tokens(round_ok, n, input, output);
    }

    void add_tokens(double requests, double n, double input, double output)
    {
        prompt_tokens += input;
        prompt_tokens_by_choice += n * input;
        generation_tokens += output;
        if (n > 1) {
            warmed_up += requests;
            prompt_tokens_warmed_up += input;
        }
    }

    Kind kind_ = Kind::none;
};

} // namespace slo::plan

#endif
