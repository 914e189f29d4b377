// SPDX-License-Identifier: MIT
// A workload by quotas or by boundary categories, as a spec file says it.

#ifndef SLO_WORKLOAD_QUOTA_SPEC_HPP
#define SLO_WORKLOAD_QUOTA_SPEC_HPP

#include <slo/base/json.hpp>
#include <slo/config/document.hpp>
#include <slo/config/section.hpp>
#include <slo/io/fd.hpp>
#include <slo/workload/boundary_spec.hpp>
#include <slo/workload/buckets.hpp>
#include <slo/workload/prompt_spec.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::workload {

/// A whole spec file.
struct QuotaSpec {
    std::string kind; ///< "quota" or "boundary"
    std::string name;
    std::string id_prefix;
    std::size_t id_digits = 0; ///< at least so many digits, zeros in front
    std::int64_t first_ts = 0;
    std::int64_t ts_step = 1;
    std::int64_t shuffle_seed = 0;
    std::int64_t longest_run = 0;   ///< rows of one bucket next to each other; 0: any number
    std::int64_t max_model_len = 0; ///< tokens that prompt and answer may have together
    std::int64_t block_tokens = 16; ///< of the prefix cache; no two prompts begin with the same block
    PromptSpec prompt;
    std::vector<Bucket> buckets;      ///< with rows in a quota spec, bounds alone in a boundary spec
    std::vector<Category> categories; ///< of a boundary spec
    json::object body;                ///< all members of a request's body but the prompt
    std::string parse_mode;           ///< how a client reads the answers, for the record; may be empty
    std::string
        prefix_reuse_source; ///< what of a prompt is in the cache already, for the record; may be empty

    /// Rows of the whole workload.
    std::int64_t rows() const noexcept
    {
        std::int64_t sum = 0;
        for (const auto& bucket : buckets)
            sum += bucket.rows;
        for (const auto& category : categories)
            sum += category.rows;
        return sum;
    }

    /// Tokens that an answer may have; 0 when the body does not say.
    std::int64_t answer_tokens() const
    {
        return integer_at(body, "max_tokens").value_or(integer_at(body, "max_completion_tokens").value_or(0));
    }

    /// Answers to each request.
    std::int64_t n() const { return integer_at(body, "n").value_or(1); }

    /// The id of row `number`, counted from 1.
    std::string id(std::int64_t number) const
    {
        const auto digits = std::to_string(number);
        return id_prefix + std::string(id_digits - std::min(id_digits, digits.size()), '0') + digits;
    }
};

namespace detail {

class QuotaSpecReader {
public:
    QuotaSpecReader(const json::object& document, const std::string& name) : top_(document, name) {}

    QuotaSpec read()
    {
        spec_.kind = top_.text("kind");
        if (spec_.kind != "quota" && spec_.kind != "boundary")
            throw top_.error("kind", "is neither quota nor boundary");
        spec_.name = top_.text("name");
        read_frame();
        spec_.prompt = read_prompt_spec(top_.section("prompt"));
        read_body();
        read_buckets();
        if (spec_.kind == "boundary")
            read_categories();
        else
            read_order();
        if (top_.has("record")) {
            auto record = top_.section("record");
            spec_.parse_mode = record.text("parse_mode", "");
            spec_.prefix_reuse_source = record.text("prefix_reuse_source", "");
            record.finish();
        }
        top_.finish();
        return std::move(spec_);
    }

private:
    static constexpr std::int64_t most_tokens = 100'000'000;
    static constexpr std::int64_t most_rows = 10'000'000;

    void read_frame()
    {
        spec_.id_prefix = top_.text("ids");
        while (spec_.id_prefix.ends_with('N')) {
            spec_.id_prefix.pop_back();
            ++spec_.id_digits;
        }
        if (spec_.id_digits == 0 || spec_.id_digits > 18)
            throw top_.error("ids", "does not end in 1 to 18 N, the places of the row's number");
        auto ts = top_.section("ts");
        spec_.first_ts = ts.integer("first", 0, std::int64_t{1} << 62);
        spec_.ts_step = ts.integer("step", 0, std::int64_t{1} << 32, 1);
        ts.finish();
        auto context = top_.section("context");
        spec_.max_model_len = context.integer("max_model_len", 1, most_tokens);
        spec_.block_tokens = context.integer("block_tokens", 1, 65536, 16);
        context.finish();
    }

    void read_body()
    {
        const auto* body = top_.value("body");
        if (!body || !body->is_object())
            throw top_.error("body", body ? "is no mapping" : "is missing");
        spec_.body = body->get_object();
        for (const auto* name : {"prompt", "messages"})
            if (spec_.body.contains(name))
                throw top_.error("body", std::string("has a ") + name + ", which the pool gives");
        for (const auto* name : {"n", "max_tokens", "max_completion_tokens"}) {
            const auto* number = find(spec_.body, name);
            if (number &&
                (!number->is_int64() || number->get_int64() < 1 || number->get_int64() > most_tokens))
                throw top_.error("body", std::string(name) + " is no whole number above 0");
        }
    }

    void read_buckets()
    {
        const bool with_rows = spec_.kind == "quota";
        std::set<std::string> names;
        std::int64_t from = 0;
        for (auto& section : top_.sections("buckets")) {
            Bucket bucket;
            bucket.name = section.text("name");
            if (!names.insert(bucket.name).second)
                throw section.error("name", "stands twice");
            bucket.from = section.integer("from", from, most_tokens, from);
            bucket.below = section.integer("below", bucket.from + 1, most_tokens);
            if (with_rows) {
                bucket.rows = section.integer("rows", 0, most_rows);
                if (!spec_.prompt.spread || section.has("target"))
                    bucket.target = section.integer("target", bucket.from, bucket.below - 1);
                check_context(section, spec_.prompt.spread ? bucket.below - 1 : bucket.target);
            }
            section.finish();
            from = bucket.below;
            spec_.buckets.push_back(std::move(bucket));
        }
        if (spec_.buckets.empty())
            throw top_.error("buckets", "is missing");
        if (with_rows && (spec_.rows() == 0 || spec_.rows() > most_rows))
            throw top_.error("buckets", "have no row, or more than ten million");
    }

    void check_context(config::Section& section, std::int64_t prompt_tokens) const
    {
        if (prompt_tokens + spec_.answer_tokens() > spec_.max_model_len)
            throw section.error("target", std::to_string(prompt_tokens) + " tokens and an answer of " +
                                              std::to_string(spec_.answer_tokens()) +
                                              " are more than context.max_model_len");
    }

    void read_categories()
    {
        std::set<std::string> names;
        for (auto& section : top_.sections("categories")) {
            auto category = read_category(section);
            if (!names.insert(category.name).second)
                throw section.error("name", "stands twice");
            check_context(section, category.target);
            if (!find_bucket(spec_.buckets, category.target))
                throw section.error("target", "is in no bucket");
            const auto& entries = spec_.prompt.entries;
            if (!category.entry.empty() &&
                std::none_of(entries.begin(), entries.end(),
                             [&](const auto& entry) { return entry.name == category.entry; }))
                throw section.error("entry", "is not among prompt.entries");
            spec_.categories.push_back(std::move(category));
        }
        if (spec_.categories.empty() || spec_.rows() > most_rows)
            throw top_.error("categories", "have no row, or more than ten million");
    }

    void read_order()
    {
        if (!top_.has("order"))
            return;
        auto order = top_.section("order");
        spec_.shuffle_seed = order.integer("shuffle_seed", 0, std::int64_t{1} << 62, 0);
        spec_.longest_run = order.integer("longest_run", 0, most_rows, 0);
        order.finish();
    }

    config::Section top_;
    QuotaSpec spec_;
};

} // namespace detail

/// The spec of a document whose name stands in messages. All of it is checked, and a name that is not
/// known is refused. Throws InputError.
inline QuotaSpec parse_quota_spec(const json::object& document, const std::string& name)
{
    return detail::QuotaSpecReader(document, name).read();
}

/// The same of a file ("-" is stdin). Throws IoError, InputError.
inline QuotaSpec read_quota_spec(const std::string& path)
{
    const auto document = config::load_document(path);
    return parse_quota_spec(document, io::display_name(path));
}

} // namespace slo::workload

#endif
