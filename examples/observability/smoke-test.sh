#!/bin/bash
# Does the stack of compose.yaml measure? Makes all checks, prints a line for each, and says by its status whether any failed:
# 0 none, 1 some, 3 usage. A target that is down is a warning, an engine that is not running is none; one that runs must
# have histograms of its latencies.
#
#   PROMETHEUS_URL  http://localhost:9090    NODE_URL     http://localhost:9100
#   DCGM_URL        http://localhost:9400    ENGINE_URLS  http://localhost:8000 http://localhost:30000
#   GPUS            how many GPUs there must be (as many as nvidia-smi lists); 0: none, and DCGM is not looked at
set -u
(( $# == 0 )) || { echo "usage: smoke-test.sh (the environment says where; see its head)" >&2; exit 3; }
prometheus=${PROMETHEUS_URL:-http://localhost:9090}
failed=0
ok() { printf 'ok    %s\n' "$*"; }
warn() { printf 'warn  %s\n' "$*"; }
fail() { printf 'FAIL  %s\n' "$*"; failed=1; }
page() { curl -fsS --max-time 10 "$@" 2>&1; }
# The samples of the metric $1 in the page $2.
count() { grep -cE "^$1(\{| )" <<<"$2"; }

if answer=$(page "$prometheus/-/healthy"); then ok "Prometheus is healthy"; else fail "Prometheus: $answer"; fi

# Targets and rules, where there is somebody to ask.
if answer=$(page --get --data-urlencode 'query=up == 0' "$prometheus/api/v1/query"); then
  if [[ $answer != *'"status":"success"'* ]]; then
    fail "Prometheus does not say which targets are up"
  elif down=$(grep -oE '"instance":"[^"]*"' <<<"$answer" | cut -d'"' -f4 | sort | paste -sd' '); [[ $down ]]; then
    warn "down: $down"
  else
    ok "no target is down"
  fi
fi
if answer=$(page "$prometheus/api/v1/rules"); then
  if [[ $answer == *'"health":"err"'* ]]; then fail "a rule cannot be evaluated"
  elif [[ $answer == *'"name":"doubts"'* ]]; then ok "the rules are loaded"
  else warn "the rules of rules.yml are not loaded"; fi
fi

gpus=${GPUS:-$(nvidia-smi -L 2>/dev/null | grep -c '^GPU ')}
if [[ ! $gpus =~ ^[0-9]{1,4}$ ]]; then
  fail "GPUS: not a number: $gpus"
elif [[ ${GPUS:-} == 0 ]]; then
  ok "no GPU is expected"
elif (( gpus == 0 )); then
  fail "nvidia-smi lists no GPU (GPUS=0 where there is none)"
elif answer=$(page "${DCGM_URL:-http://localhost:9400}/metrics"); then
  seen=$(count DCGM_FI_DEV_GPU_UTIL "$answer")
  if (( seen >= gpus )); then ok "DCGM tells of $seen GPUs"; else fail "DCGM tells of $seen GPUs, there are $gpus"; fi
else
  fail "DCGM exporter: $answer"
fi

if ! answer=$(page "${NODE_URL:-http://localhost:9100}/metrics"); then
  fail "node exporter: $answer"
elif (( $(count node_cpu_seconds_total "$answer") == 0 )); then
  fail "node exporter: no node_cpu_seconds_total"
else
  ok "node exporter tells of the machine"
  if (( $(count sloutils_replay_run_info "$answer") )); then ok "and of a run of replay"; fi
fi

for url in ${ENGINE_URLS:-http://localhost:8000 http://localhost:30000}; do
  if ! answer=$(page "$url/metrics"); then
    warn "no engine at $url"
  elif grep -qE '^(vllm|sglang):(time_to_first_token|(request_time_per_output_token|time_per_output_token|inter_token_latency)|e2e_request_latency)_seconds_bucket\{' <<<"$answer"; then
    ok "the engine at $url has histograms of its latencies"
  else
    fail "the engine at $url has no histogram of a latency"
  fi
done
exit "$failed"
