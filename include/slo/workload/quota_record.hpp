// SPDX-License-Identifier: MIT
// The record of a row that was built by quotas: how it was assembled, what it counts, what is sent.

#ifndef SLO_WORKLOAD_QUOTA_RECORD_HPP
#define SLO_WORKLOAD_QUOTA_RECORD_HPP

#include <slo/base/json.hpp>
#include <slo/workload/quota_rows.hpp>
#include <slo/workload/quota_spec.hpp>
#include <slo/workload/route_row.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::workload {

/// Writes rows as the readers of AutoReply routes know them.
class QuotaRecords {
public:
    /// `tokenizer` is the description of the one that counted.
    QuotaRecords(const QuotaSpec& spec, const std::vector<Conversation>& pool, const RowMaker& maker,
                 const json::object& tokenizer)
        : spec_(spec), pool_(pool), maker_(maker), tokenizer_(short_name(tokenizer))
    {
    }

    /// The record of a row. `number` (from 1) gives its id, `index` (from 0) its place in time.
    RouteRow record(const RowGroup& group, const BuiltRow& row, std::int64_t number, std::int64_t index) const
    {
        const auto history = maker_.history(group, row);
        const auto draft = maker_.draft(history, row);
        RouteRow record;
        record.ts = std::to_string(spec_.first_ts + index * spec_.ts_step);
        record.conv_id = spec_.id(number);
        record.other["assembly"] = assembly(group, row, history, draft);
        record.other["model"] = model(row);
        record.body["prompt"] = draft.prompt();
        for (const auto& member : spec_.body)
            record.body[member.key()] = member.value();
        return record;
    }

private:
    // Kind and model alone: where the server was must not change the rows.
    static std::string short_name(const json::object& tokenizer)
    {
        const auto kind = string_at(tokenizer, "kind").value_or("");
        const auto model = string_at(tokenizer, "model").value_or("");
        return std::string(kind) + (model.empty() ? "" : ":") + std::string(model);
    }

    static json::value turn(std::string_view role, std::string_view content, bool has_content = true)
    {
        return json::object{{"role", json_text(role)},
                            {"content", has_content ? json_text(content) : json::value(nullptr)}};
    }

    json::object assembly(const RowGroup& group, const BuiltRow& row, std::span<const Turn> history,
                          const Draft& draft) const
    {
        const auto& conversation = pool_[row.candidate.conversation];
        json::object assembly{{"source_row", json_text(conversation.id)}};
        for (std::size_t i = 0; i < conversation.blocks.size(); ++i)
            assembly[spec_.prompt.blocks[i].field] = json_text(conversation.blocks[i]);
        assembly["system_base"] = json_text(draft.system);
        json::array raw;
        for (const auto& message : history)
            raw.push_back(turn(message.role, message.content, message.has_content));
        assembly["history_raw"] = std::move(raw);
        json::array merged;
        for (const auto& message : draft.kept())
            merged.push_back(turn(message.role, message.content));
        assembly["history_after_merge"] = std::move(merged);
        assembly["entry"] = json_text(row.facts.entry);
        assembly["language"] = json_text(row.facts.language);
        assembly["local_budget"] = maker_.budget(row.target);
        assembly["local_tokens_after_trim"] = row.facts.local_tokens;
        assembly["trimmed"] = row.facts.trimmed;
        assembly["turns_in"] = row.facts.turns_in;
        assembly["turns_out"] = row.facts.turns_out;
        assembly["turns_merged"] = row.facts.turns_merged;
        assembly["padded_to_hit_provider_bucket"] = row.facts.prompt_tokens > row.facts.local_tokens;
        assembly["boundary_categories"] = group.category ? json::array{json_text(group.name)} : json::array{};
        if (!spec_.prefix_reuse_source.empty())
            assembly["prefix_reuse_source"] = json_text(spec_.prefix_reuse_source);
        return assembly;
    }

    json::object model(const BuiltRow& row) const
    {
        const auto* bucket = find_bucket(spec_.buckets, row.facts.prompt_tokens);
        json::object model{{"prompt_tokens_chat_template", row.facts.prompt_tokens},
                           {"bucket", text_or_null(bucket ? std::string_view(bucket->name) : "")},
                           {"expected_n", spec_.n()}};
        if (!spec_.parse_mode.empty())
            model["parse_mode"] = json_text(spec_.parse_mode);
        model["tokenizer"] = json_text(tokenizer_);
        return model;
    }

    const QuotaSpec& spec_;
    const std::vector<Conversation>& pool_;
    const RowMaker& maker_;
    std::string tokenizer_;
};

} // namespace slo::workload

#endif
