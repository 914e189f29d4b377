// SPDX-License-Identifier: MIT
// What there is to know of an engine's metrics; the engines themselves stand in engine_dialects.hpp.

#ifndef SLO_PLAN_ENGINE_DIALECT_HPP
#define SLO_PLAN_ENGINE_DIALECT_HPP

#include <span>
#include <string_view>

namespace slo::plan {

/// Which series of a family count: those whose `label` starts with `prefix`, or, where `keep` is false, the
/// others. Without a label all do.
struct SeriesRule {
    std::string_view label = {};
    std::string_view prefix = {};
    bool keep = true;
};

/// The counters of one prefix cache. Rows of the same layer are alternatives: the first that an engine has
/// counts, so that a deprecated twin is never added to its successor.
struct CacheNames {
    std::string_view layer;   ///< "local", "external" (behind a connector), "multimodal"
    std::string_view hits;    ///< names stand without "_total"
    std::string_view queries; ///< empty: hits + misses
    std::string_view misses = {};
    SeriesRule hits_rule = {};
    std::string_view source_label = {}; ///< label by which hits come apart
};

/// A metric by what it means. `names` are alternatives "a|b", the first that is there counts; "a+b" is a sum.
struct MetricNames {
    std::string_view what;
    std::string_view names;
    SeriesRule rule = {};
};

/// A counter of ended requests. `reason` where its series carry none, else the label that says it.
struct SuccessNames {
    std::string_view name;
    std::string_view label;
    std::string_view reason = {};
};

/// The counters of speculative decoding; per_position has one series a draft position.
struct SpecNames {
    std::string_view drafts, draft_tokens, accepted_tokens, per_position;
};

/// One engine. All of its names start with `mark`; where `signature` names metrics, one of them must be
/// there.
struct EngineDialect {
    std::string_view name;
    std::string_view mark;
    std::string_view signature = {};
    std::span<const CacheNames> caches = {};
    std::string_view rate_gauges = {};     ///< gauges that look like a hit rate
    std::string_view rate_gauges_are = {}; ///< and why the rate of a window can't be had from them
    std::span<const MetricNames> histograms = {};
    std::span<const MetricNames> gauges = {};
    std::span<const MetricNames> counters = {};
    std::span<const SuccessNames> success = {};
    SpecNames spec = {};
    std::string_view tokens_by_source = {}; ///< prompt tokens with a label "source"
    MetricNames block_tokens = {};          ///< a gauge, or the label "block_size" of an info metric
    std::string_view choices_n = {};        ///< histogram of the requests' parameter n
};

} // namespace slo::plan

#endif
