// SPDX-License-Identifier: MIT
// Keeps what a run hands on: each window with the requests that were due in it.

#ifndef SLO_TESTS_SUPPORT_GATHERED_RUN_HPP
#define SLO_TESTS_SUPPORT_GATHERED_RUN_HPP

#include <slo/run/run_sink.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace slo::test {

struct GatheredWindow {
    record::RoundWindow window;
    std::vector<record::Request> requests; // in the order in which they ended
    run::ClientWindow client;
};

class GatheredRun final : public run::RunSink {
public:
    void requests(std::vector<record::Request>&& batch) override
    {
        for (auto& request : batch)
            ended_.push_back(std::move(request));
        ++batches;
    }

    void window(run::LaneWindow&& lane) override
    {
        const auto others = std::stable_partition(ended_.begin(), ended_.end(), [&](const auto& request) {
            return request.round == lane.window.number;
        });
        windows.push_back({std::move(lane.window), {}, std::move(lane.client)});
        std::move(ended_.begin(), others, std::back_inserter(windows.back().requests));
        ended_.erase(ended_.begin(), others);
    }

    void end() override {}

    // Handed on, of windows that are not over.
    std::size_t waiting() const { return ended_.size(); }

    std::vector<GatheredWindow> windows;
    int batches = 0;

private:
    std::vector<record::Request> ended_;
};

} // namespace slo::test

#endif
