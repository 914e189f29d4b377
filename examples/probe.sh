#!/bin/bash
# One probe of a running inference server at QPS requests per second: metrics, load, metrics, verdict.
# Prints what the metrics say, then the verdict, each as one line of JSON; the status is that of rounds-analyze:
# 0 pass, 1 fail, 2 no verdict, 3 error.
# Made for   bisect --low 4 --high 8 -- examples/probe.sh {qps}
#
#   API_BASE        the server's API (http://127.0.0.1:8000/v1)   MODEL  the model's name there
#   ROUTE           requests to replay, JSON Lines (route.jsonl)  OUT    folder for what was measured (results)
#   ROUND_DURATION  seconds of a round (30)                       METRICS_URL  (API_BASE without /v1, with /metrics)
#   SAMPLE_PER_QPS  for a route to be sampled by the hash of its conversations: which share of them for each request a
#                   second (0.02); without it, the route is preselected: every row, in order. A share that cannot feed the
#                   run is not taken: then it is all conversations, and that is said.
#   SHARDS          so many processes of replay that are one run; auto: one for each 10 requests per second (1, which is
#                   enough for thousands); LEAD: seconds until they all begin (5)
#   SLO_SLO, SLO_TOTAL_ROUNDS, SLO_TAIL_WINDOW   set by bisect (6.5, 8, 4)
#   OBJECTIVES      a verdict by objectives, in words: "e2e:p50<6.5 ttft:p99<0.8". Arrivals are Poisson's then (ARRIVAL), the
#                   run ends when the verdict stands; its looks and its seed are told by bisect --strategy certify
#                   (SLO_LOOKS, SLO_SPENDING, SLO_CONFIDENCE, SLO_SEED)
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

shards=${SHARDS:-1}
[[ $shards != auto ]] || shards=$(LC_ALL=C awk -v qps="$qps" 'BEGIN { n = int(qps / 10); print (n * 10 < qps || n == 0 ? n + 1 : n) }')
[[ $shards =~ ^[1-9][0-9]{0,2}$ ]] || { echo "probe.sh: SHARDS: not a number from 1 to 999, nor auto" >&2; exit 3; }

# What of the route is sent.
selection=(--preselected-route)
if [[ ${SAMPLE_PER_QPS:-} ]]; then
  [[ $SAMPLE_PER_QPS =~ ^[0-9]*\.?[0-9]+$ ]] || { echo "probe.sh: SAMPLE_PER_QPS: not a share" >&2; exit 3; }
  end=$(LC_ALL=C awk -v share="$SAMPLE_PER_QPS" -v qps="$qps" 'BEGIN { end = share * qps; printf "%.12g", end < 1 ? end : 1 }')
  if [[ $end != 1 ]] && ! route-verify --rule sample --share-tolerance 1000 --sample-range 0 "$end" --quiet \
      --for-run "$qps,$rounds,${ROUND_DURATION:-30}" "${ROUTE:-route.jsonl}" >/dev/null; then
    echo "probe.sh: a share of $end cannot feed $rounds rounds at $qps qps: all conversations are taken" >&2
    end=1
  fi
  selection=(--sample-range 0 "$end")
fi

# Metrics are worth having but no reason to fail. A saturated server is slow to tell them: three tries of 20 seconds.
snapshot() { rm -f "$at.$1.prom"; prom-snap --url "$metrics_url" --timeout 20 --retry 2 -o "$at.$1.prom"; }
diff_metrics() {
  [[ -e $at.before.prom && -e $at.after.prom ]] || return
  prom-diff "$at.before.prom" "$at.after.prom" --rounds "$at.rounds.jsonl" ${DIFF_OPTIONS:-} >"$at.diff.json"
  cat "$at.diff.json"
}

objectives() { [[ -z ${OBJECTIVES:-} ]] || printf -- '--objective\n%s\n' $OBJECTIVES; }
mapfile -t objectives < <(objectives)
by_objectives=${#objectives[@]}
(( by_objectives == 0 )) || objectives+=(--arrival "${ARRIVAL:-poisson}")

load() {
  replay --input "${ROUTE:-route.jsonl}" --api-base "$api_base" --model "${MODEL:-default}" --use-chat \
    --replay-mode qps --target-qps "$qps" --continuous-qps-window --round-duration "${ROUND_DURATION:-30}" \
    --max-rounds "$rounds" "${selection[@]}" --e2e-slo "$slo" --disable-min-p \
    --progress none "${objectives[@]}" "$@" ${REPLAY_OPTIONS:-}
}
judge() {
  if (( by_objectives )); then
    rounds-analyze "${objectives[@]:0:by_objectives}" ${ANALYZE_OPTIONS:-} "$@" >"$at.verdict.json"
  else
    rounds-analyze --total-rounds "$rounds" --tail-window "$tail_window" --slo "$slo" ${ANALYZE_OPTIONS:-} "$@" >"$at.verdict.json"
  fi
}

# Sets status (of replay, of tee, of rounds-analyze) and leaves the records and the verdict in files.
measure() {
  snapshot before
  if (( shards > 1 )); then measure_shards; return; fi
  if (( by_objectives )); then
    rm -f "$at.rounds.jsonl"
    load --seed "${SLO_SEED:-1}" --until-decided --json-output "$at.rounds.jsonl" | judge
    status=("${PIPESTATUS[0]}" 0 "${PIPESTATUS[1]}")
    return
  fi
  load | tee "$at.rounds.jsonl" | judge
  status=("${PIPESTATUS[@]}")
}

# The same by several processes: the worst of their statuses counts, and round i covers the same seconds in each.
measure_shards() {
  local i rc start=$(( $(date +%s) + ${LEAD:-5} )) running=() files=()
  for (( i = 0; i < shards; ++i )); do
    files+=("$at.shard-$i.jsonl")
    load --shard "$i/$shards" --start-at "$start" --seed "${SLO_SEED:-1}" >"$at.shard-$i.jsonl" &
    running+=($!)
  done
  status=(0 0 0)
  for i in "${running[@]}"; do
    wait "$i"; rc=$?
    (( rc <= status[0] )) || status[0]=$rc
  done
  cat "${files[@]}" >"$at.rounds.jsonl" || status[1]=$?
  judge "${files[@]}"
  status[2]=$?
}

measure
# A whole run without a verdict is one that this machine spoilt: it deserves a second chance. By objectives it may
# just be undecided, which the search knows what to do with.
(( status[0] == 0 && status[2] == 2 && ! by_objectives )) && measure
snapshot after

# An error of the client, or its death, is no verdict about the server, nor is a run cut short, unless it failed anyway.
(( status[0] <= 2 )) || exit "${status[0]}"
(( status[1] == 0 && (status[0] < 2 || status[2] == 1) )) || exit 3
diff_metrics
verdict=$(<"$at.verdict.json")
[[ $verdict != "{"* ]] || printf '{"qps":%s,%s\n' "$qps" "${verdict#\{}"
exit "${status[2]}"
