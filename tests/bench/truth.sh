#!/bin/bash
# Does replay report what was: 1,000 streams at once against a server of exact times, TTFT 50 ms and ITL 10 ms, at a steady
# rate. PASS when p50 and p99 of TTFT and ITL are within 1 ms and 5 ms of what the server truly gave, by its own clock, from
# the arrival of a request; the status is 1 when one is not. The lateness of both is printed as well: on a machine that is
# busy otherwise they say so.
# shellcheck disable=SC2154,SC2034 # scratch and port come from measure.bash, ahead goes there
set -u
cd "$(dirname "$0")" || exit 1
. ./measure.bash
rate=1850 seconds=${SECONDS_LONG:-8} # 1,850/s of 0.54 s each: 1,000 under way
route 5000 "$scratch/route.jsonl"
status=0
# verdict NAME VALUE TRUTH BOUND
verdict() {
  awk -v name="$1" -v value="$2" -v truth="$3" -v bound="$4" 'BEGIN {
    error = value - truth; miss = error > bound || error < -bound
    printf "%s %s: %.3f ms, truth %.3f, off by %.3f (bound %g)\n", miss ? "FAIL" : "PASS", name, value, truth, error, bound
    exit miss }' || status=1
}
run_ahead
start_server --ttft-ms 50 --itl-ms 10
for transport in ${TRANSPORTS:-plain}; do
  server_report
  ahead=() realtime=()
  [[ -z ${AHEAD:-} ]] || realtime=(--realtime) # its loop alone, not what it does beside
  start_client replay "$scratch/route.jsonl" --api-base "http://127.0.0.1:$port/v1" --model null --use-chat --disable-min-p \
    --preselected-route --loop-route --transport "$transport" "${realtime[@]}" --quiet --replay-mode qps --target-qps "$rate" \
    --continuous-qps-window --round-duration "$seconds" --max-rounds 1
  wait "$client"; client=''
  server_report
  record=$(<"$scratch/client.out")
  # quantile METRIC Q, as the record has it
  quantile() { sed -n "s/.*\"$1\":{\"unit\":\"[a-z]*\",[^}]*\"$2\":\([0-9.e+-]*\).*/\1/p" <<<"$record"; }
  of_client() { sed -n "s/.*\"$1\":\([0-9.e+-]*\).*/\1/p" <<<"$record"; }
  echo "$transport: $(of_client in_flight_max) in flight at most; lateness p99 $(of_client lateness_p99_s) s, busy $(of_client busy_pct) %;" \
    "the server was late by $(field send_lateness_ms p50) ms (p50), $(field send_lateness_ms p99) ms (p99)"
  for q in p50 p99; do
    [[ $q == p50 ]] && bound=1 || bound=5
    verdict "$transport TTFT $q" "$(quantile TTFT $q | awk '{ print $1 * 1e3 }')" "$(field ttft_ms $q)" "$bound"
    verdict "$transport ITL $q" "$(quantile ITL $q)" "$(field itl_ms $q)" "$bound"
  done
done
exit $status
