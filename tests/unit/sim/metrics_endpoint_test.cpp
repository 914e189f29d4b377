// SPDX-License-Identifier: MIT
#include <slo/sim/metrics_endpoint.hpp>
#define BOOST_TEST_MODULE sim_metrics_endpoint
#include <boost/test/unit_test.hpp>

#include <slo/base/error.hpp>
#include <slo/engine/named_profile.hpp>

#include <cmath>
#include <string>

using namespace slo;
using namespace slo::sim;

namespace {

struct NoListener : TokenListener {
    bool on_token(const engine::TokenEvent&) override { return false; }
    void on_step_end() override {}
};

MetricsOptions of_dialect(const std::string& name)
{
    MetricsOptions options;
    options.dialect = name;
    return options;
}

} // namespace

BOOST_AUTO_TEST_CASE(options_that_make_no_sense_are_refused)
{
    BOOST_TEST(of_dialect("sglang").checked().name == "sglang");
    BOOST_CHECK_THROW(of_dialect("triton").checked(), UsageError);
    auto options = of_dialect("vllm");
    options.restart_after_s = -1;
    BOOST_CHECK_THROW(options.checked(), UsageError);
    options = of_dialect("vllm");
    options.stall_s = std::nan("");
    BOOST_CHECK_THROW(options.checked(), UsageError);
    options = of_dialect("vllm");
    options.hidden = {""};
    BOOST_CHECK_THROW(options.checked(), UsageError);
}

BOOST_AUTO_TEST_CASE(tensorrt_llm_has_a_second_path)
{
    boost::asio::io_context context;
    NoListener listener;
    Pacer pacer(context, *engine::named_profile("small"), listener);
    const MetricsEndpoint vllm(context, of_dialect("vllm"), "m", pacer);
    const MetricsEndpoint trtllm(context, of_dialect("trtllm"), "m", pacer);
    BOOST_TEST(vllm.is_at("/metrics"));
    BOOST_TEST(!vllm.is_at("/prometheus/metrics"));
    BOOST_TEST(trtllm.is_at("/metrics"));
    BOOST_TEST(trtllm.is_at("/prometheus/metrics"));
    BOOST_TEST(!trtllm.is_at("/metrics/"));
}

BOOST_AUTO_TEST_CASE(a_restart_begins_counting_anew)
{
    boost::asio::io_context context;
    NoListener listener;
    Pacer pacer(context, *engine::named_profile("small"), listener);
    auto options = of_dialect("vllm");
    options.restart_after_s = 0;
    const MetricsEndpoint endpoint(context, options, "m", pacer);
    pacer.count_request({1, 1, 5, 0, engine::FinishReason::stop});
    BOOST_TEST(pacer.metrics().request_prompt_tokens == 5);
    context.run();
    BOOST_TEST(pacer.metrics().request_prompt_tokens == 0);
}
