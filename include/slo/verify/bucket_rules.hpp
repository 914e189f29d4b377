// SPDX-License-Identifier: MIT
// Rules of token-length buckets: exact quotas, and no bucket in a cluster.

#ifndef SLO_VERIFY_BUCKET_RULES_HPP
#define SLO_VERIFY_BUCKET_RULES_HPP

#include <slo/verify/rule.hpp>
#include <slo/workload/buckets.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::verify {

using workload::Bucket;

/// The bucket of a row: by its tokens, counted or stored, else as its builder noted it (`model.bucket`);
/// empty where nothing tells.
inline std::string bucket_of(const Row& row, const std::vector<Bucket>& buckets)
{
    const auto tokens = row.prompt_tokens();
    if (tokens && !buckets.empty()) {
        const auto* bucket = workload::find_bucket(buckets, *tokens);
        return bucket ? bucket->name : std::string();
    }
    return std::string(string_at(row.model(), "bucket").value_or(""));
}

/// Each bucket has exactly its rows, and every row is in one.
class QuotasRule : public Rule {
public:
    explicit QuotasRule(std::vector<Bucket> buckets) : buckets_(std::move(buckets)) {}

    void look(const Row& row) override
    {
        const auto name = bucket_of(row, buckets_);
        const bool is_known = std::any_of(buckets_.begin(), buckets_.end(),
                                          [&](const Bucket& bucket) { return bucket.name == name; });
        if (is_known) {
            ++counts_[name];
            return;
        }
        report_.findings.add_lazily(row.line(), [&] {
            const auto tokens = row.prompt_tokens();
            return tokens ? std::to_string(*tokens) + " tokens are in no bucket"
                          : std::string("nothing says how many tokens the prompt has");
        });
    }

    RuleReport report() override
    {
        for (const auto& bucket : buckets_) {
            const auto rows = counts_[bucket.name];
            report_.figures[bucket.name] = rows;
            append(report_.expected, bucket.name, bucket.rows);
            append(report_.seen, bucket.name, rows);
            if (rows != bucket.rows)
                report_.findings.add("bucket " + bucket.name + " has " +
                                     counted(static_cast<std::uint64_t>(rows), "row") + ", not " +
                                     std::to_string(bucket.rows));
        }
        return std::move(report_);
    }

private:
    static void append(std::string& text, const std::string& name, std::int64_t rows)
    {
        text += (text.empty() ? "" : ", ") + name + " " + std::to_string(rows);
    }

    std::vector<Bucket> buckets_;
    std::map<std::string, std::int64_t> counts_;
    RuleReport report_;
};

/// No more than `limit` rows of one bucket stand next to each other. Rows of no bucket end a run; rows of
/// which nothing tells the bucket are findings.
class ClustersRule : public Rule {
public:
    ClustersRule(std::vector<Bucket> buckets, std::int64_t limit)
        : buckets_(std::move(buckets)), limit_(limit)
    {
    }

    void look(const Row& row) override
    {
        auto name = bucket_of(row, buckets_);
        if (name.empty() && (buckets_.empty() || !row.prompt_tokens()))
            report_.findings.add(row.line(), "nothing says in which bucket the prompt is");
        run_ = !name.empty() && name == name_ ? run_ + 1 : 1;
        name_ = std::move(name);
        if (name_.empty())
            return;
        longest_ = std::max(longest_, run_);
        if (run_ == limit_ + 1)
            report_.findings.add(row.line(), "more than " + std::to_string(limit_) + " rows of bucket " +
                                                 printable(name_, 40) + " in a row");
    }

    RuleReport report() override
    {
        report_.expected = "runs of one bucket of at most " + std::to_string(limit_);
        report_.seen = "the longest run has " + counted(static_cast<std::uint64_t>(longest_), "row");
        report_.figures["longest_run"] = longest_;
        return std::move(report_);
    }

private:
    std::vector<Bucket> buckets_;
    std::int64_t limit_;
    std::string name_;
    std::int64_t run_ = 0;
    std::int64_t longest_ = 0;
    RuleReport report_;
};

} // namespace slo::verify

#endif
