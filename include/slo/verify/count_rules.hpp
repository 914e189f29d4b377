// SPDX-License-Identifier: MIT
// Rules of numbers of rows: enough for a run, for each shard of it, and for a sample.

#ifndef SLO_VERIFY_COUNT_RULES_HPP
#define SLO_VERIFY_COUNT_RULES_HPP

#include <slo/base/error.hpp>
#include <slo/plan/sampling.hpp>
#include <slo/plan/shard_filter.hpp>
#include <slo/stats/schedule.hpp>
#include <slo/verify/rule.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::verify {

/// A run at a constant rate.
struct RunPlan {
    double qps = 0;
    int rounds = 0;
    std::int64_t round_s = 0;

    /// "QPS,ROUNDS,SECONDS". Throws UsageError.
    static RunPlan parse(std::string_view text)
    {
        RunPlan plan;
        const auto first = text.find(',');
        const auto second = first == std::string_view::npos ? first : text.find(',', first + 1);
        if (second != std::string_view::npos) {
            plan.qps = parse_double(text.substr(0, first)).value_or(0);
            plan.rounds = parse_integer<int>(text.substr(first + 1, second - first - 1)).value_or(0);
            plan.round_s = parse_integer<std::int64_t>(text.substr(second + 1)).value_or(0);
        }
        // What replay takes for --max-rounds and --round-duration.
        if (!(plan.qps > 0) || plan.rounds < 1 || plan.rounds > 1'000'000 || plan.round_s < 1 ||
            plan.round_s > 10'000'000)
            throw UsageError("--for-run", "wants QPS,ROUNDS,SECONDS, each above 0: at most 1000000 rounds of "
                                          "at most 10000000 whole seconds");
        return plan;
    }

    /// Rows that replay sends in such a run at most: one round goes on into the next. Throws UsageError above
    /// 10⁹.
    std::uint64_t rows() const
    {
        return stats::Schedule::constant(qps, static_cast<double>(round_s), rounds).size();
    }
};

/// There are at least so many rows, and at least one.
class RowsRule : public Rule {
public:
    explicit RowsRule(std::uint64_t needed) : needed_(std::max<std::uint64_t>(needed, 1)) {}

    void look(const Row&) override { ++rows_; }

    RuleReport report() override
    {
        report_.expected = "at least " + counted(needed_, "row");
        report_.seen = counted(rows_, "row");
        if (rows_ >= needed_)
            return std::move(report_);
        report_.findings.add(rows_ == 0 ? "the route is empty"
                                        : counted(needed_ - rows_, "row") +
                                              " missing: " + counted((needed_ - 1) / rows_ + 1, "cycle") +
                                              " of it would do");
        return std::move(report_);
    }

private:
    std::uint64_t needed_;
    std::uint64_t rows_ = 0;
    RuleReport report_;
};

/// Every shard of a run gets its share of the rows: off 1/N by at most `tolerance` of it.
class ShardsRule : public Rule {
public:
    ShardsRule(std::uint32_t count, double tolerance) : rows_(count), tolerance_(tolerance) {}

    void look(const Row& row) override
    {
        without_ += row.conv_id().empty();
        ++rows_[plan::shard_of(row.conv_id(), row.line(), static_cast<std::uint32_t>(rows_.size()))];
        ++total_;
    }

    RuleReport report() override
    {
        const double even = static_cast<double>(total_) / static_cast<double>(rows_.size());
        const auto [least, most] = std::minmax_element(rows_.begin(), rows_.end());
        report_.expected = "shards of " + format_fixed(even, 1) + " rows, off by at most " +
                           format_fixed(tolerance_ * 100, 1) + " %";
        report_.seen = "shards of " + std::to_string(*least) + " to " + counted(*most, "row");
        json::array shares;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            shares.emplace_back(rows_[i]);
            if (std::abs(static_cast<double>(rows_[i]) - even) > tolerance_ * even)
                report_.findings.add("shard " + std::to_string(i) + " of " + std::to_string(rows_.size()) +
                                     " has " + counted(rows_[i], "row"));
        }
        report_.figures["rows"] = std::move(shares);
        report_.figures["rows_without_conversation"] = without_;
        return std::move(report_);
    }

private:
    std::vector<std::uint64_t> rows_;
    double tolerance_;
    std::uint64_t total_ = 0;
    std::uint64_t without_ = 0;
    RuleReport report_;
};

/// A sample of the conversations has its share of the rows, off by at most `tolerance` of it, and rows
/// enough.
class SampleRule : public Rule {
public:
    SampleRule(double start, double end, double tolerance, std::uint64_t needed)
        : range_(start, end), share_(end - start), tolerance_(tolerance), needed_(needed)
    {
    }

    void look(const Row& row) override
    {
        kept_ += range_.keeps(row.conv_id());
        ++total_;
    }

    RuleReport report() override
    {
        const double seen_share = total_ == 0 ? 0 : static_cast<double>(kept_) / static_cast<double>(total_);
        report_.expected = format_fixed(share_ * 100, 2) + " % of the rows, off by at most " +
                           format_fixed(tolerance_ * 100, 1) + " % of that";
        if (needed_ > 0)
            report_.expected += ", and at least " + counted(needed_, "row");
        report_.seen = counted(kept_, "row") + ", " + format_fixed(seen_share * 100, 2) + " %";
        report_.figures["rows"] = kept_;
        report_.figures["share"] = seen_share;
        if (std::abs(seen_share - share_) > tolerance_ * share_)
            report_.findings.add("the sample has " + report_.seen);
        else if (kept_ < needed_)
            report_.findings.add(counted(needed_ - kept_, "row") + " missing in the sample");
        return std::move(report_);
    }

private:
    plan::SampleRange range_;
    double share_;
    double tolerance_;
    std::uint64_t needed_;
    std::uint64_t kept_ = 0;
    std::uint64_t total_ = 0;
    RuleReport report_;
};

} // namespace slo::verify

#endif
