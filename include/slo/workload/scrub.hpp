// SPDX-License-Identifier: MIT
// What of a route's row may stay when its texts must not.

#ifndef SLO_WORKLOAD_SCRUB_HPP
#define SLO_WORKLOAD_SCRUB_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::workload {

namespace detail {

// Lists of names, a space around each.
inline bool is_one_of(std::string_view name, std::string_view names)
{
    return !name.empty() && name.find(' ') == std::string_view::npos &&
           names.find(" " + std::string(name) + " ") != std::string_view::npos;
}

// Numbers and switches that say how to sample, or what a builder found out about a row.
inline constexpr std::string_view kept_scalars =
    " max_tokens max_completion_tokens min_tokens temperature top_p top_k min_p n best_of presence_penalty "
    "frequency_penalty repetition_penalty length_penalty seed stream logprobs top_logprobs prompt_logprobs "
    "ignore_eos echo parallel_tool_calls include_stop_str_in_output skip_special_tokens "
    "spaces_between_special_tokens add_generation_prompt continue_final_message add_special_tokens "
    "use_beam_search truncate_prompt_tokens return_token_ids priority separate_reasoning include_usage "
    "continuous_usage_stats enable_thinking thinking no_repeat_ngram_size early_stopping detokenize "
    "prompt_tokens_chat_template expected_n local_budget local_tokens_after_trim trimmed turns_in turns_out "
    "padded_to_hit_provider_bucket ";
// Words of a fixed set.
inline constexpr std::string_view kept_codes =
    " role entry parse_mode language bucket reasoning_effort tool_choice type ";
inline constexpr std::string_view known_codes =
    " system developer user assistant tool function direct v4_async n_choices none auto minimal low medium "
    "high "
    "xhigh required text object json_object string number integer boolean array null date date-time ";
// Objects and lists that are looked into.
inline constexpr std::string_view kept_nests =
    " stream_options chat_template_kwargs assembly model history_raw history_after_merge ";
// Texts that become other texts.
inline constexpr std::string_view replaced_texts =
    " content personality scenario welcome system_base source_row pm_note refusal reasoning_content ";
// Names of members that may be told when they are left out.
inline constexpr std::string_view tellable =
    " stop stop_token_ids user metadata model logit_bias extra_body guided_json guided_regex guided_choice "
    "guided_grammar bad_words response_format service_tier store suffix assembly last_translated "
    "prefix_reuse_source boundary_categories tool_choice structured_outputs cache_salt history_raw "
    "system_base ";
// Keywords of tool definitions and calls, which say nothing.
inline constexpr std::string_view schema_words =
    " type function name description parameters properties required items enum anyOf oneOf allOf not minimum "
    "maximum default format minLength maxLength title strict id arguments index additionalProperties "
    "minItems "
    "maxItems ";

} // namespace detail

/// Replaces texts in rows and leaves out what it does not know to be harmless.
class Scrubber {
public:
    /// `text` and `identifier` say what stands for a text and for a name.
    Scrubber(std::function<std::string(const std::string&)> text,
             std::function<std::string(const std::string&)> identifier)
        : text_(std::move(text)), identifier_(std::move(identifier))
    {
    }

    /// The members of a row or of its body that may stay, texts replaced.
    json::object members(const json::object& object, const std::string& where)
    {
        json::object kept;
        for (const auto& member : object) {
            const std::string name(member.key());
            if (name == "tools" || name == "functions")
                kept[name] = schema(member.value(), name);
            else if (auto value = one(name, member.value(), where))
                kept[name] = std::move(*value);
            else
                drop(where, name);
        }
        return kept;
    }

    /// A message but for its content: role, names, tool calls.
    json::object message(const json::object& original)
    {
        json::object kept;
        for (const auto& member : original) {
            const std::string name(member.key());
            const auto* text = member.value().if_string();
            if (name == "content")
                kept[name] = nullptr; // its place
            else if (name == "tool_calls" || name == "function_call")
                kept[name] = schema(member.value(), name);
            else if ((name == "name" || name == "tool_call_id") && text)
                kept[name] = identifier_(std::string(*text));
            else if (auto value = one(name, member.value(), "message"))
                kept[name] = std::move(*value);
            else
                drop("message", name);
        }
        return kept;
    }

    /// What was left out, by place and, where that gives nothing away, name.
    const std::map<std::string, std::uint64_t>& dropped() const noexcept { return dropped_; }

    /// Counts something left out.
    void drop(const std::string& where, const std::string& name)
    {
        ++dropped_[where + "." + (detail::is_one_of(name, detail::tellable) ? name : "(others)")];
    }

private:
    std::optional<json::value> one(const std::string& name, const json::value& value,
                                   const std::string& where)
    {
        using namespace detail;
        if (is_one_of(name, kept_scalars))
            return value.is_number() || value.is_bool() || value.is_null() ? std::optional(value)
                                                                           : std::nullopt;
        if (is_one_of(name, kept_codes) && value.is_string())
            return is_harmless(std::string(value.get_string())) ? std::optional(value) : std::nullopt;
        if (name == "response_format")
            return is_plain_format(value) ? std::optional(value) : std::nullopt;
        if (is_one_of(name, kept_nests))
            return nest(value, where + "." + name);
        if (!is_one_of(name, replaced_texts))
            return std::nullopt;
        if (value.is_null())
            return value;
        return value.is_string() ? std::optional<json::value>(replaced(value.get_string())) : std::nullopt;
    }

    std::optional<json::value> nest(const json::value& value, const std::string& where)
    {
        if (const auto* object = value.if_object())
            return members(*object, where);
        const auto* list = value.if_array();
        if (!list)
            return std::nullopt;
        json::array kept;
        for (const auto& element : *list) {
            if (const auto* object = element.if_object())
                kept.push_back(members(*object, where));
            else
                drop(where, {});
        }
        return kept;
    }

    // A format is kept whole or not at all: a service refuses the half of one.
    static bool is_plain_format(const json::value& format)
    {
        const auto* object = format.if_object();
        const auto type = object && object->size() == 1 ? string_at(*object, "type") : std::nullopt;
        return format.is_null() || type == std::string_view("text") ||
               type == std::string_view("json_object");
    }

    // A word of a fixed set, or too short in letters and digits to say anything ("en-US", "3.5k-3.8k"): no
    // name, no date, no number of a person.
    static bool is_harmless(const std::string& code)
    {
        if (detail::is_one_of(code, detail::known_codes))
            return true;
        int letters = 0;
        int digits = 0;
        int dashes = 0;
        for (const char c : code) {
            const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            const bool digit = c >= '0' && c <= '9';
            letters = letter ? letters + 1 : 0;
            digits = digit ? digits + 1 : 0;
            dashes += c == '-';
            const bool mark = c == '-' || c == '.' || c == '_' || c == '<' || c == '>' || c == '=';
            if (letters > 2 || digits > 5 || dashes > 1 || !(letter || digit || mark))
                return false;
        }
        return code.size() <= 12;
    }

    json::value replaced(const json::string& text) const { return json_text(text_(std::string(text))); }

    // Tool definitions and calls: the structure stays, all names and texts in it do not.
    json::value schema(const json::value& value, const std::string& name)
    {
        if (const auto* object = value.if_object()) {
            json::object kept;
            for (const auto& member : *object) {
                const std::string key(member.key());
                const bool known = name != "properties" && name != "(values)" &&
                                   detail::is_one_of(key, detail::schema_words);
                // Within the arguments of a call every name is the caller's.
                const auto inner = name == "(values)" ? name : known ? key : std::string();
                kept[known ? key : identifier_(key)] = schema(member.value(), inner);
            }
            return kept;
        }
        if (const auto* list = value.if_array()) {
            json::array kept;
            for (const auto& element : *list)
                kept.push_back(schema(element, name));
            return kept;
        }
        if (const auto* text = value.if_string())
            return schema_text(*text, name);
        return value.is_number() ? other_number(value) : value;
    }

    json::value schema_text(const json::string& original, const std::string& name)
    {
        const std::string text(original);
        if (name == "name" || name == "id" || name == "required" || name == "enum")
            return json_text(identifier_(text));
        if ((name == "type" || name == "format") && is_harmless(text))
            return json_text(text);
        if (name != "arguments")
            return json_text(text_(text));
        try { // engines parse it, so it has to remain JSON
            const auto value = parse_json(text);
            return json_text(to_json(schema(value, "(values)")));
        } catch (const JsonError&) {
            return json_text(text_(text));
        }
    }

    // As many digits, other ones.
    json::value other_number(const json::value& number) const
    {
        if (number.is_double())
            return 0.5;
        const auto digits = to_json(number);
        const auto other = identifier_(digits).substr(1); // ten digits
        std::int64_t value = 0;
        for (std::size_t i = 0; i < std::min<std::size_t>(digits.size(), 18); ++i)
            value = value * 10 + (other[i % other.size()] - '0' + (i == 0 && other[0] == '0' ? 1 : 0));
        return value;
    }

    std::function<std::string(const std::string&)> text_;
    std::function<std::string(const std::string&)> identifier_;
    std::map<std::string, std::uint64_t> dropped_;
};

} // namespace slo::workload

#endif
