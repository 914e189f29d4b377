// SPDX-License-Identifier: MIT
// What a replay is asked to do, as it is given.

#ifndef SLO_RUN_REPLAY_OPTIONS_HPP
#define SLO_RUN_REPLAY_OPTIONS_HPP

#include <slo/net/http.hpp>
#include <slo/plan/request_body.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slo::run {

/// The options of a replay as they are given.
struct ReplayOptions {
    std::string input;
    std::vector<std::string> files;
    std::string ts_unit;
    bool skip_bad = false;
    std::array<double, 2> sample_range{0, 1};
    bool preselected_route = false;

    std::string api_base = "http://localhost:8080/api/v1";
    std::string api_key;
    std::string api_key_file;
    std::vector<std::string> headers; ///< "Name: value"
    bool trace_context = false;
    std::string transport = "auto";
    bool http2 = false;
    net::TlsOptions tls;
    bool no_connect_check = false;
    double connect_timeout_s = 30;
    std::optional<double> first_token_timeout_s;
    double request_timeout_s = 600;
    bool retry_429 = false;

    std::string model = "Nitral-AI/Captain-Eris_Violet-V0.420-12B";
    bool use_chat = false;
    std::string endpoint;
    bool no_stream = false;
    bool pass_body = false;
    plan::Sampling sampling;
    bool disable_min_p = false;
    bool prefer_log_body = true;
    bool forward_kv_evict = false;
    std::string extra_body_json = "null";
    bool omit_none_extra_body = false;

    std::string replay_mode = "timestamp";
    std::optional<double> target_qps;
    std::string arrival;
    std::optional<double> burstiness;
    std::optional<double> ramp_to;
    std::optional<double> speed;
    std::optional<int> concurrency;
    std::optional<int> max_in_flight;
    bool loop_route = false;
    std::int64_t round_duration_s = 60;
    std::int64_t round_drain_timeout_s = 300;
    std::optional<int> max_rounds;
    bool continuous_qps_window = false;
    bool serialize_conversations = false;
    std::int64_t preload_time_s = 2;
    std::optional<std::uint64_t> seed;
    std::optional<double> start_at;
    std::string shard;
    int threads = 1;
    bool realtime = false;
    double expected_latency_s = 1;
    bool abort_on_runaway = false;
    bool until_decided = false;

    std::optional<double> e2e_slo_s;
    std::optional<std::int64_t> ttft_slo_ms;
    std::optional<std::int64_t> tpot_slo_ms;
    std::vector<std::string> objectives;
    std::string latency_basis = "due";

    std::string json_output;
    std::string requests_out;
    std::string detailed_logs;
    std::string summary_format;
    std::string prom_textfile;
    std::string schedule_out;
    std::string progress = "auto";
    bool quiet = false;
    bool verbose = false;
};

} // namespace slo::run

#endif
