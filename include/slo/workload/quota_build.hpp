// SPDX-License-Identifier: MIT
// What the verbs quota and boundary share: their options, and the way from a spec and a pool to rows.

#ifndef SLO_WORKLOAD_QUOTA_BUILD_HPP
#define SLO_WORKLOAD_QUOTA_BUILD_HPP

#include <slo/base/error.hpp>
#include <slo/tokens/tokenizer_options.hpp>
#include <slo/workload/build.hpp>
#include <slo/workload/pool.hpp>
#include <slo/workload/quota_fill.hpp>
#include <slo/workload/quota_record.hpp>
#include <slo/workload/quota_rows.hpp>
#include <slo/workload/quota_spec.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace slo::workload {

/// Where spec and pool are, and who counts.
struct QuotaInput {
    std::string spec;
    std::string pool;
    PoolLimits limits;
    tokens::TokenizerOptions tokenizer = tokens::TokenizerOptions::required();

    template <class Table>
    void describe(Table& table)
    {
        table.section("Input");
        table.add("spec", spec, "FILE", "the workload, YAML or JSON");
        table.add("pool", pool, "FILE", "conversations, one JSON object a line");
        table.add("every", limits.every, "N", "take the first conversation of each N lines");
        table.add("max-pool", limits.most, "N", "conversations to take at most");
        tokenizer.describe(table);
    }

    /// Throws UsageError.
    void check() const
    {
        if (spec.empty())
            throw UsageError("--spec", "is missing");
        if (pool.empty())
            throw UsageError("--pool", "is missing");
        if (limits.every < 1)
            throw UsageError("--every", "must be 1 or more");
        if (limits.most < 1 || limits.most > 10'000'000)
            throw UsageError("--max-pool", "must be from 1 to 10000000");
    }
};

/// A route in the making: all rows are chosen and counted before the first is written.
class QuotaBuild {
public:
    /// Reads the spec, which must be of this kind, and the pool, and opens the tokenizer. Throws Error.
    QuotaBuild(Build& build, const QuotaInput& input, const std::string& kind)
        : build_(build), spec_(read_spec(build, input)), tokenizer_(input.tokenizer.open())
    {
        if (spec_.kind != kind)
            throw InputError(io::display_name(input.spec), "kind: is " + spec_.kind + ", not " + kind);
        auto lines = build.open(input.pool);
        pool_ = read_pool(lines, spec_.prompt, input.limits);
        if (static_cast<std::int64_t>(pool_.size()) == input.limits.most && lines.next())
            build.note("takes " + std::to_string(pool_.size()) + " conversations of " + lines.name() +
                       ", as --max-pool says, and leaves the rest");
        if (static_cast<std::int64_t>(pool_.size()) < spec_.rows())
            throw InputError(lines.name(), "gives " + std::to_string(pool_.size()) +
                                               " conversations, the route takes " +
                                               std::to_string(spec_.rows()) + ", each once");
    }

    const QuotaSpec& spec() const noexcept { return spec_; }

    /// Chooses the rows of all groups; `seed` counts where lengths are spread. Throws Error.
    void fill(std::vector<RowGroup> groups, std::uint64_t seed)
    {
        groups_ = std::move(groups);
        maker_ = std::make_unique<RowMaker>(spec_, pool_, *tokenizer_, seed);
        QuotaFiller filler(spec_, pool_, *maker_);
        json::object counts;
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            filler.fill(groups_[i], i, rows_);
            counts[groups_[i].name] = groups_[i].rows;
        }
        for (const auto& [reason, count] : filler.left_out())
            build_.skip(reason, count);
        build_.facts()["workload"] = json_text(spec_.name);
        build_.facts()["tokenizer"] = tokenizer_->description();
        build_.facts()["conversations"] = pool_.size();
        build_.facts()["prompts_counted"] = maker_->prompts_counted();
        build_.facts()["groups"] = std::move(counts);
    }

    const std::vector<FilledRow>& rows() const noexcept { return rows_; }

    /// Writes the rows in the order of `order`, indices of rows(); their ids say the order in which they
    /// were chosen. Throws ClosedPipe or IoError.
    void write(const std::vector<std::size_t>& order)
    {
        const QuotaRecords records(spec_, pool_, *maker_, tokenizer_->description());
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto& filled = rows_[order[i]];
            build_.write(to_line(records.record(groups_[filled.group], filled.row,
                                                static_cast<std::int64_t>(order[i]) + 1,
                                                static_cast<std::int64_t>(i))));
        }
    }

private:
    static QuotaSpec read_spec(Build& build, const QuotaInput& input)
    {
        input.check();
        const auto text = io::read_all(input.spec, std::size_t{16} << 20);
        if (const auto observer = build.observer(input.spec); observer.on_bytes)
            observer.on_bytes(text);
        const auto name = io::display_name(input.spec);
        return parse_quota_spec(config::parse_document(text, name), name);
    }

    Build& build_;
    QuotaSpec spec_;
    std::unique_ptr<tokens::Tokenizer> tokenizer_;
    std::vector<Conversation> pool_;
    std::vector<RowGroup> groups_;
    std::unique_ptr<RowMaker> maker_;
    std::vector<FilledRow> rows_;
};

} // namespace slo::workload

#endif
