#!/bin/bash
# What a request costs replay, against wrk, which reads no answer at all: closed loop against a server that answers at once,
# 50 chunks an answer, one core each; A B A B, RUNS times, medians. Then the open loop against a server that answers at
# exact times (TTFT 50 ms, ITL 10 ms): the highest rate at which the reported TTFT p99 stays within 10 ms of what the
# server truly gave, and lateness, error and memory at 1,000 and 1,600 requests a second.
# Needs BUILT and the tools on PATH, as `make bench` sets them, and wrk.
# shellcheck disable=SC2154,SC2034 # scratch, port and body come from measure.bash, ahead goes there
set -u
cd "$(dirname "$0")" || exit 1
runs=${RUNS:-5} seconds=${SECONDS_LONG:-2} transports=${TRANSPORTS:-curl plain}
. ./measure.bash
echo "load: $(uptime | sed 's/.*load/load/')"
route 5000 "$scratch/route.jsonl"

replay_with() {
  local transport=$1
  shift
  echo replay "$scratch/route.jsonl" --api-base "http://127.0.0.1:$port/v1" --model null --use-chat --disable-min-p \
    --preselected-route --loop-route --transport "$transport" --quiet "$@"
}

closed_loop() {
  local in_flight=$1 run name
  for ((run = 1; run <= runs; run++)); do
    cost "$seconds" wrk -t 1 -c "$in_flight" -d 60 -s "$scratch/post.lua" "http://127.0.0.1:$port/v1/chat/completions" >"$scratch/wrk.now" || return
    cat "$scratch/wrk.now" >>"$scratch/wrk.$in_flight"
    for name in $transports; do
      # shellcheck disable=SC2046
      cost "$seconds" $(replay_with "$name" --concurrency "$in_flight" --round-duration 60 --max-rounds 1) >"$scratch/now" || return
      paste -d ' ' "$scratch/now" "$scratch/wrk.now" | awk '{ print $1, $2, $2 / $4 }' >>"$scratch/$name.$in_flight"
    done
  done
  printf '%s in flight: wrk %.0f requests/s, %.1f us CPU a request\n' "$in_flight" "$(median "$scratch/wrk.$in_flight" 1)" "$(median "$scratch/wrk.$in_flight" 2)"
  for name in $transports; do
    printf '%s in flight: replay --transport %s %.0f requests/s, %.1f us CPU a request, %.2f x wrk\n' "$in_flight" "$name" \
      "$(median "$scratch/$name.$in_flight" 1)" "$(median "$scratch/$name.$in_flight" 2)" "$(median "$scratch/$name.$in_flight" 3)"
  done
}

# paced TRANSPORT RATE: one round of four seconds; sets ttft_error_ms (p99, reported less true), lateness_ms (p99), kept
# (dispatched of due), memory_mb and busy.
paced() {
  local record realtime='' ahead=()
  [[ -z ${AHEAD:-} ]] || realtime=--realtime # its loop alone, not what it does beside
  server_report
  # shellcheck disable=SC2046
  start_client $(replay_with "$1" $realtime --replay-mode qps --target-qps "$2" --continuous-qps-window --round-duration "${PACED_SECONDS:-4}" --max-rounds 1)
  memory_mb=0
  while kill -0 "$client" 2>/dev/null; do
    memory_mb=$(awk -v now="$memory_mb" '/VmHWM/ { now = int($2 / 1024 + 0.5) } END { print now }' "/proc/$client/status" 2>/dev/null)
    sleep 0.2
  done
  wait "$client"; client=''
  server_report
  record=$(tail -n 1 "$scratch/client.out")
  true_ms=$(field ttft_ms p99)
  reported_ms=$(sed -n 's/.*"TTFT":{[^}]*"p99":\([0-9.e+-]*\).*/\1/p' <<<"$record" | awk '{ print $1 * 1e3 }')
  lateness_ms=$(sed -n 's/.*"lateness_p99_s":\([0-9.e+-]*\).*/\1/p' <<<"$record" | awk '{ print $1 * 1e3 }')
  busy=$(sed -n 's/.*"busy_pct":\([0-9.e+-]*\).*/\1/p' <<<"$record")
  kept=$(sed -n 's/.*"due":\([0-9]*\),"sent":[0-9]*,"ok":\([0-9]*\).*/\1 \2/p' <<<"$record" | awk '{ print ($1 ? $2 / $1 : 0) }')
  ttft_error_ms=$(awk -v a="${reported_ms:-1e9}" -v b="${true_ms:-0}" 'BEGIN { print a - b }')
}

wrk_script
# A server that sleeps makes the client pay for waking it, which no client of another machine does.
# shellcheck disable=SC2086
start_server ${SERVER_OPTIONS---spin}
if (( runs == 0 )); then
  echo "RUNS=0: no closed loop"
elif command -v wrk >/dev/null; then
  closed_loop 64
  closed_loop 512
else
  echo "wrk is missing (package wrk): no comparison"
fi
stop_server

run_ahead
start_server --ttft-ms 50 --itl-ms 10
for name in $transports; do
  highest=0
  for rate in ${RATES:-1000 1600 2000 2200 2400 2600 2700 2800 3000 3200}; do
    for ((try = 1; try <= ${TRIES:-3}; try++)); do
      paced "$name" "$rate"
      printf '%s at %s/s: ok %s of due; TTFT p99 %.2f ms, truth %.2f, error %.2f; lateness p99 %.3f ms; busy %.0f %%; peak memory %s MB\n' \
        "$name" "$rate" "$kept" "$reported_ms" "$true_ms" "$ttft_error_ms" "$lateness_ms" "$busy" "$memory_mb"
      # A stall of the machine spoils a try, not a rate; and where the server is late, the rate is beyond its own strength.
      awk -v e="$ttft_error_ms" -v k="$kept" -v truth="$true_ms" 'BEGIN { exit !(e <= 10 && k >= 0.999 && truth <= 55) }' &&
        highest=$rate && break
    done
    [[ $highest == "$rate" ]] || break
  done
  echo "$name: TTFT p99 within 10 ms of truth, and that below 55 ms, up to $highest requests/s"
done
