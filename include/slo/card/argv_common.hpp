// SPDX-License-Identifier: MIT
// What the command lines of all tools need: names of files, the interface of the service, seeds.

#ifndef SLO_CARD_ARGV_COMMON_HPP
#define SLO_CARD_ARGV_COMMON_HPP

#include <slo/base/error.hpp>
#include <slo/card/card_view.hpp>
#include <slo/card/compiled_plan.hpp>
#include <slo/card/dataset_workload.hpp>
#include <slo/card/load_steps.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::card {

/// The interface that is asked.
struct Api {
    bool chat = true;
    bool streaming = true;
    std::string base = "/v1"; ///< the path before /chat/completions
    std::string path() const { return base + (chat ? "/chat/completions" : "/completions"); }
};

/// What a card says of the interface; a chat where it says nothing.
inline Api read_api(CardView& card)
{
    Api api;
    const auto type = card.text("api.type").value_or("chat");
    api.chat = type != "completions";
    if (type != "chat" && type != "completions")
        card.lose("api.type", "chat and completions can be asked");
    const auto* streaming = card.get("api.streaming");
    api.streaming = !streaming || *streaming != json::value(false);
    if (const auto endpoint = card.text("api.endpoint")) {
        const std::string tail = api.chat ? "/chat/completions" : "/completions";
        if (endpoint->ends_with(tail))
            api.base = endpoint->substr(0, endpoint->size() - tail.size());
        else
            card.lose("api.endpoint", "does not end in " + tail);
    }
    return api;
}

/// The service's address without a slash at its end and without /v1. Throws UsageError where it is no
/// address, or one with a password, which would stand in every record.
inline std::string service_url(std::string url)
{
    if (!url.starts_with("http://") && !url.starts_with("https://"))
        throw UsageError("--base-url", "must begin with http:// or https://");
    const auto host = url.find("://") + 3;
    const auto authority = url.substr(host, url.find('/', host) - host);
    if (authority.empty() || authority.find('@') != std::string::npos)
        throw UsageError("--base-url", authority.empty()
                                           ? "has no host"
                                           : "holds a user or a password, which every record would show: set "
                                             "OPENAI_API_KEY in the environment instead");
    while (url.ends_with('/'))
        url.pop_back();
    return url.ends_with("/v1") ? url.substr(0, url.size() - 3) : url;
}

/// Names the files of steps: label and kind, made fit for a file system, and none twice.
class StepNames {
public:
    explicit StepNames(std::string prefix) : prefix_(std::move(prefix)) {}

    /// Begins another step.
    void begin(const std::string& label)
    {
        constexpr std::size_t longest = 100;
        std::string safe;
        for (const char c : label.substr(0, longest)) {
            const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                               c == '.' || c == '_' || c == '-';
            safe += plain ? c : '_';
        }
        name_ = safe;
        for (int copy = 2; !used_.insert(name_).second; ++copy)
            name_ = safe + "-" + std::to_string(copy);
    }

    /// "route-qps2.0.jsonl" for the step that was begun last.
    std::string file(std::string_view kind, std::string_view extension = "jsonl") const
    {
        return prefix_ + std::string(kind) + "-" + name_ + "." + std::string(extension);
    }

private:
    std::string prefix_;
    std::string name_;
    std::set<std::string> used_;
};

/// What a tool's command line for one step is made of.
struct StepContext {
    const Workload& workload;
    const LoadStep& load;
    const Target& target; ///< its address as service_url() gives it, its model filled in
    const Api& api;
    const StepNames& names;
    std::int64_t seed;
    std::int64_t max_model_len; ///< tokens; 0: not known
};

/// The windows of a run.
struct Windows {
    std::int64_t count = 1;
    std::int64_t length_s = 1;

    std::int64_t total_s() const noexcept { return count * length_s; }
};

/// Eight windows or so of whole seconds that hold `duration_s` and as little more as can be: a verdict needs
/// some, and the shorter they are the less each says.
inline Windows windows_of(double duration_s)
{
    constexpr std::int64_t fewest = 5;
    constexpr std::int64_t wanted = 8;
    constexpr std::int64_t most = 12;
    const auto seconds = static_cast<std::int64_t>(std::ceil(duration_s - 1e-9));
    Windows best{std::max<std::int64_t>(seconds, 1), 1};
    auto least_cost = std::numeric_limits<std::int64_t>::max();
    for (auto count = most; count >= fewest && seconds > most; --count) {
        const Windows windows{count, (seconds + count - 1) / count};
        const auto cost = (windows.total_s() - seconds) * most + std::abs(count - wanted);
        if (cost < least_cost) {
            least_cost = cost;
            best = windows;
        }
    }
    return best;
}

/// Adds words to a command line.
inline void append(Argv& argv, std::vector<std::string> words)
{
    for (auto& word : words)
        argv.push_back(std::move(word));
}

/// n prompts spread over so many groups, rounded up.
inline std::int64_t prompts_per_group(std::int64_t prompts, std::int64_t groups) noexcept
{
    return groups < 1 ? prompts : (prompts + groups - 1) / groups;
}

} // namespace slo::card

#endif
