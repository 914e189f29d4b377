// SPDX-License-Identifier: MIT
// The option table of replay.

#ifndef SLO_TOOLS_REPLAY_OPTIONS_HPP
#define SLO_TOOLS_REPLAY_OPTIONS_HPP

#include <slo/cli/options.hpp>
#include <slo/run/replay_options.hpp>

namespace slo {

inline void describe_replay(cli::OptionTable& table, run::ReplayOptions& o)
{
    table.positional(o.files);
    table.section("Route");
    table.add("input,i", o.input, "ROUTE", "file to replay, - for stdin; the same as the argument");
    table.add("ts-unit", o.ts_unit, "UNIT",
              "unit of the timestamps: s, ms, us or ns (told by their magnitude)");
    table.flag("skip-bad", o.skip_bad, "skip and count malformed rows");
    table.add_pair("sample-range", o.sample_range, "START END",
                   "take conversations whose hash is in [START, END)");
    table.flag("preselected-route", o.preselected_route, "take every row; excludes --sample-range");
    table.add("preload-time,p", o.preload_time_s, "SECONDS",
              "accepted, without effect: the whole route is read first");

    table.section("Service");
    table.add("api-base", o.api_base, "URL", "base of the API, up to and with /v1");
    table.add("api-key", o.api_key, "KEY", "bearer token (OPENAI_API_KEY)");
    table.add("api-key-file", o.api_key_file, "FILE", "read the bearer token from the first line of FILE");
    table.add_repeatable("header,H", o.headers, "\"NAME: VALUE\"", "a further header of every request");
    table.flag("trace-context", o.trace_context, "send a W3C traceparent header with every request");
    table.add("transport", o.transport, "NAME", "auto, curl or plain (only http, and the fastest)");
    table.flag("http2", o.http2, "HTTP/2: many requests on one connection");
    table.add("ca-file", o.tls.ca_file, "FILE", "authorities to trust instead of the system's (PEM)");
    table.add("client-cert", o.tls.cert_file, "FILE", "certificate to show to the server (PEM)");
    table.add("client-key", o.tls.key_file, "FILE", "its key, where that is not in the same file");
    table.flag("insecure", o.tls.insecure, "take any certificate of the server");
    table.flag("no-connect-check", o.no_connect_check, "do not try a connection before the run");
    table.add("connect-timeout", o.connect_timeout_s, "SECONDS", "longest time to connect");
    table.add("first-token-timeout", o.first_token_timeout_s, "SECONDS",
              "longest time from sending to the first token");
    table.add("request-timeout", o.request_timeout_s, "SECONDS",
              "longest time from sending to the end of an answer");
    table.flag("retry-429", o.retry_429,
               "send again what was refused for now, after the time of Retry-After");

    table.section("Requests");
    table.add("model", o.model, "NAME", "model to ask for");
    table.flag("use-chat", o.use_chat, "use /chat/completions, else /completions");
    table.add("endpoint", o.endpoint, "NAME", "completions, chat or responses (what --use-chat says)");
    table.flag("no-stream", o.no_stream, "ask for whole answers, not for streams");
    table.flag("pass-body", o.pass_body, "send all other members of a row's body, too");
    table.add("max-tokens", o.sampling.max_tokens, "COUNT", "output tokens of a row that does not say");
    table.add("temperature", o.sampling.temperature, "VALUE", "likewise");
    table.add("top-p", o.sampling.top_p, "VALUE", "likewise");
    table.add("top-k", o.sampling.top_k, "COUNT", "likewise");
    table.add("min-p", o.sampling.min_p, "VALUE",
              "likewise; sent if a request before the run shows that it is taken");
    table.add("frequency-penalty", o.sampling.frequency_penalty, "VALUE", "likewise");
    table.add("presence-penalty", o.sampling.presence_penalty, "VALUE", "likewise");
    table.add("repetition-penalty", o.sampling.repetition_penalty, "VALUE", "likewise");
    table.flag("disable-min-p", o.disable_min_p, "neither try nor send min_p");
    table.toggle("prefer-log-body", o.prefer_log_body, "sampling values of a row win over the options above");
    table.flag("forward-kv-evict", o.forward_kv_evict, "pass on the boolean enable_kv_evict of a row");
    table.add("extra-body-json", o.extra_body_json, "JSON",
              "object merged into every request body, over all else");
    table.flag("omit-none-extra-body", o.omit_none_extra_body, "do not send the nulls of --extra-body-json");

    table.section("Load");
    table.add("replay-mode", o.replay_mode, "MODE", "timestamp: as recorded; qps: at a rate");
    table.add("target-qps", o.target_qps, "RATE", "requests per second with --replay-mode qps (1)");
    table.add("arrival", o.arrival, "PROCESS", "of that rate: constant, poisson, gamma or ramp (constant)");
    table.add("burstiness", o.burstiness, "SHAPE", "of --arrival gamma: 1 is Poisson, less is burstier");
    table.add("ramp-to", o.ramp_to, "RATE", "of --arrival ramp: the rate at the end");
    table.add("speed", o.speed, "FACTOR", "of --replay-mode timestamp: so many times as fast");
    table.add("concurrency", o.concurrency, "COUNT",
              "a closed loop: so many users, each with one request at a time");
    table.add("max-in-flight", o.max_in_flight, "COUNT", "let due requests wait while so many are under way");
    table.flag("loop-route", o.loop_route, "begin the route anew when it has ended");
    table.add("round-duration", o.round_duration_s, "SECONDS", "length of a round");
    table.add("max-rounds", o.max_rounds, "COUNT", "end after so many rounds");
    table.flag("continuous-qps-window", o.continuous_qps_window,
               "rounds follow each other without a drain between");
    table.add("round-drain-timeout", o.round_drain_timeout_s, "SECONDS",
              "longest wait for answers at the end of a load");
    table.flag("serialize-conversations", o.serialize_conversations,
               "a request waits for the one before in its conversation");
    table.flag("abort-on-runaway", o.abort_on_runaway, "end a run in which latency grows without bound");
    table.flag("until-decided", o.until_decided,
               "end in order when the reader of the rounds goes away: it has what it needs");
    table.add("seed", o.seed, "NUMBER", "makes request ids and random arrivals reproducible (random)");
    table.add("start-at", o.start_at, "EPOCH", "start at this moment, in seconds since 1970");
    table.add("threads", o.threads, "COUNT", "event loops that share the conversations");
    table.add("expected-latency", o.expected_latency_s, "SECONDS",
              "to tell before the run whether descriptors and ports suffice; an --e2e-slo wins");
    table.flag("realtime", o.realtime, "ask the system to run the client before all ordinary processes");
    table.add("shard", o.shard, "I/N", "send only part I, from 0, of N parts of the route");

    table.section("Objectives");
    table.add("e2e-slo", o.e2e_slo_s, "SECONDS", "report the share of requests with at most this latency");
    table.add("ttft-slo", o.ttft_slo_ms, "MS", "the same for the time to the first token");
    table.add("tpot-slo", o.tpot_slo_ms, "MS", "the same for the time per output token");
    table.add_repeatable("objective", o.objectives, "OBJECTIVE",
                         "count who meets it, such as 'ttft:p99<0.8' or 'success>=99%'");
    table.add("latency-basis", o.latency_basis, "MOMENT", "count latencies from due or from send");

    table.section("Output");
    table.add("json-output", o.json_output, "FILE",
              "append the round records to FILE instead of printing them");
    table.add("requests-out", o.requests_out, "FILE", "write a record of each request to FILE");
    table.add("as", o.summary_format, "FORMAT",
              "print one summary of the run: vllm, sglang, aiperf or guidellm");
    table.add("prom-textfile", o.prom_textfile, "FILE", "keep metrics for node_exporter in FILE");
    table.add("schedule-out", o.schedule_out, "FILE", "write when each request is due to FILE");
    table.add("detailed-logs", o.detailed_logs, "DIR/", "write a CSV of the successful requests into DIR");
    table.add("progress", o.progress, "HOW", "auto, bar, plain or none");
    table.flag("quiet,q", o.quiet, "nothing but errors on stderr");
    table.flag("verbose", o.verbose, "say more on stderr");
}

} // namespace slo

#endif
