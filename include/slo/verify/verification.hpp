// SPDX-License-Identifier: MIT
// The whole check of one route, from its file to the record of what was found.

#ifndef SLO_VERIFY_VERIFICATION_HPP
#define SLO_VERIFY_VERIFICATION_HPP

#include <slo/base/json.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/record/row_scan.hpp>
#include <slo/tokens/tokenizer.hpp>
#include <slo/verify/rule_table.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::verify {

/// Reads a route once and shows it to all rules. Without token counts no row is kept; with them, as many as
/// are counted in one go.
class Verification {
public:
    /// Throws UsageError, Error.
    explicit Verification(Plan plan)
    {
        if (plan.has_tokenizer) {
            tokenizer_ = plan.options.tokenizer.open();
            plan.take_context(tokenizer_->description());
        }
        rules_ = choose_rules(plan);
        for (const auto& each : rules_) {
            if (auto* schema = dynamic_cast<SchemaRule*>(each.rule.get()))
                schema_ = schema;
            if (auto* lines = dynamic_cast<LinesRule*>(each.rule.get()))
                lines_ = lines;
        }
    }

    /// Reads the whole route. Throws IoError, and what the tokenizer throws.
    void read(io::LineReader reader)
    {
        name_ = reader.name();
        if (lines_)
            reader.observe({{}, [this](std::string_view bytes) { lines_->bytes(bytes); }});
        while (const auto line = reader.next()) {
            if (lines_)
                lines_->line(reader.line(), *line);
            if (LinesRule::is_blank(*line) || !scan(*line, reader.line()))
                continue;
            ++rows_;
            if (tokenizer_)
                keep(*line);
            else
                look();
        }
        count_batch();
    }

    /// The sloutils.verify/1 record, and in `failed` one line for people for each broken rule. The last call
    /// to this object.
    json::object record(std::vector<std::string>& failed)
    {
        json::array rules;
        for (const auto& each : rules_) {
            auto report = each.rule->report();
            if (each.is_asked && report.findings.empty() && !report.nothing_to_check.empty())
                report.findings.add(report.nothing_to_check);
            rules.emplace_back(to_record(each.name, report));
            if (!report.findings.empty())
                failed.push_back(line_for_people(each.name, report.findings));
        }
        json::object record{{"schema", "sloutils.verify/1"},
                            {"status", failed.empty() ? "PASS" : "FAIL"},
                            {"rows", rows_},
                            {"route", json_text(name_)}};
        if (tokenizer_)
            record["tokenizer"] = tokenizer_->description();
        record["rules"] = std::move(rules);
        return record;
    }

private:
    // What one request to a server may hold, and little enough to keep.
    static constexpr std::size_t batch_rows = 512;
    static constexpr std::size_t batch_bytes = std::size_t{8} << 20;

    struct KeptRow {
        std::string text;
        std::size_t line;
    };

    // False for a line that is no row.
    bool scan(std::string_view line, std::size_t number)
    {
        try {
            if (!scanner_.scan(line)) {
                schema_->other_log_line();
                return false;
            }
            row_.assign(scanner_, number);
            return true;
        } catch (const record::RowError& error) {
            schema_->bad_line(number, error.what());
        } catch (const JsonError& error) {
            schema_->bad_line(number, error.what());
        }
        return false;
    }

    void look()
    {
        for (const auto& each : rules_)
            each.rule->look(row_);
    }

    void keep(std::string_view line)
    {
        batch_.push_back({std::string(line), row_.line()});
        prompts_.push_back(row_.prompt());
        kept_bytes_ += line.size();
        if (batch_.size() >= batch_rows || kept_bytes_ >= batch_bytes)
            count_batch();
    }

    void count_batch()
    {
        if (batch_.empty())
            return;
        const auto tokens = count_tokens();
        for (std::size_t i = 0; i < batch_.size(); ++i) {
            scanner_.scan(batch_[i].text);
            row_.assign(scanner_, batch_[i].line);
            row_.set_tokens(tokens[i]);
            look();
        }
        batch_.clear();
        prompts_.clear();
        kept_bytes_ = 0;
    }

    std::vector<tokens::TokenList> count_tokens()
    {
        std::vector<const json::value*> prompts;
        for (const auto& prompt : prompts_)
            prompts.push_back(&prompt);
        try {
            return tokenizer_->encode_prompts(prompts);
        } catch (const InputError&) {
            for (std::size_t i = 0; i < prompts.size(); ++i)
                check_prompt(*prompts[i], batch_[i].line);
            throw;
        }
    }

    // Names the line of a prompt that the tokenizer refuses.
    void check_prompt(const json::value& prompt, std::size_t line)
    {
        try {
            tokenizer_->count_prompt(prompt);
        } catch (const InputError& error) {
            throw InputError(name_, line, error.what());
        }
    }

    std::string line_for_people(const std::string& rule, const Findings& findings) const
    {
        const auto& first = findings.kept().front();
        auto text = printable(name_, 300) + (first.line > 0 ? ":" + std::to_string(first.line) : "") + ": " +
                    rule + ": " + printable(first.reason);
        if (findings.count() > 1)
            text += " (and " + std::to_string(findings.count() - 1) + " more)";
        return text;
    }

    std::vector<ChosenRule> rules_;
    SchemaRule* schema_ = nullptr;
    LinesRule* lines_ = nullptr;
    std::unique_ptr<tokens::Tokenizer> tokenizer_;
    std::string name_;
    std::uint64_t rows_ = 0;
    record::RowScanner scanner_;
    Row row_;
    std::vector<KeptRow> batch_;
    std::vector<json::value> prompts_;
    std::size_t kept_bytes_ = 0;
};

} // namespace slo::verify

#endif
