#!/bin/bash
# One probe of a running inference server at QPS requests per second: metrics, load, metrics, verdict.
# Prints what the metrics say, then the verdict, each as one line of JSON; the status is that of rounds-analyze:
# 0 pass, 1 fail, 2 no verdict, 3 error.
# Made for   bisect --low 4 --high 8 -- examples/probe.sh {qps}
#
#   API_BASE        the server's API (http://127.0.0.1:8000/v1)   MODEL  the model's name there
#   ROUTE           requests to replay, JSON Lines (route.jsonl)  OUT    folder for what was measured (results)
#   ROUND_DURATION  seconds of a round (30)                       METRICS_URL  (API_BASE without /v1, with /metrics)
#   SLO_SLO, SLO_TOTAL_ROUNDS, SLO_TAIL_WINDOW   set by bisect (6.5, 8, 4)
#   REPLAY_OPTIONS, ANALYZE_OPTIONS, DIFF_OPTIONS  further options of replay, rounds-analyze and prom-diff, in words
#   OPENAI_API_KEY  if the server wants one
set -u
qps=${1:-}
[[ $qps =~ ^[0-9]+(\.[0-9]+)?$ ]] || { echo "usage: probe.sh QPS" >&2; exit 3; }
api_base=${API_BASE:-http://127.0.0.1:8000/v1}
metrics_url=${METRICS_URL:-${api_base%/v1}/metrics}
slo=${SLO_SLO:-6.5} rounds=${SLO_TOTAL_ROUNDS:-8} tail_window=${SLO_TAIL_WINDOW:-4}
at=${OUT:-results}/qps_$qps
mkdir -p "${OUT:-results}" || exit 3

# Metrics are worth having but no reason to fail. A saturated server is slow to tell them: three tries of 20 seconds.
snapshot() { rm -f "$at.$1.prom"; prom-snap --url "$metrics_url" --timeout 20 --retry 2 -o "$at.$1.prom"; }
diff_metrics() {
  [[ -e $at.before.prom && -e $at.after.prom ]] || return
  prom-diff "$at.before.prom" "$at.after.prom" --rounds "$at.rounds.jsonl" ${DIFF_OPTIONS:-} >"$at.diff.json"
  cat "$at.diff.json"
}

# Sets status (of replay, of tee, of rounds-analyze) and leaves the records and the verdict in files.
measure() {
  snapshot before
  replay --input "${ROUTE:-route.jsonl}" --api-base "$api_base" --model "${MODEL:-default}" --use-chat \
    --replay-mode qps --target-qps "$qps" --continuous-qps-window --round-duration "${ROUND_DURATION:-30}" \
    --max-rounds "$rounds" --preselected-route --e2e-slo "$slo" --disable-min-p \
    --progress none ${REPLAY_OPTIONS:-} |
    tee "$at.rounds.jsonl" |
    rounds-analyze --total-rounds "$rounds" --tail-window "$tail_window" --slo "$slo" ${ANALYZE_OPTIONS:-} >"$at.verdict.json"
  status=("${PIPESTATUS[@]}")
}

measure
# A whole run without a verdict is one that this machine spoilt: it deserves a second chance.
(( status[0] == 0 && status[2] == 2 )) && measure
snapshot after

# An error of the client, or its death, is no verdict about the server, nor is a run cut short, unless it failed anyway.
(( status[0] <= 2 )) || exit "${status[0]}"
(( status[1] == 0 && (status[0] < 2 || status[2] == 1) )) || exit 3
diff_metrics
verdict=$(<"$at.verdict.json")
[[ $verdict != "{"* ]] || printf '{"qps":%s,%s\n' "$qps" "${verdict#\{}"
exit "${status[2]}"
