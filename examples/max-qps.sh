#!/bin/bash
# The largest request rate at which a running inference server keeps its latency SLO.
# usage: max-qps.sh LOW HIGH [OPTION of bisect]...
#
# LOW is a rate thought to pass, HIGH one thought to fail; the search goes beyond both where it must. What is probed
# is set by the environment, see probe.sh beside this script: a route that is preselected, or sampled by the hash of its
# conversations (SAMPLE_PER_QPS=0.02), from one process or several (SHARDS=auto); judged by a median latency, or by
# OBJECTIVES="e2e:p50<6.5 ttft:p99<0.8" with --strategy certify. Prints the rate alone; the table is on
# stderr. The search is kept in $OUT: the same command goes on where it was stopped. Status as of bisect: 0 found, 1 no
# rate passes, 2 ended before it converged, 3 error. PROBE is another script to probe with.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/in-order.sh
source "$here/in-order.sh"
if [[ ${1:-} == --help ]]; then
  sed '1d; /^#/!Q; s/^# \{0,1\}//' "$0"
  exit
elif (( $# < 2 )); then
  sed -n '3s/^# //p' "$0" >&2
  exit 3
fi
low=$1 high=$2
shift 2
export OUT=${OUT:-results}
mkdir -p "$OUT" || exit 3

# What is probed stands in the command, so that the journal of another server or route is told apart.
probed=(API_BASE="${API_BASE:-http://127.0.0.1:8000/v1}" MODEL="${MODEL:-default}" ROUTE="${ROUTE:-route.jsonl}"
  ROUND_DURATION="${ROUND_DURATION:-30}" REPLAY_OPTIONS="${REPLAY_OPTIONS:-}")
for name in SAMPLE_PER_QPS SHARDS OBJECTIVES ARRIVAL ROUTE_SHA256 HIT_RATE; do
  [[ ! ${!name:-} ]] || probed+=("$name=${!name}")
done
in_order bisect --low "$low" --high "$high" --journal "$OUT/journal.jsonl" "$@" -- \
  env "${probed[@]}" "${PROBE:-$here/probe.sh}" '{qps}' >"$OUT/search.jsonl"
status=$?

(( status < 3 )) || exit "$status"
if [[ $(tail -n 1 "$OUT/search.jsonl") =~ \"max_qps\":([0-9.]+) ]]; then
  echo "${BASH_REMATCH[1]%.0}"
else
  echo "max-qps.sh: no rate passed" >&2
fi
exit "$status"
